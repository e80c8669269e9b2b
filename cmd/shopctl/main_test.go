package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/users"
)

// A bench runs commands on one database.
type bench struct {
	*testing.T
	db string
}

// eachDatabase runs a test on a shop without rows in each database that the command
// opens.
func eachDatabase(t *testing.T, test func(b bench)) {
	for name, open := range map[string]func(*testing.T) string{
		"sqlite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "shop.db") },
		"postgresql": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			b := bench{t, open(t)}
			b.shop(func(*shop.Shop) {})
			test(b)
		})
	}
}

// shop opens the shop in Go.
func (b bench) shop(do func(*shop.Shop)) {
	b.Helper()
	st, err := openStore(b.Context(), b.db)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	sh, err := shop.New(b.Context(), st, &shop.Options{Options: shopapi.Options{Edition: shopapi.SingleStore}})
	if err != nil {
		b.Fatal(err)
	}
	do(sh)
}

// run runs a command line, with the input, and returns what it writes.
func (b bench) run(input, line string) (out, errors string, code int) {
	b.Helper()
	b.Setenv(dbVariable, b.db)
	var o, e bytes.Buffer
	code = run(b.Context(), strings.Fields(line), terminal{strings.NewReader(input), &o, &e})
	return o.String(), e.String(), code
}

// ok runs a command that must succeed.
func (b bench) ok(line string) string {
	b.Helper()
	out, errors, code := b.run("", line)
	if code != 0 {
		b.Fatalf("%s: exit code %d: %s", line, code, errors)
	}
	return strings.TrimSpace(out)
}

// status returns the status of a request with a key.
func (b bench) status(email, key string) (status int) {
	b.Helper()
	b.shop(func(sh *shop.Shop) {
		r := httptest.NewRequestWithContext(b.Context(), "GET", "/api/2.0/users", nil)
		r.SetBasicAuth(email, key)
		w := httptest.NewRecorder()
		sh.ServeHTTP(w, r)
		status = w.Code
	})
	return status
}

// A key that cannot be shown is not made: the user keeps the former key, or has none.
func TestKeys_OutputThatFails(t *testing.T) {
	b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
	b.shop(func(*shop.Shop) {})
	const ana = "ana@example.com"
	b.ok("users add -root " + ana)
	fails := func(line string) {
		t.Helper()
		var text bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), terminal{nil, fullDisk{}, &text}); code != exitFailed || !strings.Contains(text.String(), "no space") {
			t.Errorf("%s: exit code %d: %s", line, code, text.String())
		}
	}
	fails("keys create " + ana)
	key := b.ok("keys create " + ana)
	fails("keys rotate " + ana)
	if status := b.status(ana, key); status != http.StatusOK {
		t.Errorf("the old key is answered %d", status)
	}
}

