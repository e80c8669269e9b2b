// Command shopattack sends the dearest requests that the description of the API admits, and
// measures what they cost the shop and its other users:
//
//	go run ./cmd/shopattack
//	go run ./cmd/shopattack -store postgres -top 50
//	go run ./cmd/shopattack -entities options,orders
//
// The shop is a process of its own, with the demo of examples/shop. Requests are made from its
// OpenAPI document: each field of each body grows in each form that its schema has (a long
// text, many items, many members, items in items, deep arrays) until it is refused. A user
// with the privileges of that entity alone sends the largest request that is accepted and the
// largest that the limit of bodies admits. For each the command measures
//
//   - the time until the response, and the CPU time of the process
//   - the memory that the process allocated
//   - how long a transaction held the writer (with PostgreSQL: how long one lasted)
//
// The dearest ones are also sent as forms and in batches, and the example of each entity in arrays
// and as imports, as large as they may be, and images and packed files.
//
// Then one user sends the dearest ones over many connections at once, and bodies that lack their
// last byte, while another user, a process of its own, reads and changes a category. The command
// prints how much longer that takes than before, and which of it is beyond the goals: 50 ms for an
// object, 100 ms for a list and 150 ms for a change, for 99 of 100 requests.
//
// It fails if the process uses more memory than Limits.Memory and a quarter, beside the memory
// of the process before the first request, if a response takes more than Limits.Time and 100 ms,
// if a response is a 500, or if no request of many entities is accepted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shopapi/shopapi/cmd/internal/command"
)

func main() {
	command.Main("shopattack", func(ctx context.Context, args []string, out io.Writer) error {
		if db := os.Getenv(serveVariable); db != "" {
			return serve(ctx, db, os.Stdin, out, nil)
		}
		if os.Getenv(otherVariable) != "" {
			return serveOther(ctx, os.Stdin, out)
		}
		return run(ctx, args, out)
	})
}

// A campaign is the flags of a run.
type campaign struct {
	out         io.Writer
	store       string
	dsn         string // of -store postgres
	demo        bool
	entities    []string
	connections int
	each        time.Duration // how long the requests of one kind are sent at once
	top         int           // kinds of requests that are sent at once
	memory      int64         // Limits.Memory, in MiB
	batch       int           // the size of a batch and of an array of objects, in MiB
	imported    int           // the size of an imported file, in MiB
	job         time.Duration // how long an import may take until it is cancelled
}

func parse(args []string, out io.Writer) (*campaign, error) {
	c := &campaign{out: out}
	flags := flag.NewFlagSet("shopattack", flag.ContinueOnError)
	flags.StringVar(&c.store, "store", "sqlite", "sqlite or postgres")
	flags.StringVar(&c.dsn, "dsn", "", "an empty database of -store postgres; a server is started without it")
	flags.BoolVar(&c.demo, "demo", true, "fill the shop with the demo of examples/shop")
	flags.Func("entities", "the entities that are attacked, such as options,orders; all without it", func(list string) error {
		c.entities = strings.Split(list, ",")
		return nil
	})
	flags.IntVar(&c.connections, "connections", 48, "how many requests one user sends at once")
	flags.DurationVar(&c.each, "each", 2*time.Second, "how long the requests of one kind are sent at once")
	flags.IntVar(&c.top, "top", 10, "how many of the dearest kinds of requests are sent at once")
	flags.Int64Var(&c.memory, "memory", 512, "Limits.Memory of the shop, in MiB")
	flags.IntVar(&c.batch, "batch", mostBatch, fmt.Sprintf("the size of a batch, in MiB, %d at most", mostBatch))
	flags.IntVar(&c.imported, "import", 8, "the size of an imported file, in MiB")
	flags.DurationVar(&c.job, "job", 20*time.Second, "how long an import may take until it is cancelled")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 || !slices.Contains([]string{"sqlite", "postgres"}, c.store) || c.connections < 1 || c.each <= 0 || c.top < 0 || c.memory < 1 || c.batch < 1 || c.batch > mostBatch || c.imported < 1 || c.job <= 0 {
		return nil, errors.New("-store is sqlite or postgres, -connections, -each, -memory, -batch, -import and -job are positive, -batch is 8 at most, and there are no other arguments")
	}
	return c, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "shopattack-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, end, err := c.database(ctx, dir)
	if err != nil {
		return err
	}
	defer end()
	p, err := c.startProcess(ctx, db)
	if err != nil {
		return err
	}
	defer p.stop()
	return c.attack(ctx, p)
}

// attack sends the requests one at a time, then the dearest at once, and judges the figures.
func (c *campaign) attack(ctx context.Context, p *process) error {
	doc, err := p.document(ctx)
	if err != nil {
		return err
	}
	a := &attack{campaign: c, process: p, doc: doc, began: time.Now()}
	if err := a.alone(ctx); err != nil {
		return err
	}
	if err := a.inBulk(ctx); err != nil {
		return err
	}
	printAlone(c.out, "The dearest accepted requests", a.accepted)
	printAlone(c.out, "The dearest refused requests", a.refused)
	if err := a.atOnce(ctx); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "\n%d requests of %d fields in %d forms, %d of which are accepted; %.0f s\n",
		a.requests, a.fields, a.forms, a.admitted, time.Since(a.began).Seconds())
	return a.judge()
}
