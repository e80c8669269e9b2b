package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
)

// makeSchema makes the schema of the episode.
func (e *episode) makeSchema(ctx context.Context) error {
	e.path = e.inSchema(e.dsn)
	if err := e.pgRun(ctx, "CREATE SCHEMA "+e.schema()); err != nil {
		return err
	}
	// Outside of the schemas that episodes come and go with. A role without the right does
	// without it.
	_ = e.pgRun(ctx, "CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public")
	return nil
}

func (e *episode) dropSchema() error {
	return e.pgRun(context.Background(), "DROP SCHEMA "+e.schema()+" CASCADE")
}

func (e *episode) schema() string { return fmt.Sprintf("shopdiff_%d_%d", os.Getpid(), e.seed) }

// pgRun runs statements on a connection of another program, which ends after them.
func (e *episode) pgRun(ctx context.Context, statements ...string) (err error) {
	conn, err := pgx.Connect(ctx, e.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// pgStatement is [episode.statement] with the parameters of PostgreSQL.
func (e *episode) pgStatement() (text string, arguments []any) {
	text, arguments = e.statement()
	for n := range arguments {
		text = strings.Replace(text, "?", fmt.Sprint("$", n+1), 1)
	}
	return text, arguments
}

// pgInside is [episode.hostInside].
func (e *episode) pgInside(ctx context.Context) error {
	refuse, more := e.random.IntN(4) == 0, e.random.IntN(2) == 0
	text, arguments := e.pgStatement()
	err := e.caching.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		own, err := postgres.TxOf(tx)
		if err != nil {
			return err
		}
		if _, err := own.Exec(ctx, text, arguments...); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		if more {
			if err := e.changeByGo(ctx, e.caching); err != nil {
				return err
			}
		}
		if refuse {
			return errRefused
		}
		return nil
	})
	return expected(err)
}

// pgBeside runs SQL in a transaction of another program: with a savepoint that is rolled
// back, prepared, with the triggers of a replica, or TRUNCATE.
func (e *episode) pgBeside(ctx context.Context) (err error) {
	conn, err := pgx.Connect(ctx, e.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	id := fmt.Sprintf("%s_%d", e.schema(), e.figures.comparisons)
	begin, end := "BEGIN", []string{"COMMIT"}
	switch e.random.IntN(6) {
	case 0:
		end = []string{"ROLLBACK"}
	case 1:
		end = []string{"PREPARE TRANSACTION '" + id + "'", "COMMIT PREPARED '" + id + "'"}
	case 2:
		begin = "SET session_replication_role = replica; BEGIN"
	case 3:
		begin = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	}
	do := func(sql string, arguments ...any) {
		if err == nil {
			if _, err = conn.Exec(ctx, sql, arguments...); err != nil {
				err = fmt.Errorf("%s: %w", sql, err)
			}
		}
	}
	do(begin)
	for _, savepoint := range []bool{e.random.IntN(2) == 0, false} {
		if savepoint {
			do("SAVEPOINT host")
		}
		text, arguments := e.pgStatement()
		do(text, arguments...)
		if savepoint {
			do("ROLLBACK TO host")
		}
	}
	if e.random.IntN(20) == 0 {
		do("TRUNCATE discussions")
	}
	for _, sql := range end {
		do(sql)
	}
	return err
}

// pgTrigger adds a trigger of the host, or drops it: a change of a category changes a
// product.
func (e *episode) pgTrigger(ctx context.Context) error {
	const drop = "DROP TRIGGER IF EXISTS host ON categories"
	if e.random.IntN(2) == 0 {
		return e.pgRun(ctx, drop)
	}
	return e.pgRun(ctx, `CREATE OR REPLACE FUNCTION host() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN UPDATE products SET amount = amount + 1; RETURN NULL; END'`, drop,
		"CREATE TRIGGER host AFTER UPDATE ON categories FOR EACH ROW EXECUTE FUNCTION host()")
}

// pgMaintain does what leaves the rows as they are.
func (e *episode) pgMaintain(ctx context.Context) error {
	return e.pgRun(ctx, pick(e, "VACUUM products", "ANALYZE orders", "CHECKPOINT", "VACUUM FULL products", "REINDEX TABLE categories"))
}
