package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run is the command with its arguments.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	list := flags.String("list", "", "only the mutants of this `list`")
	auto := flags.String("auto", "", "generate the mutants of these `files`, separated by commas")
	test := flags.String("test", "", "with -auto: arguments of go test")
	only := flags.String("run", "", "only the mutants whose file and name match this `expression`")
	parallel := flags.Int("p", 2, "how many mutants are tried at once")
	limit := flags.Duration("limit", time.Minute, "tests that take longer have failed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	mutants, err := choose(root, *list, *auto, *test)
	if err != nil {
		return err
	}
	matches, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return !matches.MatchString(m.file + ": " + m.name) })
	return tryAll(ctx, out, root, mutants, *parallel, *limit)
}

// moduleRoot is the folder of go.mod.
func moduleRoot(ctx context.Context) (string, error) {
	file, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	return filepath.Dir(strings.TrimSpace(string(file))), err
}

// choose returns the mutants that the flags ask for.
func choose(root, list, auto, test string) ([]mutant, error) {
	if auto == "" {
		return readLists(root, list)
	}
	if test == "" {
		return nil, errors.New("-auto needs -test")
	}
	var all []mutant
	for file := range strings.SplitSeq(auto, ",") {
		mutants, err := generateFile(root, file, test)
		if err != nil {
			return nil, err
		}
		all = append(all, mutants...)
	}
	return all, nil
}

// tryAll tries the mutants and prints the survivors, and then the number of killed
// mutants.
func tryAll(ctx context.Context, out io.Writer, root string, mutants []mutant, parallel int, limit time.Duration) error {
	var (
		mu     sync.Mutex
		failed error
		count  = map[verdict]int{}
		equal  int
		all    sync.WaitGroup
		next   = make(chan mutant)
	)
	one := func(m mutant) {
		v, err := try(ctx, root, m, limit)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case v == survived && m.equal != "":
			equal++
			fmt.Fprintf(out, "equal: %s: %s: %s\n", m.file, m.name, m.equal)
		case v == invalid && m.at < 0:
			failed = errors.Join(failed, fmt.Errorf("%s: the mutant %q does not compile", m.file, m.name))
		default:
			if count[v]++; v == survived {
				fmt.Fprintf(out, "%s: %s: %s\n", v, m.file, m.name)
			}
		}
	}
	for range parallel {
		all.Go(func() {
			for m := range next {
				one(m)
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() != nil {
			break
		}
		next <- m
	}
	close(next)
	all.Wait()
	fmt.Fprintf(out, "%d mutants: %d killed, %d survived, %d equal in behaviour, %d do not compile\n",
		len(mutants), count[killed], count[survived], equal, count[invalid])
	if failed == nil && count[survived] > 0 {
		failed = fmt.Errorf("%d mutants survived", count[survived])
	}
	return errors.Join(ctx.Err(), failed)
}
