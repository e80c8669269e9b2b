package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storecopy"
	"github.com/shopapi/shopapi/users"
)

const oldKey = "the-key-of-the-old-administrator"

// serveOld serves the shop of a file as an old one, and returns the arguments that pull it.
func serveOld(t *testing.T, path string) (args []string) {
	t.Helper()
	st := open(t, path)
	if err := users.EnsureRootKey(t.Context(), st, "root@example.com", oldKey); err != nil {
		t.Fatal(err)
	}
	sh, err := shop.New(t.Context(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sh)
	t.Cleanup(server.Close)
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(oldKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"pull", "-insecure", "-from", server.URL + "/api", "-email", "root@example.com", "-key-file", keyFile}
}

func open(t *testing.T, path string) store.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// sums are the checksums of the tables of a shop, without the tables that a copy leaves out or that
// differ between any two shops.
func sums(t *testing.T, path string) map[string]string {
	t.Helper()
	var schemas []*store.Schema
	for _, s := range shop.Schemas() {
		if s.Name != "secrets" && s.Name != "schema_changes" {
			schemas = append(schemas, s)
		}
	}
	list, err := storecopy.Copy(t.Context(), memory.New(), open(t, path), schemas, nil)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]string{}
	for _, sum := range list {
		by[sum.Table] = fmt.Sprintf("%d rows, %s", sum.Rows, sum.SHA256)
	}
	return by
}

// A pull that is killed at random moments goes on where it was, and ends with the tables of one
// that was not.
func TestPull_KilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "new.db")
	args := append(serveOld(t, newShop(t, shopRows)), "-db", to)
	kills := 3
	if os.Getenv("SHOPAPI_PULL") == "long" {
		kills = 50
	}
	for range kills {
		killed := process(t, args...)
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(1500 * time.Millisecond))
		if err := killed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = killed.Wait() // killed, unless it had ended
	}
	file := filepath.Join(t.TempDir(), "report.json")
	text, err := process(t, append(args, "-report", file)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var report pull.Report
	if err := json.Unmarshal(written, &report); err != nil {
		t.Fatal(err)
	}
	if c := report.Counts["categories"]; c == nil || c.There != shopRows || c.Here != shopRows {
		t.Errorf("categories: %+v, want %d", c, shopRows)
	}
	whole := filepath.Join(t.TempDir(), "whole.db")
	if text, err := process(t, append(args[:len(args)-1:len(args)-1], whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if diff := cmp.Diff(sums(t, whole), sums(t, to)); diff != "" {
		t.Errorf("the tables (-not killed +killed):\n%s", diff)
	}
	again, err := process(t, args...).Output()
	if err != nil || !bytes.Contains(again, []byte(" 0 objects written")) {
		t.Errorf("another run: %v, %s", err, again)
	}
	printed, err := process(t, append(args, "-json")...).Output()
	var same pull.Report
	if err != nil || json.Unmarshal(printed, &same) != nil || same.Counts["categories"].Here != shopRows {
		t.Errorf("another run with -json: %v, %s", err, printed)
	}
}

// Pulls go on into a copy of a shop that was pulled, and end there.
func TestPull_IntoACopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pulled, copied := filepath.Join(dir, "pulled.db"), filepath.Join(dir, "copied.db")
	args := serveOld(t, newShop(t, 10))
	for _, step := range []struct {
		args []string
		says string
	}{
		{append(args, "-db", pulled), "objects written"},
		{[]string{"copy", "-db", pulled, "-to", copied}, "Both databases hold the same"},
		{append(args, "-db", copied), " 0 objects written"},
		{[]string{"pull", "-finish", "-db", copied}, ""},
	} {
		var out, said bytes.Buffer
		code := run(t.Context(), step.args, terminal{strings.NewReader(""), &out, &said})
		if code != exitDone || !strings.Contains(out.String(), step.says) {
			t.Fatalf("%s: exit code %d, %s%s", step.args, code, &out, &said)
		}
	}
}

// A pull reports problems of its arguments, and exits with 2 if it reports problems.
func TestPull_ExitCodes(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "new.db")
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(oldKey), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte("a@example.com hunter2\na@example.com hunter2\nA@example.com hunter3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	from := func(address string, more ...string) []string {
		return append([]string{"-db", db, "-from", address, "-email", "a@example.com", "-key-file", keyFile}, more...)
	}
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no address":              {[]string{"-db", db}, exitUsage, "-from"},
		"plain http":              {from("http://old.example/api"), exitUsage, "https"},
		"no flag":                 {[]string{"-nothing"}, exitUsage, "-nothing"},
		"nothing to finish":       {[]string{"-finish", "-db", newShop(t, shopRows)}, 1, "nothing was pulled"},
		"pull and finish":         {from("https://old.example/api", "-finish"), exitUsage, "-finish must be without -"},
		"a dry run of the end":    {[]string{"-finish", "-dry-run", "-db", newShop(t, shopRows)}, exitUsage, "-finish must be without -dry-run"},
		"no URL":                  {from("old.example"), exitUsage, "must be a URL"},
		"a key in the URL":        {from("https://a:b@old.example/api"), exitUsage, "no credentials"},
		"no connection":           {from("https://old.example/api", "-connections", "0"), exitUsage, "-connections must be 1 or more"},
		"two keys of a user":      {from("https://old.example/api", "-keys", keys), 1, "keys: line 3: an earlier line has something else for the same e-mail address"},
		"no place for the report": {from("https://old.example/api", "-report", filepath.Join(db, "report.json")), 1, "report.json"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, said bytes.Buffer
			code := run(t.Context(), append([]string{"pull"}, test.args...), terminal{strings.NewReader(""), &out, &said})
			if code != test.code || !strings.Contains(said.String(), test.says) || strings.Contains(said.String(), oldKey) || strings.Contains(said.String(), "hunter") {
				t.Errorf("exit code %d, %s, want %d and %q", code, &said, test.code, test.says)
			}
			if _, err := os.Stat(db); err == nil {
				t.Error("the database was made")
			}
		})
	}
}
