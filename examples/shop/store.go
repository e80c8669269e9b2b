package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
)

// openStore opens the store of the flags -db and -replica.
func openStore(ctx context.Context, db string, replicas []string, logger *slog.Logger) (store.Store, error) {
	switch {
	case db == "memory":
		return memory.New(), nil
	case isPostgres(db):
		return postgres.OpenWith(ctx, db, postgres.Options{Replicas: replicas})
	}
	if err := createPrivate(db); err != nil {
		return nil, err
	}
	warnIfReadable(logger, db)
	return sqlite.Open(ctx, db, nil)
}

func isPostgres(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// createPrivate creates an empty file for SQLite that only its owner can read and write.
// The engine gives the same mode to the -wal and -shm files. An existing file keeps its
// mode.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// warnIfReadable logs that other users of the machine can read a file with secrets.
func warnIfReadable(logger *slog.Logger, path string) {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" { // on systems without modes
		return
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		logger.Warn("other users of this machine can read or write the file; chmod 600 ends that",
			"file", path, "mode", mode.String())
	}
}
