package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/cmd/internal/example"
	_ "github.com/shopapi/shopapi/internal/fasttest"
)

var programs string // a folder for the program

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "shopfault-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(programs)
	os.Exit(code)
}

// built compiles the example once.
var built = sync.OnceValues(func() (string, error) { return example.Build(context.Background(), programs) })

func build(t *testing.T) string {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// TestRun: the example survives a few kills, and the files are removed.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-kills", "5", "-workers", "8", "-shop", build(t)}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Nothing is missing") || strings.Contains(out.String(), " 0 acknowledged writes, 0") {
		t.Errorf("the output is\n%s", out.String())
	}
	if left, err := filepath.Glob(filepath.Join(dir, "shopfault-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestCampaign_FindsLostChanges: each kill removes the WAL, as if acknowledged writes had
// not reached the disk.
func TestCampaign_FindsLostChanges(t *testing.T) {
	c := newCampaign(build(t), t.TempDir(), 20, 8, 1, io.Discard)
	c.afterKill = func() {
		if c.figures.kills > 3 {
			for _, ending := range []string{"-wal", "-shm"} { // a process that was killed while it started may have none
				if err := os.Remove(c.db + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			}
		}
	}
	if err := c.run(t.Context()); err == nil {
		t.Errorf("nothing was found after %v", c.figures)
	} else {
		t.Logf("found after %v: %.300v", c.figures, err)
	}
}

func TestRun_RefusesBadFlags(t *testing.T) {
	for _, args := range []string{"-kills 1", "-workers 0", "-workers 100", "now"} {
		if err := run(t.Context(), strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s was accepted", args)
		}
	}
}
