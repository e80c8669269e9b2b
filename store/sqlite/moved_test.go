//go:build unix

package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite"
)

// losses are the ways in which another program can remove the files. Each returns the
// name of the file that the store lost.
var losses = map[string]func(t *testing.T, path string) string{
	"the WAL is deleted": func(t *testing.T, path string) string {
		check(t, os.Remove(path+"-wal"))
		return path + "-wal"
	},
	"the WAL is replaced": func(t *testing.T, path string) string {
		check(t, os.WriteFile(path+".new", nil, 0o600), os.Rename(path+".new", path+"-wal"))
		return path + "-wal"
	},
	"another database is moved over it": func(t *testing.T, path string) string {
		other := open(t, path+".other", nil)
		check(t, other.Migrate(t.Context(), pages.Schema()), add(t.Context(), other, "other"), other.Close())
		check(t, os.Rename(path+".other", path))
		return path
	},
	"the database is moved away": func(t *testing.T, path string) string {
		check(t, os.Rename(path, path+".away"))
		return path
	},
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// No change is acknowledged that the next program to open the file would not see, and
// the log says why, once.
func TestNoUpdateIsAcknowledgedWithoutItsFiles(t *testing.T) {
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			path := file(t)
			st := openPages(t, path, &sqlite.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			check(t, add(t.Context(), st, "before"))
			version, ok := st.Version()
			if !ok {
				t.Fatal("there is no version")
			}
			lost := lose(t, path)
			for range 3 {
				err := add(t.Context(), st, "after")
				if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrOutcomeUnknown) || !strings.Contains(err.Error(), lost+" was deleted or replaced") {
					t.Errorf("Update: %v", err)
				}
			}
			err := st.View(t.Context(), func(context.Context, store.Tx) error { return nil })
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("View: %v", err)
			}
			if _, ok := st.Version(); ok || st.Unchanged(version, []*driver.Read{{Schema: pages.Schema()}}) {
				t.Error("what is cached is still valid")
			}
			if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), lost) {
				t.Errorf("%d lines in the log, want one that names %s:\n%s", n, lost, &log)
			}
		})
	}
}

// If the files are lost while an Update runs, its outcome is unknown.
func TestFilesLostDuringAnUpdate(t *testing.T) {
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			path := file(t)
			st := openPages(t, path, &sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				lose(t, path)
				return pages.Insert(tx, &page{Title: "during"})
			})
			if !errors.Is(err, store.ErrOutcomeUnknown) {
				t.Errorf("Update: %v, want %v", err, store.ErrOutcomeUnknown)
			}
			if err := add(t.Context(), st, "after"); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("the next Update: %v", err)
			}
		})
	}
}

// A connection that is opened after the files went is another database's.
func TestNoViewOfAnotherDatabase(t *testing.T) {
	path := file(t)
	st := openPages(t, path, &sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
	check(t, add(t.Context(), st, "mine"))
	losses["another database is moved over it"](t, path)
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		t.Error("a View runs")
		return nil
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("View: %v", err)
	}
}

// Close does not touch files that another program has put in place of the lost ones.
func TestCloseLeavesTheFilesOfOthers(t *testing.T) {
	path := file(t)
	st := openPages(t, path, &sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
	check(t, add(t.Context(), st, "mine"))
	_ = titles(t, st)
	losses["another database is moved over it"](t, path)
	check(t, os.Remove(path+"-wal"), os.Remove(path+"-shm"))
	other := open(t, path, nil)
	check(t, add(t.Context(), other, "theirs"))
	check(t, st.Close())
	if _, err := os.Stat(path + "-wal"); err != nil {
		t.Errorf("the WAL of the other program: %v", err)
	}
	check(t, add(t.Context(), other, "more of theirs"))
	if diff := cmp.Diff([]string{"other", "theirs", "more of theirs"}, titles(t, other)); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
}