// A command that a signal stops says so.
func TestRun_Interrupted(t *testing.T) {
	b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
	b.shop(func(*shop.Shop) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, text bytes.Buffer
	if code := run(ctx, []string{"users", "list", "-db", b.db}, terminal{nil, &out, &text}); code != exitFailed || !strings.HasPrefix(text.String(), "shopctl: interrupted: ") {
		t.Errorf("exit code %d: %s%s", code, out.String(), text.String())
	}
}

// A fullDisk is an output that cannot be written.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestKeys: a key is printed once, works, can be replaced and revoked.
func TestKeys(t *testing.T) {
	eachDatabase(t, func(b bench) {
		const ana = "ana@example.com"
		b.ok("users add -root " + ana)
		first := b.ok("keys create " + ana)
		if status := b.status(ana, first); status != http.StatusOK {
			b.Errorf("the new key is answered %d", status)
		}
		if out, text, code := b.run("", "keys create "+ana); code != 1 || out != "" || !strings.Contains(text, "keys rotate") {
			b.Errorf("a second key is made: %d %q %s", code, out, text)
		}
		second, text, code := b.run("", "keys rotate Ana@Example.com")
		if second = strings.TrimSpace(second); code != 0 || second == first || strings.Contains(text, second) {
			b.Errorf("rotating: %d, the key again or among the messages: %s", code, text)
		}
		for key, want := range map[string]int{first: 401, second: 200} {
			if status := b.status(ana, key); status != want {
				b.Errorf("after rotating a key is answered %d, want %d", status, want)
			}
		}
		b.ok("keys revoke " + ana)
		if status := b.status(ana, second); status != 401 {
			b.Errorf("a revoked key is answered %d", status)
		}
		if _, text, code := b.run("", "keys rotate "+ana); code != 1 || !strings.Contains(text, "keys create") {
			b.Errorf("rotating no key: %d %s", code, text)
		}
		if got := b.ok("users list"); strings.Contains(got, first) || strings.Contains(got, second) {
			b.Error("the list of users has a key")
		}
	})
}

// TestUsers: they are added with groups, listed, get a password, and are disabled.
func TestUsers(t *testing.T) {
	b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
	b.shop(func(sh *shop.Shop) {
		if _, err := sh.Users.Groups().Create(b.Context(), users.Group{
			Type: shopapi.Administrator, Status: users.Active, Name: "Clerks", Privileges: "view_users",
		}); err != nil {
			b.Fatal(err)
		}
	})
	const bo = "bo@example.com"
	if id := b.ok("users add -firstname Bo\x1b[31m -usergroups 3 " + bo); id != "1" {
		b.Errorf("the new user has the id %s", id)
	}
	if _, text, code := b.run("", "users add -usergroups 99 cy@example.com"); code != 1 || !strings.Contains(text, "99") {
		b.Errorf("a group that is none: %d %s", code, text)
	}
	want := "ID  TYPE  ROOT  STATUS  COMPANY  EMAIL           NAME\n1   A     N     A       1        bo@example.com  Bo\ufffd[31m"
	if got := b.ok("users list"); got != want {
		b.Errorf("the list is\n%s\nwant\n%s", got, want)
	}
	if status := b.status(bo, b.ok("keys create "+bo)); status != 200 {
		b.Errorf("a clerk is answered %d", status)
	}
	const password = "correct horse battery"
	if _, text, code := b.run(password+"\nmore\n", "users password "+bo); code != 0 || strings.Contains(text, "horse") {
		b.Errorf("users password: %d %s", code, text)
	}
	if out, text, code := b.run("short\n", "users password "+bo); code != 1 || strings.Contains(out+text, "short") {
		b.Errorf("a password that is too short: %d %s%s", code, out, text)
	}
	b.shop(func(sh *shop.Shop) {
		if _, err := sh.Users.CheckPassword(b.Context(), bo, password); err != nil {
			b.Errorf("the password: %v", err)
		}
	})
	for _, status := range []string{"D", "H"} {
		b.ok("users status " + bo + " " + status)
		if got := b.ok("users list -status A"); strings.Contains(got, bo) {
			b.Errorf("a user with the status %s is listed as active:\n%s", status, got)
		}
		if got := b.ok("users list -status " + status); !strings.Contains(got, bo) {
			b.Errorf("no user with the status %s is listed:\n%s", status, got)
		}
	}
}

// TestErase: without -yes nothing is erased; with it no personal data is left.
func TestErase(t *testing.T) {
	b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
	b.shop(func(*shop.Shop) {})
	b.ok("users add -root ana@example.com")
	b.ok("users add -type C -lastname Berg cy@example.com")
	if _, text, code := b.run("", "erase cy@example.com"); code != 1 || !strings.Contains(text, "-yes") || !strings.Contains(b.ok("users list"), "Berg") {
		b.Errorf("erase without -yes: %d %s", code, text)
	}
	b.ok("erase -yes cy@example.com")
	if got := b.ok("users list -type C"); strings.Contains(got, "Berg") || !strings.Contains(got, "erased-2@erased.invalid") {
		b.Errorf("after erasing:\n%s", got)
	}
}

// TestCheck: the exit code is 2 if rows contradict each other, and the output names
// them.
func TestCheck(t *testing.T) {
	eachDatabase(t, func(b bench) {
		if got := b.ok("check"); got != "" {
			b.Errorf("a new shop: %s", got)
		}
		b.shop(func(sh *shop.Shop) {
			links := users.Schemas()[2]
			err := sh.Store.Update(b.Context(), func(_ context.Context, tx store.Tx) error {
				_, err := tx.Insert(links, []store.Value{store.Int(1), store.Int(77), store.Int(1), store.String("A")})
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		})
		out, text, code := b.run("", "check")
		want := "usergroup_links 1: user_id is 77, and users has no such row\n"
		if code != exitPartly || out != want || !strings.Contains(text, "1 rows contradict others") {
			b.Errorf("check: exit code %d, %s%s", code, out, text)
		}
	})
}

// TestRefusals: wrong arguments are named without a secret, and change nothing.
func TestRefusals(t *testing.T) {
	b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
	b.shop(func(*shop.Shop) {})
	missing := filepath.Join(t.TempDir(), "missing.db")
	for _, c := range []struct {
		line string
		code int
		says string
	}{
		{"", exitUsage, "shopctl users add [flags] EMAIL"},
		{"users", exitUsage, "shopctl users list"},
		{"usres list", exitUsage, `"usres" is not a command`},
		{"users liste", exitUsage, "users must be followed by list or add or password or status"},
		{"changes", exitUsage, "changes must be followed by reset"},
		{"users add -usergroups 3,x x@example.com", exitUsage, "-usergroups: it must be ids joined by commas"},
		{"help nothing", exitUsage, "there is no command nothing"},
		{"users add", exitUsage, "users add [flags] EMAIL"},
		{"users add -unknown x@example.com", exitUsage, "shopctl help users add"},
		{"users add -root -type C x@example.com", exitUsage, "-root is for administrators"},
		{"users list extra", exitUsage, "the command must have flags only: shopctl users list [flags]\n"},
		{"users status x@example.com", exitUsage, "shopctl: STATUS is missing: shopctl users status [flags] EMAIL STATUS"},
		{"import", exitUsage, "ENTITY and FILE are missing: shopctl import [flags] ENTITY FILE"},
		{"keys create", exitUsage, "EMAIL is missing: shopctl keys create [flags] EMAIL"},
		{"users password x@example.com hunter2", exitUsage, "the only arguments after the flags must be EMAIL, and 2 were given"},
		{"export products -csv", exitUsage, "flags must come before the arguments: shopctl export [flags] ENTITY"},

		{"users list -edition mall", exitUsage, "-edition must be single, multi-storefront or multi-vendor"},
		{"users add -type X x@example.com", exitUsage, "-type must be A, V or C"},
		{"users list -type X", exitUsage, "-type must be A, V or C"},
		{"users list -status X", exitUsage, "-status must be A, D or H"},
		{"users status nobody@example.com X", exitUsage, "STATUS must be A, D or H"},
		{"changed users", exitUsage, "changed is for PostgreSQL"},
		{"users add nobody", 1, "email"},
		{"keys create nobody@example.com", 1, "There is no user with the e-mail address"},
		{"users list -db " + missing, 1, "missing.db"},
		{"users list -db postgres://u:hunter2@127.0.0.1:1/none?connect_timeout=1", 1, "shopctl:"},
		{"users list -db postgres://u:hunter2@127.0.0.1:none/x", 1, "shopctl:"},
		{"users list -db mysql://u:hunter2@127.0.0.1/x", exitUsage, "must be an SQLite file, or a URL that begins with postgres://"},
		{"copy -to Postgres://u:hunter2@127.0.0.1/x", exitUsage, "must be an SQLite file, or a URL"},
		{"backup -db pg://u:hunter2@127.0.0.1/x " + missing, exitUsage, "must be an SQLite file, or a URL"},
		{"copy", exitUsage, "-to"},
		{"copy -to " + b.db, exitUsage, "-db and -to must name two databases"},
		{"copy -batch 0 -to " + missing, exitUsage, "-batch must be 1 or more"},
		{"copy -db postgres://u:hunter2@127.0.0.1/x -to postgres://v@127.0.0.1:5432/x?sslmode=disable", exitUsage, "two databases"},
		{"copy -db " + missing + " -to " + missing + "2", 1, "missing.db"},
	} {
		out, text, code := b.run("", c.line)
		if code != c.code || !strings.Contains(text, c.says) || out != "" || strings.Contains(text, "hunter2") {
			t.Errorf("%q: exit code %d, want %d; it says %s%s, want %q", c.line, code, c.code, out, text, c.says)
		}
	}
	for _, file := range []string{missing, missing + "2"} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s was made", file)
		}
	}
	t.Setenv(dbVariable, "")
	var text bytes.Buffer
	if code := run(t.Context(), []string{"users", "list"}, terminal{nil, &text, &text}); code != exitUsage || !strings.Contains(text.String(), "$SHOPAPI_DB") {
		t.Errorf("without a database: %d %s", code, &text)
	}
}

// With -json each object is one line.
func TestJSON_OneLineForEachObject(t *testing.T) {
	t.Parallel()
	db := newShop(t, shopRows)
	for _, command := range []string{"users add -root -db %s ana@example.com", "users list -json -db %s"} {
		var out, said bytes.Buffer
		args := strings.Fields(fmt.Sprintf(command, db))
		if code := run(t.Context(), args, terminal{strings.NewReader(""), &out, &said}); code != 0 {
			t.Fatalf("%s: %d %s", command, code, &said)
		}
		if !strings.Contains(command, "-json") {
			continue
		}
		var user map[string]any
		if err := json.Unmarshal(out.Bytes(), &user); err != nil || user["email"] != "ana@example.com" {
			t.Errorf("%s prints %s", command, &out)
		}
		if _, has := user["billing"]; has {
			t.Errorf("%s prints the column of the address: %s", command, &out)
		}
	}
}

// A full is an output on a full disk.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// A command fails if its results cannot be written.
func TestOutput_CannotBeWritten(t *testing.T) {
	b := newBench(t)
	b.shop(func(sh *shop.Shop) { b.add(sh, "someone@example.org") })
	to := filepath.Join(t.TempDir(), "copy.db")
	for _, line := range []string{"users list", "users list -json", "users add other@example.org", "copy -json -to " + to, "copy -to " + to} {
		b.Setenv(dbVariable, b.db)
		var e bytes.Buffer
		code := run(b.Context(), strings.Fields(line), terminal{strings.NewReader(""), full{}, &e})
		if code != exitFailed || !strings.Contains(e.String(), errFull.Error()) {
			t.Errorf("%s: %d %s", line, code, e.String())
		}
	}
}
