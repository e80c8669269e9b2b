package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// killedFile names, in the environment, the file that a child process writes.
const killedFile = "SHOPAPI_TEST_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(killedFile); path != "" {
		writeForEver(path)
	}
	if path := os.Getenv(triedFile); path != "" {
		tryToWrite(path)
		os.Exit(0)
	}
	if os.Getenv(startedFiles) != "" {
		openEachFile()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeForEver adds pages and prints the key of each once its Update has
// returned.
func writeForEver(path string) {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, path, nil)
	if err == nil {
		err = st.Migrate(ctx, pages.Schema())
	}
	if err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				p := page{Title: "x"}
				err := st.Update(ctx, func(_ context.Context, tx store.Tx) error { return pages.Insert(tx, &p) })
				if err != nil {
					panic(err)
				}
				fmt.Println(p.PageID) // one write, not buffered
			}
		})
	}
	wg.Wait()
}

// killWriter has another process add pages to a file, kills it, and returns the keys that it
// has printed.
func killWriter(t *testing.T, path string) (done []int64) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), killedFile+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		key, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			t.Fatalf("the child prints %q", lines.Text())
		}
		if done = append(done, key); len(done) == 300 {
			if err := child.Process.Kill(); err != nil { // SIGKILL: nothing is tidied up
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	return done
}

// lostPages counts the pages that a file should have and does not.
func lostPages(t *testing.T, st store.Store, done []int64) (lost int) {
	t.Helper()
	for _, key := range done {
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			_, err := pages.Get(tx, key)
			return err
		})
		if err != nil {
			lost++
		}
	}
	return lost
}

// Acknowledged changes survive the end of the process. For power cuts see TestPowerCuts.
func TestAcknowledgedChangesSurviveAKill(t *testing.T) {
	path := file(t)
	done := killWriter(t, path)
	st := open(t, path, nil)
	if lost := lostPages(t, st, done); lost > 0 {
		t.Errorf("%d of %d pages that were reported as done are lost", lost, len(done))
	}
	if err := add(t.Context(), st, "after"); err != nil {
		t.Fatal(err)
	}
}

// TestAcknowledgedChanges_Notice: pages in a WAL that is removed after the kill are found to
// be lost.
func TestAcknowledgedChanges_Notice(t *testing.T) {
	path := file(t)
	done := killWriter(t, path)
	for _, ending := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + ending); err != nil {
			t.Fatal(err)
		}
	}
	if lost := lostPages(t, open(t, path, nil), done); lost == 0 {
		t.Errorf("none of %d pages is found to be lost", len(done))
	}
}
