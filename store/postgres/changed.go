package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// changedSQL gives a table that has a version a new one.
const changedSQL = `INSERT INTO ` + versionsTable + ` ("table", number) SELECT $1, ` + randomSQL + `
	WHERE EXISTS (SELECT FROM ` + versionsTable + ` WHERE "table" = $1)`

// Changed makes what any process has cached of a table invalid. It is for changes that fire no
// trigger: ALTER TABLE that rewrites rows, and changes while the triggers were disabled. The
// table must have been given to [Store.Migrate].
func (s *Store) Changed(ctx context.Context, table string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	var tag pgconn.CommandTag
	err := s.aside(ctx, func(c *conn) { c.send(changedSQL, [][]byte{[]byte(table)}, request{tag: &tag}) })
	switch {
	case code(err) == "42P01": // the versions were never made
	case err != nil:
		return translate(ctx, err)
	case tag.RowsAffected() > 0:
		return nil
	}
	return fmt.Errorf("postgres: nothing is cached of a table %q: Migrate has made no triggers for it", table)
}
