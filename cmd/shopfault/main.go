// Command shopfault kills examples/shop (SIGKILL) under load, starts it again, and
// checks that no acknowledged write is lost and no write is half done:
//
//	go run ./cmd/shopfault
//	go run ./cmd/shopfault -kills 1000 -workers 64
//
// Its workers create, change, move and delete categories, products, reviews, orders, shipments
// and carts over HTTP on an SQLite file, while files are imported and a webhook sends messages
// about the orders. After each start it checks that
//
//   - acknowledged writes are there with all their fields, and deleted objects are not;
//   - a write without a response was carried out or not, and its repetition gets the
//     matching response: a create with the same Idempotency-Key the first one and no
//     duplicate, an update with the same If-Match 412 or 200, a delete 404 or 204;
//   - a category in which all workers count, with If-Match, has counted each;
//   - paths of the tree, product_count, totals and threads are right;
//   - the stock of the products that all workers order is what it was at first, less the
//     pieces of the orders that are there, also where a combination has the stock;
//   - a job that has ended did each row once, and no imported product is there twice;
//   - at the end, all jobs have ended, and a message came about each change of an order;
//   - the demo, during which the first starts were killed, is complete.
//
// It listens only on the loopback interface, stops what it starts, and removes its files
// unless a check fails: then it exits with 1 and prints their folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/shopapi/shopapi/cmd/internal/command"

	"github.com/shopapi/shopapi/cmd/internal/example"
)

func main() {
	command.Main("shopfault", run)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("shopfault", flag.ContinueOnError)
	kills := flags.Int("kills", 200, "how many times the example is killed")
	workers := flags.Int("workers", 24, "how many clients write at once")
	program := flags.String("shop", "", "the compiled example; without it, it is built with the go command")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "of what is chosen at random")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *kills < 3 || *workers < 1 || *workers > 99 {
		return errors.New("-kills is 3 or more, -workers 1 to 99, and there are no other arguments")
	}
	dir, err := os.MkdirTemp("", "shopfault-")
	if err != nil {
		return err
	}
	if *program == "" {
		if *program, err = example.Build(ctx, dir); err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
	}
	c := newCampaign(*program, dir, *kills, *workers, *seed, out)
	fmt.Fprintf(out, "seed %d\n", *seed)
	began := time.Now()
	err = c.run(ctx)
	if _, ok := errors.AsType[finding](err); ok {
		return fmt.Errorf("%w\nseed %d; the files are in %s", err, *seed, dir)
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return err
	}
	fmt.Fprintf(out, "Nothing is missing and nothing is half: %v, in %.0f s.\n", c.figures, time.Since(began).Seconds())
	return nil
}
