package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A pullFlags is the flags of pull that do not go into its options as they are.
type pullFlags struct {
	shop                               shopFlag
	keyFile, ca, keys, passwords, file *string
	remove                             deleteFlag
	finish, asJSON                     *bool
	given                              *flag.FlagSet
}

// pullShop takes over a shop from another server of the interface.
func pullShop(flags *flag.FlagSet) action {
	var o pull.Options
	f := pullFlags{shop: shopFlags(flags), given: flags}
	flags.StringVar(&o.From, "from", "", "the address of the old shop's API, such as https://old.example/api, or of its script, https://old.example/api.php")
	flags.StringVar(&o.Email, "email", "", "the e-mail address of an administrator of the old shop")
	f.keyFile = flags.String("key-file", "", "a file that holds the administrator's API key, - for standard input")
	flags.BoolVar(&o.Insecure, "insecure", false, "allow plain http")
	f.ca = flags.String("ca", "", "a file with certificates of authorities beside those of the system")
	flags.IntVar(&o.Connections, "connections", 4, "requests to the old shop at the same time")
	flags.BoolVar(&o.DryRun, "dry-run", false, dryRunUsage)
	flags.BoolVar(&o.Overwrite, "overwrite", false, "take what is there even where it was changed here")
	flags.BoolVar(&o.Quick, "quick", false, "read an object only if lists of the old shop show a change; leaves other changes to a run without it")
	flags.Var(&f.remove, "delete", "remove what is gone there; -delete=all also where that is more than 10 rows and 10 % of an entity")
	flags.StringVar(&o.Images, "images", "", "download images into this directory; without it their addresses are kept")
	flags.StringVar(&o.ImagePath, "image-path", "/images", "the path under which the shop serves the directory of -images")
	f.keys = flags.String("keys", "", "a file with lines of an e-mail address and an API key, which go on unchanged")
	f.passwords = flags.String("passwords", "", "a file with lines of an e-mail address and the hash of a password in the old shop")
	f.file = flags.String("report", "", "write the report as JSON to this file")
	f.asJSON = jsonFlag(flags)
	f.finish = flags.Bool("finish", false, "end the move: later pulls into the database are refused")
	return func(ctx context.Context, t terminal, _ []string) error {
		return f.run(ctx, t, o)
	}
}

// A deleteFlag is -delete or -delete=all.
type deleteFlag string

func (d *deleteFlag) String() string   { return string(*d) }
func (d *deleteFlag) IsBoolFlag() bool { return true }
func (d *deleteFlag) Set(text string) error {
	if text != "true" && text != "false" && text != "all" {
		return errors.New("must be all, or have no value")
	}
	*d = deleteFlag(text)
	return nil
}

func (f *pullFlags) run(ctx context.Context, t terminal, o pull.Options) (err error) {
	if _, err := f.shop.editionOf(); err != nil {
		return err
	}
	if *f.finish {
		if name := f.besideFinish(); name != "" {
			return usagef("-finish must be without -%s: it reads nothing from the old shop. Pull first, and then run -finish with -db", name)
		}
		st, err := openDB(ctx, *f.shop.db)
		if err != nil {
			return err
		}
		return errors.Join(pull.Finish(ctx, st), st.Close())
	}
	if o.From == "" || o.Email == "" || *f.keyFile == "" {
		return usagef("name the old shop by -from, and its administrator by -email and -key-file")
	}
	if o.Connections < 1 {
		return usagef("-connections must be 1 or more, not %d", o.Connections)
	}
	o.Delete, o.DeleteAll = f.remove == "true" || f.remove == "all", f.remove == "all"
	if err := f.read(t, &o); err != nil {
		return err
	}
	if err := o.Validate(); err != nil {
		return &usageError{err}
	}
	if err := canWrite(*f.file); err != nil {
		return err
	}
	st, err := f.target(ctx, o.DryRun)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	sh, err := f.shop.open(ctx, t, st)
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	p := newProgress(t.err)
	defer p.end()
	o.Progress = func(now pull.Progress) {
		p.show(now.Entity, now.Done, now.Total, fmt.Sprintf("%d requests", now.Requests))
	}
	report, err := pull.Run(ctx, sh, o)
	if *f.file != "" && report != nil {
		if writing := writeReport(*f.file, report); writing != nil {
			err = errors.Join(err, writing)
		}
	}
	if err != nil {
		return err
	}
	if *f.asJSON {
		printJSON(t.out, report)
	} else {
		summarize(t.out, report)
	}
	if len(report.Problems) > 0 {
		return fmt.Errorf("%w: %d", errPartly, len(report.Problems))
	}
	return nil
}

