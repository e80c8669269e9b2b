package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

// newBench returns a bench with an SQLite file.
func newBench(t *testing.T) bench {
	b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
	b.shop(func(*shop.Shop) {})
	return b
}

// emails returns the e-mail addresses of the users of a database.
func (b bench) emails() (list []string) {
	b.Helper()
	b.shop(func(sh *shop.Shop) {
		for u, err := range sh.Users.All(b.Context(), users.Filter{}) {
			if err != nil {
				b.Fatal(err)
			}
			list = append(list, u.Email)
		}
	})
	return list
}

func (b bench) add(sh *shop.Shop, email string) {
	b.Helper()
	if _, err := sh.Users.Create(b.Context(), users.User{Summary: users.Summary{Email: email, UserType: "C", CompanyID: 1}}, ""); err != nil {
		b.Error(err)
	}
}

// A backup of a shop that changes meanwhile is consistent, and never overwrites a file.
func TestBackup_OfRunningShop(t *testing.T) {
	b := newBench(t)
	copied := filepath.Join(t.TempDir(), "backup.db")
	b.shop(func(sh *shop.Shop) {
		b.add(sh, "before@example.org")
		stop, stopped := make(chan bool), make(chan bool)
		go func() {
			defer close(stopped)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					b.add(sh, fmt.Sprintf("user%d@example.org", i))
				}
			}
		}()
		if _, errors, code := b.run("", "backup "+copied); code != 0 {
			t.Errorf("%d %s", code, errors)
		}
		close(stop)
		<-stopped
	})
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if _, errors, code := b.run("", "backup "+copied); code != 1 || !strings.Contains(errors, "exists already") {
		t.Errorf("over a file: %d %s", code, errors)
	}
	of := bench{t, copied}
	if list := of.emails(); len(list) == 0 || list[0] != "before@example.org" {
		t.Errorf("the backup has the users %v", list)
	}
	if out, errors, code := of.run("", "check"); code != 0 {
		t.Errorf("check: %d %s%s", code, out, errors)
	}
	if left, err := filepath.Glob(copied + ".part*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// E4: a restored database has a new log of changes. The old database stays beside it.
func TestE4_RestoreBeginsANewLog(t *testing.T) {
	b := newBench(t)
	var position string
	b.shop(func(sh *shop.Shop) {
		log, err := changes.Open(t.Context(), sh.API, sh.Store, changes.Options{Mode: changes.On})
		if err != nil {
			t.Fatal(err)
		}
		b.add(sh, "kept@example.org")
		if position, err = log.Position(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	copied := filepath.Join(t.TempDir(), "backup.db")
	if _, errors, code := b.run("", "backup "+copied); code != 0 {
		t.Fatal(code, errors)
	}
	b.shop(func(sh *shop.Shop) { b.add(sh, "lost@example.org") })
	_, errors, code := b.run("", "restore "+copied)
	if code != 0 || !strings.Contains(errors, "revoked") {
		t.Fatal(code, errors)
	}
	if list := b.emails(); len(list) != 1 || list[0] != "kept@example.org" {
		t.Errorf("the users are %v", list)
	}
	b.shop(func(sh *shop.Shop) {
		now, err := sh.Changes.Position(t.Context())
		name, _, _ := strings.Cut(position, ".")
		if err != nil || strings.HasPrefix(now, name+".") {
			t.Errorf("the log is at %s, was at %s: %v", now, position, err)
		}
	})
	before, err := filepath.Glob(b.db + ".before-*")
	if err != nil || len(before) != 1 {
		t.Fatal(before, err)
	}
	if list := (bench{t, before[0]}).emails(); len(list) != 2 {
		t.Errorf("the database that was there has the users %v", list)
	}
}

// restore refuses a database in use and files that are not databases, and changes nothing.
func TestRestore_Refuses(t *testing.T) {
	b := newBench(t)
	copied := filepath.Join(t.TempDir(), "backup.db")
	if _, errors, code := b.run("", "backup "+copied); code != 0 {
		t.Fatal(code, errors)
	}
	b.shop(func(sh *shop.Shop) { b.add(sh, "kept@example.org") })
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(damaged) && i < 3*4096; i++ {
		damaged[i] = 'x'
	}
	broken := filepath.Join(t.TempDir(), "broken.db")
	if err := os.WriteFile(broken, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	for file, says := range map[string]string{text: "no SQLite database", broken: "", text + "x": "no such file"} {
		if _, errors, code := b.run("", "restore "+file); code != 1 || !strings.Contains(errors, says) {
			t.Errorf("%s: %d %s", file, code, errors)
		}
	}
	end := b.hold()
	if _, errors, code := b.run("", "restore "+copied); code != 1 || !strings.Contains(errors, "is in use") {
		t.Errorf("a running shop: %d %s", code, errors)
	}
	end()
	if list := b.emails(); len(list) != 1 {
		t.Errorf("the users are %v", list)
	}
	if left, err := filepath.Glob(b.db + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if _, errors, code := (bench{t, "postgres://localhost/shop"}).run("", "backup "+copied+"2"); code != exitUsage || !strings.Contains(errors, "pg_dump") {
		t.Errorf("PostgreSQL: %d %s", code, errors)
	}
}

const holdVariable = "SHOPCTL_TEST_HOLD"

// hold has another process open the shop, until end is called.
func (b bench) hold() (end func()) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestHold$")
	cmd.Env = append(os.Environ(), holdVariable+"="+b.db)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "open\n" {
		b.Fatal(line, err)
	}
	return func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	}
}

// TestHold is the other process of hold.
func TestHold(t *testing.T) {
	db := os.Getenv(holdVariable)
	if db == "" {
		return // not started as the other process
	}
	b := bench{t, db}
	b.shop(func(*shop.Shop) {
		fmt.Println("open")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	})
}

// Two restores within a second keep both databases that were there.
func TestRestore_KeepsEveryDatabase(t *testing.T) {
	b := newBench(t)
	copied := filepath.Join(t.TempDir(), "backup.db")
	b.ok("backup " + copied)
	b.shop(func(sh *shop.Shop) { b.add(sh, "kept@example.org") })
	const times = 3
	for range times {
		b.ok("restore " + copied)
	}
	before, err := filepath.Glob(b.db + ".before-*")
	if err != nil || len(before) != times {
		t.Fatalf("after %d restores, the databases that were there are %v %v", times, before, err)
	}
	had := 0
	for _, db := range before {
		had += len((bench{t, db}).emails())
	}
	if had != 1 {
		t.Errorf("they have %d users together, want the one that was there", had)
	}
}

// The changes of a database that was moved away are not applied to the backup: restore refuses.
func TestRestore_RefusesLeftChanges(t *testing.T) {
	for _, suffix := range []string{"-wal", "-journal"} {
		b := newBench(t)
		copied := filepath.Join(t.TempDir(), "backup.db")
		b.ok("backup " + copied)
		if err := os.Rename(b.db, b.db+".broken"); err != nil {
			t.Fatal(err)
		}
		left := b.db + suffix
		if err := os.WriteFile(left, []byte("changes"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, errors, code := b.run("", "restore "+copied); code != 1 || !strings.Contains(errors, left+" is there without "+b.db) {
			t.Errorf("%s: %d %s", suffix, code, errors)
		}
		if _, err := os.Stat(b.db); !os.IsNotExist(err) {
			t.Errorf("%s: there is a database: %v", suffix, err)
		}
		if err := os.Remove(left); err != nil {
			t.Fatal(err)
		}
		b.ok("restore " + copied)
	}
}

// A database that is removed leaves none of the files that SQLite makes beside it: a copy that the disk
// has no room for has a journal.
func TestRemoveDatabase(t *testing.T) {
	db := filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.WriteFile(db+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	removeDatabase(db)
	if left, err := filepath.Glob(db + "*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
