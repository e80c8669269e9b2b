package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

const shopRows = 3000

// TestMain is the command where a test starts it as a process of its own.
func TestMain(m *testing.M) {
	if args := os.Getenv("SHOPCOPY_ARGS"); args != "" {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command is the command as a process.
func command(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "SHOPCOPY_ARGS="+strings.Join(args, "\n"))
	return cmd
}

// newShop makes a shop with categories in a file.
func newShop(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "shop.db")
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := shop.New(t.Context(), st, nil); err != nil {
		t.Fatal(err)
	}
	schema := categories.Schemas()[0]
	row := make([]store.Value, len(schema.Columns))
	for i := range schema.Columns {
		row[i] = schema.Columns[i].Zero()
	}
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for n := range shopRows {
			row[schema.Index("category")] = store.String(fmt.Sprintf("Category %d", n))
			if _, err := tx.Insert(schema, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// From a file to PostgreSQL and back to a file, each killed in the middle and
// given again.
func TestKilledInTheMiddle(t *testing.T) {
	file := newShop(t)
	dsn := pgtest.DSN(t)
	back := filepath.Join(t.TempDir(), "back.db")
	for _, way := range [][2]string{{file, dsn}, {dsn, back}} {
		args := []string{"-from", way[0], "-to", way[1], "-batch", "50"}
		killed := command(t, args...)
		out, err := killed.StdoutPipe()
		if err == nil {
			err = killed.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "copying categories: 1000 ") {
				break
			}
		}
		if err := killed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := killed.Wait(); err == nil {
			t.Fatal("the command ended before it was killed")
		}

		text, err := command(t, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		first := bytes.Index(text, []byte("copying categories: "))
		var done int
		if _, err := fmt.Sscanf(string(text[max(first, 0):]), "copying categories: %d", &done); err != nil || done < 1000 {
			t.Errorf("the second run begins with %d categories (%v), want those of the first, 1000 or more", done, err)
		}
		if !bytes.Contains(text, []byte("Both stores hold the same")) || !bytes.Contains(text, []byte(fmt.Sprintf("%d rows", shopRows))) {
			t.Errorf("the second run says\n%s", text)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-from", "a.db"}, {"-to", "a.db"}, {"-from", "a.db", "-to", "b.db", "c.db"}, {"-unknown"},
		{"-from", filepath.Join(t.TempDir(), "missing.db"), "-to", filepath.Join(t.TempDir(), "to.db")},
	} {
		if err := run(t.Context(), args, os.Stderr); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
