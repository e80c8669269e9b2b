package peer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storecopy"
)

// template is the database with the rows, which each peer gets a copy of.
const template = "rows"

// LaunchPostgreSQL starts a PostgreSQL server that loses no commit, and fills a database
// with the rows of a SQLite file.
func LaunchPostgreSQL(ctx context.Context, source string) (dsn string, stop func(), err error) {
	dsn, stop, err = pgtest.Launch(pgtest.Options{Settings: []string{
		"fsync=on", "full_page_writes=on", "shared_buffers=256MB", "max_wal_size=2GB", "wal_level=replica",
	}})
	if err != nil {
		return "", nil, err
	}
	if err = fillTemplate(ctx, dsn, source); err != nil {
		stop()
		return "", nil, err
	}
	return dsn, stop, nil
}

func fillTemplate(ctx context.Context, dsn, source string) (err error) {
	if err := execPostgreSQL(ctx, dsn, "CREATE DATABASE "+template); err != nil {
		return err
	}
	from, err := sqlite.Open(ctx, source, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := postgres.Open(ctx, database(dsn, template))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if _, err := storecopy.Copy(ctx, to, from, shop.Schemas(), nil); err != nil {
		return err
	}
	return execPostgreSQL(ctx, database(dsn, template), "VACUUM ANALYZE")
}

// CopyPostgreSQL makes the database of a peer, and returns its DSN. A hand-written handler
// has no triggers there.
func CopyPostgreSQL(ctx context.Context, dsn, name string) (string, error) {
	own := strings.ReplaceAll(name, "-", "_")
	if err := execPostgreSQL(ctx, dsn, "CREATE DATABASE "+own+" TEMPLATE "+template); err != nil {
		return "", err
	}
	own = database(dsn, own)
	if name == ShopPostgres {
		return own, nil
	}
	return own, execPostgreSQL(ctx, own, "DROP FUNCTION IF EXISTS shopapi_note_change CASCADE")
}

// database is the DSN of another database of the server.
func database(dsn, name string) string { return strings.Replace(dsn, "/postgres?", "/"+name+"?", 1) }

func execPostgreSQL(ctx context.Context, dsn, sql string) (err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// connections is how many connections each peer over PostgreSQL has.
const connections = "&pool_max_conns=16"

// openShopPostgres opens the library's server over PostgreSQL.
func openShopPostgres(ctx context.Context, c Config) (*server, error) {
	st, err := postgres.Open(ctx, c.Database+connections)
	if err != nil {
		return nil, err
	}
	sh, err := newShop(ctx, st, c.CacheBytes)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return &server{sh, basic(), st.Close}, nil
}
