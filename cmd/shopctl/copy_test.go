package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// The categories of the shops of the tests: a copy is killed after 1000 of them, which the other
// tests do not need.
const (
	copiedRows = 3000
	shopRows   = 1000
)

// TestMain runs the command if a test started it as a process.
func TestMain(m *testing.M) {
	if args := os.Getenv("SHOPCTL_ARGS"); args != "" {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
	}
	fasttest.Waiting()
	os.Exit(m.Run())
}

// process is the command as a process.
func process(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "SHOPCTL_ARGS="+strings.Join(args, "\n"))
	return cmd
}

// newShop makes a shop with so many categories in a file.
func newShop(t *testing.T, rows int) (path string) {
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
		for n := range rows {
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

// From a file to PostgreSQL and back to a file, each killed in the middle and run again.
func TestCopy_KilledInTheMiddle(t *testing.T) {
	t.Parallel()
	file := newShop(t, copiedRows)
	dsn := pgtest.DSN(t)
	back := filepath.Join(t.TempDir(), "back.db")
	for _, way := range [][2]string{{file, dsn}, {dsn, back}} {
		args := []string{"copy", "-db", way[0], "-to", way[1], "-batch", "50"}
		killed := process(t, args...)
		out, err := killed.StderrPipe()
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

		text, err := process(t, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		first := bytes.Index(text, []byte("copying categories: "))
		var done int
		if _, err := fmt.Sscanf(string(text[max(first, 0):]), "copying categories: %d", &done); err != nil || done < 1000 {
			t.Errorf("the second run begins with %d categories (%v), want those of the first, 1000 or more", done, err)
		}
		if !bytes.Contains(text, []byte("Both databases hold the same")) || !bytes.Contains(text, fmt.Appendf(nil, "%d rows", copiedRows)) {
			t.Errorf("the second run says\n%s", text)
		}
	}
}

// A copy of a database that cannot be read makes no file.
func TestCopy_OfNewerSchemaMakesNoFile(t *testing.T) {
	b := newBench(t)
	st, err := sqlite.Open(t.Context(), b.db, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = st.DB().ExecContext(t.Context(), "UPDATE schema_changes SET number = 999 WHERE change_id = ?", store.SchemaNumberKey)
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "new.db")
	if _, text, code := b.run("", "copy -to "+to); code != exitFailed || !strings.Contains(text, "newer version") {
		t.Errorf("exit code %d: %s", code, text)
	}
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Errorf("there is a file: %v", err)
	}
}
