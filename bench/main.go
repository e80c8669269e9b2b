// Command bench compares the library with the floor, with hand-written handlers
// and with other servers, all on this machine and over the same rows. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// seedSubcommand is the first argument of the process that creates the rows.
const seedSubcommand = "seed"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "bench: interrupted; what was started is stopped")
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// settings are the values of the flags.
type settings struct {
	scale
	rounds     int
	time, soak time.Duration
	run        *regexp.Regexp
	peers      []string

	json, growth, profile string
	readme                bool
	short                 bool
}

func run(ctx context.Context, args []string, out io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == peer.Subcommand:
		return peer.Serve(ctx, args[1], os.Stdin, out)
	case len(args) == 3 && args[0] == seedSubcommand:
		rows, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return peer.Seed(ctx, args[1], rows)
	}
	s, err := parse(args)
	if err != nil {
		return err
	}
	if s.growth != "" {
		return runGrowth(ctx, s, out)
	}
	return runTable(ctx, s, out)
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&s.short, "short", false, "a quick look: fewer rows, fewer and shorter rounds; takes about three minutes")
	flags.IntVar(&s.rows, "rows", 0, "reviews, and as many categories (100,000; 20,000 with -short)")
	flags.IntVar(&s.rounds, "rounds", 0, "rounds in which the peers take turns (5; 3 with -short)")
	flags.DurationVar(&s.time, "time", 0, "length of a peer's turn (2s; 300ms with -short)")
	flags.DurationVar(&s.soak, "soak", -1, "length of the look at memory, 0 for none (1m; 10s with -short)")
	operations := flags.String("run", "", "a regular expression: only the operations that match")
	peers := flags.String("peers", strings.Join(peer.Names, ","), "the peers that take part")
	flags.StringVar(&s.json, "json", "", "a file for the results as JSON")
	flags.StringVar(&s.growth, "growth", "", "draw cost against rows into this SVG file instead of measuring the table")
	flags.StringVar(&s.profile, "cpuprofile", "", "a file for a CPU profile of shopapi over SQLite; use it with -run")
	flags.BoolVar(&s.readme, "readme", false, "replace the table in README.md")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var err error
	if s.run, err = regexp.Compile(*operations); err != nil {
		return s, err
	}
	for _, name := range peer.Names {
		if slices.Contains(strings.Split(*peers, ","), name) {
			s.peers = append(s.peers, name)
		}
	}
	for name := range strings.SplitSeq(*peers, ",") {
		if !slices.Contains(peer.Names, name) {
			return s, fmt.Errorf("-peers: there is no %q; there are %s", name, strings.Join(peer.Names, ", "))
		}
	}
	s.setDefaults()
	if s.rows < 1000 || s.rows > data.MaxRows {
		return s, fmt.Errorf("-rows must be 1000 to %d", data.MaxRows)
	}
	return s, nil
}

func (s *settings) setDefaults() {
	usual := settings{scale: scale{100_000}, rounds: 5, time: 2 * time.Second, soak: time.Minute}
	if s.short {
		usual = settings{scale: scale{20_000}, rounds: 3, time: 300 * time.Millisecond, soak: 10 * time.Second}
	}
	if s.rows == 0 {
		s.rows = usual.rows
	}
	if s.rounds < 1 {
		s.rounds = usual.rounds
	}
	if s.time <= 0 {
		s.time = usual.time
	}
	if s.soak < 0 {
		s.soak = usual.soak
	}
}

// runTable measures the operations and prints the table.
func runTable(ctx context.Context, s settings, out io.Writer) error {
	b, err := newBench(ctx, s.scale, os.Stderr)
	if err != nil {
		return err
	}
	defer b.Close()
	s.peers = b.withPostgreSQL(ctx, s.peers)
	r := newReport(s)
	b.profile = s.profile
	if err := b.startAll(ctx, s.peers); err != nil {
		return err
	}
	for _, o := range operations {
		if !s.run.MatchString(o.Name) {
			continue
		}
		measured, err := b.measure(ctx, o, s.peers, s.rounds, s.time)
		if err != nil {
			return err
		}
		r.Operations = append(r.Operations, measured)
	}
	if err := b.checkCreated(r.Operations); err != nil {
		return err
	}
	if s.run.MatchString(mix.Name) {
		measured, err := b.measure(ctx, mix, s.peers, s.rounds, s.time)
		if err != nil {
			return err
		}
		r.Operations = append(r.Operations, measured)
	}
	r.Goals = verdicts(r.Operations)
	if s.soak > 0 && slices.Contains(s.peers, peer.Shop) && s.run.MatchString(soakName) {
		if r.Soak, err = b.soak(ctx, s.soak); err != nil {
			return err
		}
	}
	if slices.Contains(s.peers, peer.Shop) && s.run.MatchString(startName) {
		if r.Start, err = b.startTimes(ctx, s.rounds); err != nil {
			return err
		}
	}
	return r.deliver(s, out)
}
