// Command untested says which tests of the repository cannot run on this machine, because
// it has no PostgreSQL, PgBouncer, Chromium or Node.js. They are skipped, and go test ./...
// shows no reasons of packages that pass. Run it in the root of the repository:
//
//	go run ./internal/untested
package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

func main() {
	if err := report(os.Stdout, os.DirFS("."), missing()); err != nil {
		fmt.Fprintln(os.Stderr, "untested:", err)
		os.Exit(1)
	}
}

// A need is a program that tests use.
type need struct {
	name   string
	module string   // folder of the module of the tests; "." is the root
	by     []string // packages that start it, by the ends of their import paths; none means all tests of the module
	reason error    // why it is missing; nil if it is installed
}

// missing looks for the programs on this machine.
func missing() []need {
	server, bouncer := pgtest.Missing()
	return []need{
		{"PostgreSQL", ".", []string{"store/postgres/pgtest", "internal/shoptest"}, server},
		{"PgBouncer", "store/postgres", nil, bouncer},
		{"Chromium", "internal/e2e", nil, oneOf("/usr/lib/chromium/chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")},
		{"Node.js", "internal/e2e", nil, oneOf("node")},
	}
}

// oneOf returns an error if none of the programs is in PATH.
func oneOf(names ...string) error {
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return nil
		}
	}
	return errors.New("no program " + strings.Join(names, " or ") + " in PATH")
}

// report writes the missing programs, each with the packages of its tests.
func report(out io.Writer, root fs.FS, needs []need) error {
	all := true
	for _, n := range needs {
		if n.reason == nil {
			continue
		}
		all = false
		packages, err := n.packages(root)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "No %s (%v). Tests that need it are skipped in:\n", n.name, n.reason)
		for _, p := range packages {
			fmt.Fprintln(out, "\t"+p)
		}
	}
	if all {
		fmt.Fprintln(out, "Every program that tests need is on this machine.")
	}
	return nil
}

// packages returns the folders whose tests need it.
func (n *need) packages(root fs.FS) (list []string, err error) {
	err = fs.WalkDir(root, filepath.ToSlash(n.module), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		if dir := path.Dir(name); !slices.Contains(list, dir) {
			uses, err := n.usedBy(root, name)
			if err != nil {
				return err
			}
			if uses {
				list = append(list, dir)
			}
		}
		return nil
	})
	return list, err
}

// usedBy reports whether a test file imports a package that starts the program.
func (n *need) usedBy(root fs.FS, name string) (bool, error) {
	if n.by == nil {
		return true, nil
	}
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return false, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return false, err
	}
	for _, i := range f.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(n.by, func(by string) bool { return strings.HasSuffix(imported, "/"+by) }) {
			return true, nil
		}
	}
	return false, nil
}