// besideFinish returns a flag that has no effect beside -finish, "" for none.
func (f *pullFlags) besideFinish() (name string) {
	f.given.Visit(func(given *flag.Flag) {
		if !slices.Contains([]string{"finish", "db", "edition", "json"}, given.Name) {
			name = given.Name
		}
	})
	return name
}

// collectAt is how much the heap of a pull grows, in percent, until the garbage collector runs.
// A pull waits for the old shop most of the time, and may run beside the new one.
const collectAt = 40

// read reads the files that flags name.
func (f *pullFlags) read(t terminal, o *pull.Options) error {
	key, err := readKey(t, *f.keyFile)
	if err != nil {
		return err
	}
	o.Key = key
	if *f.ca != "" {
		if o.CA, err = os.ReadFile(*f.ca); err != nil {
			return err
		}
	}
	if o.Keys, err = readPairs(*f.keys); err != nil {
		return err
	}
	o.Passwords, err = readPairs(*f.passwords)
	return err
}

func readKey(t terminal, name string) (string, error) {
	in := t.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, 4096))
	key := strings.TrimSpace(withoutMark(string(text)))
	if err == nil && key == "" {
		err = errors.New("the file of -key-file holds no key")
	}
	return key, err
}

// withoutMark returns a text without the byte order mark with which editors begin files.
func withoutMark(text string) string { return strings.TrimPrefix(text, "\uFEFF") }

// readPairs reads a file with lines of an e-mail address and a text. Two texts of one address are an error.
func readPairs(name string) (map[string]string, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	pairs := map[string]string{}
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(withoutMark(lines.Text()))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s: line %d: must be an e-mail address and one word", name, n)
		}
		email := strings.ToLower(fields[0])
		if before, ok := pairs[email]; ok && before != fields[1] {
			return nil, fmt.Errorf("%s: line %d: an earlier line has something else for the same e-mail address, and only one can be taken", name, n)
		}
		pairs[email] = fields[1]
	}
	return pairs, lines.Err()
}

// target opens or creates the database to pull into. A dry run into a missing database
// pulls into memory.
func (f *pullFlags) target(ctx context.Context, dryRun bool) (store.Store, error) {
	name, err := nameOf(*f.shop.db)
	if err != nil {
		return nil, err
	}
	if dryRun && !isURL(name) {
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			return memory.New(), nil
		}
	}
	return openStore(ctx, name)
}

// canWrite returns an error if the report cannot be written, which a run of hours should
// not find at its end.
func canWrite(name string) error {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

func writeReport(name string, report *pull.Report) error {
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o600)
}

// shownProblems is how many problems a summary has. The report has all.
const shownProblems = 20

// summarize prints what a pull took.
func summarize(w io.Writer, r *pull.Report) {
	fmt.Fprintf(w, "%-28s%12s%12s\n", "", "there", "here")
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		if c := r.Counts[name]; c.There > 0 || c.Here > 0 {
			fmt.Fprintf(w, "%-28s%12d%12d\n", name, c.There, c.Here)
		}
	}
	fmt.Fprintf(w, "%d requests, %d objects written, %.0f seconds, of which the old shop took %.0f\n", r.Requests, r.Written, r.Seconds, r.Waited)
	for _, note := range r.Notes {
		fmt.Fprintln(w, "note:", printable(note))
	}
	for i, p := range r.Problems {
		if i == shownProblems {
			fmt.Fprintf(w, "and %d more problems: -report FILE writes all\n", len(r.Problems)-i)
			break
		}
		fmt.Fprintf(w, "problem: %s %s %s: %s\n", p.Entity, printable(p.ID), p.Field, printable(p.Reason))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.NotCarried)) {
		for _, name := range slices.Sorted(maps.Keys(r.NotCarried[kind])) {
			fmt.Fprintf(w, "not carried: %s %s: %d\n", kind, printable(name), r.NotCarried[kind][name])
		}
	}
}
