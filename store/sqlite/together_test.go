package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// startedFiles is set in the environment of child processes that open each file whose
// path they read, and print the result.
const startedFiles = "SHOPAPI_TEST_START"

func openEachFile() {
	for paths := bufio.NewScanner(os.Stdin); paths.Scan(); {
		fmt.Println(oneLine(startOn(paths.Text())))
	}
}

func oneLine(err error) string { return strings.ReplaceAll(fmt.Sprint(err), "\n", " ") }

// startOn uses each kind of connection, as a program does that starts.
func startOn(path string) error {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	err = func() error {
		if err := st.Migrate(ctx, pages.Schema()); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
			_, err := pages.Count(tx)
			return err
		})
		if err != nil {
			return fmt.Errorf("view: %w", err)
		}
		if err := add(ctx, st, "x"); err != nil {
			return fmt.Errorf("update: %w", err)
		}
		if err := st.DB().QueryRowContext(ctx, "SELECT count(*) FROM pages").Scan(new(int)); err != nil {
			return fmt.Errorf("the host's pool: %w", err)
		}
		return nil
	}()
	if closing := st.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("close: %w", closing))
	}
	return err
}

// TestProcessesThatStartTogether open and close files at once, new ones and ones that a
// killed process left: none gets the error that the database is locked.
func TestProcessesThatStartTogether(t *testing.T) {
	const processes, rounds = 8, 10
	dir := t.TempDir()
	killed := file(t)
	openPages(t, killed, nil) // stays open, so what others copy has a WAL
	var in []io.WriteCloser
	var out []*bufio.Scanner
	for range processes {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), startedFiles+"=1")
		child.Stderr = os.Stderr
		stdin, err := child.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := child.StdoutPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			stdin.Close()
			if err := child.Wait(); err != nil {
				t.Errorf("a child ended with %v", err)
			}
		})
		in, out = append(in, stdin), append(out, bufio.NewScanner(stdout))
	}
	for round := range rounds {
		path := filepath.Join(dir, fmt.Sprint(round, ".db"))
		if round%2 == 1 {
			for _, suffix := range []string{"", "-wal"} {
				data, err := os.ReadFile(killed + suffix)
				if err == nil {
					err = os.WriteFile(path+suffix, data, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, stdin := range in {
			if _, err := fmt.Fprintln(stdin, path); err != nil {
				t.Fatal(err)
			}
		}
		for _, lines := range out {
			if !lines.Scan() {
				t.Fatalf("a child ended: %v", lines.Err())
			}
			if got := lines.Text(); got != "<nil>" {
				t.Errorf("round %d: %s", round, got)
			}
		}
		if n := len(titles(t, open(t, path, nil))); n != processes {
			t.Errorf("round %d: %d pages, want one of each of %d processes", round, n, processes)
		}
	}
}

// TestStartsWaitForOthers: what a program does at its start waits longer than a request.
func TestStartsWaitForOthers(t *testing.T) {
	for name, start := range map[string]func(ctx context.Context, st *sqlite.Store) error{
		"Migrate": func(ctx context.Context, st *sqlite.Store) error { return st.Migrate(ctx, pages.Schema()) },
		"Starting": func(ctx context.Context, st *sqlite.Store) error {
			return add(store.Starting(ctx), st, "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t)
			st := openPages(t, path, &sqlite.Options{BusyTimeout: time.Millisecond})
			unlock := lock(t, path)
			if err := add(t.Context(), st, "y"); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("an Update without more got %v, want ErrUnavailable", err)
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := start(t.Context(), st); err != nil {
					t.Error(err)
				}
			})
			time.Sleep(20 * time.Millisecond)
			unlock()
			wg.Wait()
		})
	}
}

// TestStartsDoNotWaitWhereNothingMay: an option ends every wait.
func TestStartsDoNotWaitWhereNothingMay(t *testing.T) {
	path := file(t)
	st := openPages(t, path, &sqlite.Options{BusyTimeout: -1})
	defer lock(t, path)()
	if err := add(store.Starting(t.Context()), st, "x"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}
