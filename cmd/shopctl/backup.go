package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/store/sqlite"
)

// backup writes a consistent copy of an SQLite file, which a shop may be using.
func backup(flags *flag.FlagSet) action {
	db := dbFlag(flags)
	return func(ctx context.Context, t terminal, args []string) (err error) {
		source, err := openFile(ctx, *db, "back up a PostgreSQL database by pg_dump")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, source.Close()) }()
		if _, err := os.Lstat(args[0]); err == nil {
			return fmt.Errorf("%s exists already: name a new file", args[0])
		}
		part, err := os.CreateTemp(filepath.Dir(args[0]), filepath.Base(args[0])+".part*") // only the owner may read it
		if err != nil {
			return err
		}
		defer removeDatabase(part.Name())
		if err := part.Close(); err != nil {
			return err
		}
		if err := vacuumInto(ctx, t, source, part.Name()); err != nil {
			return err
		}
		if err := syncFile(part.Name()); err != nil {
			return err
		}
		if err := os.Link(part.Name(), args[0]); err != nil { // never over another file
			return err
		}
		return syncFile(filepath.Dir(args[0]))
	}
}

// vacuumInto copies a database into an empty file, with progress.
func vacuumInto(ctx context.Context, t terminal, source *sqlite.Store, into string) error {
	var pages, size int64
	row := source.DB().QueryRowContext(ctx, "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size")
	if err := row.Scan(&pages, &size); err != nil {
		return err
	}
	p := newProgress(t.err)
	defer p.end()
	done := make(chan error, 1)
	go func() {
		_, err := source.DB().ExecContext(ctx, "VACUUM INTO ?", into)
		done <- err
	}()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
			if info, err := os.Stat(into); err == nil {
				p.show("MiB copied", info.Size()>>20, pages*size>>20)
			}
		}
	}
}

// restore puts a backup in the place of an SQLite file that no process uses. The database
// that was there stays beside it.
func restore(flags *flag.FlagSet) action {
	db := dbFlag(flags)
	return func(ctx context.Context, t terminal, args []string) error {
		path, err := filePath(*db, "restore a PostgreSQL database by pg_restore, and then run shopctl changes reset")
		if err != nil {
			return err
		}
		fresh, err := prepareRestore(ctx, args[0], path)
		if err != nil {
			return err
		}
		defer removeDatabase(fresh)
		before, err := replaceDatabase(path, fresh)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.err, "%s is the backup now. Keys, passwords and rights that were revoked since it was made are valid again.\n", path)
		if before != "" {
			fmt.Fprintf(t.err, "The database that was there is %s: remove it when the shop works.\n", before)
		}
		return nil
	}
}

// prepareRestore copies a backup beside the database that it is to become, and begins a new
// log of changes in it: readers of the old log read everything again.
func prepareRestore(ctx context.Context, backup, path string) (_ string, err error) {
	if err := isDatabase(backup); err != nil {
		return "", err
	}
	if _, err := os.Stat(backup + "-wal"); err == nil {
		return "", fmt.Errorf("%[1]s-wal is there: %[1]s is a database in use, or a part of one. shopctl backup makes a backup of it", backup)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".restore*")
	if err != nil {
		return "", err
	}
	fresh := file.Name()
	defer func() {
		if err != nil {
			removeDatabase(fresh)
		}
	}()
	from, err := os.Open(backup)
	if err != nil {
		return "", errors.Join(err, file.Close())
	}
	_, err = io.Copy(file, from)
	if err = errors.Join(err, from.Close(), file.Close()); err != nil {
		return "", err
	}
	st, err := sqlite.Open(ctx, fresh, nil)
	if err != nil {
		return "", err
	}
	var sound string
	err = st.DB().QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&sound)
	if err == nil && sound != "ok" {
		err = fmt.Errorf("%s is damaged: %s", backup, sound)
	}
	if err == nil {
		err = changes.Reset(ctx, st)
	}
	if err = errors.Join(err, st.Close()); err != nil {
		return "", err
	}
	if info, err := os.Stat(fresh + "-wal"); err == nil && info.Size() > 0 {
		return "", fmt.Errorf("%s-wal could not be written back", fresh)
	}
	return fresh, syncFile(fresh)
}

// isDatabase returns an error unless a file begins like an SQLite database.
func isDatabase(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(file, head); err != nil || string(head) != magic {
		return fmt.Errorf("%s is no SQLite database", name)
	}
	return nil
}

// replaceDatabase moves a database to another path, and moves the database at that path aside.
// It returns the new path of the old database, "" where the path was free.
func replaceDatabase(path, fresh string) (before string, err error) {
	old, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := refuseLeftovers(path); err != nil {
			return "", err
		}
		return "", errors.Join(os.Rename(fresh, path), syncFile(filepath.Dir(path)))
	case err != nil:
		return "", err
	}
	defer old.Close() // with the lock
	if err := lockDatabase(old); err != nil {
		return "", fmt.Errorf("%s is in use: stop the shop and every other program that has it open (%w)", path, err)
	}
	before = freeName(path + ".before-" + time.Now().UTC().Format("20060102T150405"))
	if err := os.Rename(path, before); err != nil {
		return "", err
	}
	for _, suffix := range changeFiles {
		if moved := os.Rename(path+suffix, before+suffix); moved != nil && !errors.Is(moved, os.ErrNotExist) {
			err = errors.Join(err, moved)
		}
	}
	if gone := os.Remove(path + "-shm"); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	return before, errors.Join(err, syncFile(filepath.Dir(path)))
}

// changeFiles are the endings of the files in which SQLite keeps changes beside a database. It applies
// them to any database that it opens at that path.
var changeFiles = []string{"-wal", "-journal"}

// refuseLeftovers returns an error if changes of a database that was moved away or removed are
// still at its path: SQLite would apply them to the backup.
func refuseLeftovers(path string) error {
	for _, suffix := range changeFiles {
		if info, err := os.Stat(path + suffix); err == nil && info.Size() > 0 {
			return fmt.Errorf("%[1]s%[2]s is there without %[1]s: it has the newest changes of the database that was there. "+
				"Move it beside that database, under its name and %[2]s, or remove it", path, suffix)
		}
	}
	return nil
}

// freeName returns a name that no database has: the given one, or with a number after it.
func freeName(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); errors.Is(err, os.ErrNotExist) {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// resetChanges begins a new log of changes.
func resetChanges(flags *flag.FlagSet) action {
	db := dbFlag(flags)
	return func(ctx context.Context, _ terminal, _ []string) error {
		st, err := openDB(ctx, *db)
		if err != nil {
			return err
		}
		return errors.Join(changes.Reset(ctx, st), st.Close())
	}
}

// removeDatabase removes an SQLite file and those beside it.
func removeDatabase(name string) {
	for _, suffix := range append([]string{"", "-shm"}, changeFiles...) {
		_ = os.Remove(name + suffix) // it may be gone
	}
}

// syncFile has the system write a file or directory to the disk.
func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// filePath is the SQLite file that the flag or the environment names. instead is what to do
// with another database.
func filePath(name, instead string) (string, error) {
	name, err := nameOf(name)
	if err == nil && isURL(name) {
		err = usagef("%s", instead)
	}
	return name, err
}

// openFile opens the SQLite file that the flag or the environment names. It must exist.
func openFile(ctx context.Context, name, instead string) (*sqlite.Store, error) {
	path, err := filePath(name, instead)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, path, nil)
}
