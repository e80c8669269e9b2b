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
	r := &report{out: out, lists: map[string]*count{}}
	tryAll(ctx, r, root, mutants, *parallel, *limit)
	return errors.Join(ctx.Err(), r.end())
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
