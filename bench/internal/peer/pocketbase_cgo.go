//go:build cgo_sqlite

package peer

import (
	"database/sql"
	"slices"

	"github.com/mattn/go-sqlite3"
	"github.com/pocketbase/dbx"
)

// cgoDriver is the driver of PocketBase over SQLite in C: its pragmas, but synchronous=FULL.
const cgoDriver = "pocketbase_cgo"

func init() {
	sql.Register(cgoDriver, &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		_, err := conn.Exec(`
			PRAGMA busy_timeout = 10000;
			PRAGMA journal_mode = WAL;
			PRAGMA journal_size_limit = 200000000;
			PRAGMA synchronous = FULL;
			PRAGMA foreign_keys = ON;
			PRAGMA temp_store = MEMORY;
			PRAGMA cache_size = -32000;
		`, nil)
		return err
	}})
	dbx.BuilderFuncMap[cgoDriver] = dbx.BuilderFuncMap["sqlite3"]
	connectCgo = func(file string) (*dbx.DB, error) { return dbx.Open(cgoDriver, file) }
	Names = slices.Insert(Names, slices.Index(Names, PocketBase)+1, PocketBaseCgo)
}
