package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// said returns the output of a command line without a database, and its exit code.
func said(t *testing.T, args ...string) (out, errors string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, terminal{strings.NewReader(""), &o, &e})
	return o.String(), e.String(), code
}

// The help lists every command once, with its arguments, and the exit codes.
func TestHelp_ListsAll(t *testing.T) {
	t.Parallel()
	out, text, code := said(t, "help")
	if code != exitDone || text != "" {
		t.Errorf("exit code %d, %s", code, text)
	}
	for i := range commands {
		if n := strings.Count(out, "  "+commands[i].usage()+"  "); n != 1 {
			t.Errorf("%s is listed %d times", commands[i].name, n)
		}
	}
	for _, e := range exitCodes {
		if want := fmt.Sprintf("  %-4d%s\n", e.code, e.text); !strings.Contains(out, want) {
			t.Errorf("the help lacks %q", want)
		}
	}
	for _, same := range []string{"-h", "-help", "--help"} {
		if other, _, code := said(t, same); other != out || code != exitDone {
			t.Errorf("%s: exit code %d, and another help", same, code)
		}
	}
}

// results are the commands that print results for which a script would want JSON. Export
// prints JSON lines without the flag.
var results = map[string]bool{"users list": true, "check": true, "copy": true, "import": true, "pull": true}

// Every command explains its flags alike in all ways to ask, refuses unknown flags and wrong
// numbers of arguments, and has the same words for the same flags.
func TestHelp_OfEachCommand(t *testing.T) {
	t.Parallel()
	words := map[string]string{} // usage by flag
	for i := range commands {
		c := &commands[i]
		name := strings.Fields(c.name)
		help, text, code := said(t, append([]string{"help"}, name...)...)
		if code != exitDone || text != "" || !strings.HasPrefix(help, c.usage()+"\n"+c.summary+".\n") {
			t.Errorf("help %s: exit code %d, %s%s", c.name, code, help, text)
		}
		for _, flag := range []string{"-h", "-help", "--help"} {
			if out, text, code := said(t, append(name, flag)...); code != exitDone || out != help || text != "" {
				t.Errorf("%s %s: exit code %d, %s%s", c.name, flag, code, out, text)
			}
		}
		if out, text, code := said(t, append(name, "-no-such-flag")...); code != exitUsage || out != "" || !strings.Contains(text, "-no-such-flag") {
			t.Errorf("%s with an unknown flag: exit code %d, %s%s", c.name, code, out, text)
		}
		if out, text, code := said(t, append(name, "a", "b", "c")...); code != exitUsage || out != "" || !strings.Contains(text, c.usage()+"\n") {
			t.Errorf("%s with three arguments: exit code %d, %s%s", c.name, code, out, text)
		}
		flags := c.flagSet()
		c.flags(flags)
		flags.VisitAll(func(f *flag.Flag) {
			if before, ok := words[f.Name]; ok && before != f.Usage {
				t.Errorf("%s -%s is explained %q, and elsewhere %q", c.name, f.Name, f.Usage, before)
			}
			words[f.Name] = f.Usage
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") || f.Usage[:1] != strings.ToLower(f.Usage[:1]) && !strings.HasPrefix(f.Usage, "CSV") {
				t.Errorf("%s -%s is explained %q: a phrase without a capital and a full stop is wanted", c.name, f.Name, f.Usage)
			}
		})
		if flags.Lookup("db") == nil {
			t.Errorf("%s has no flag -db", c.name)
		}
		if has := flags.Lookup("json") != nil; has != results[c.name] {
			t.Errorf("%s has the flag -json: %v, want %v", c.name, has, results[c.name])
		}
	}
}

// Every command without a database, or with a missing one, names the way to give it,
// and makes no file.
func TestHelp_CommandsWithoutDatabase(t *testing.T) {
	t.Setenv(dbVariable, "")
	keyFile, rows := t.TempDir()+"/key", t.TempDir()+"/rows.csv"
	for _, file := range []string{keyFile, rows} {
		if err := os.WriteFile(file, []byte("tax\nVAT\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	more := map[string][]string{
		"pull":   {"-from", "https://old.example/api", "-email", "a@example.com", "-key-file", keyFile},
		"copy":   {"-to", t.TempDir() + "/copy.db"},
		"import": {"taxes", rows}, "users status": {"a@example.com", "D"},
	}
	for i := range commands {
		c := &commands[i]
		args := append(strings.Fields(c.name), more[c.name]...)
		if c.name != "import" && c.name != "users status" {
			args = append(args, strings.Fields(c.args)...)
		}
		if out, text, code := said(t, args...); code != exitUsage || out != "" || !strings.Contains(text, "-db") || !strings.Contains(text, dbVariable) {
			t.Errorf("%s without a database: exit code %d, %s%s", c.name, code, out, text)
		}
		if c.name == "pull" || c.name == "restore" {
			continue // these make the database
		}
		missing := t.TempDir() + "/missing.db"
		t.Setenv(dbVariable, missing)
		if out, text, code := said(t, args...); code != exitFailed || out != "" || !strings.Contains(text, "missing.db") {
			t.Errorf("%s with a missing database: exit code %d, %s%s", c.name, code, out, text)
		}
		if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s made the missing database: %v", c.name, err)
		}
		t.Setenv(dbVariable, "")
	}
}
