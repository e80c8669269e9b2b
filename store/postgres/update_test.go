package postgres_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
)

// An Update of a row that was read writes the columns that change, unless the row may have changed
// since: a column that it writes fires triggers for that column.
func TestUpdate_WritesWhatChanges(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(tx store.Tx) error // before the row is changed
		want  string                  // columns that the statement names
	}{
		{"read before", func(tx store.Tx) error { _, err := jars.Get(tx, 1); return err }, "size"},
		{"not read", func(store.Tx) error { return nil }, "color size"},
		{"read before another change", func(tx store.Tx) error {
			if _, err := jars.Get(tx, 1); err != nil {
				return err
			}
			return jars.Update(tx, &jar{JarID: 2, Color: "blue", Size: 5})
		}, "color size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, pool := openJars(t)
			_, err := pool.Exec(t.Context(), `CREATE TABLE named (jar bigint, columns text);
				CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO named VALUES (NEW.jar_id, TG_ARGV[0]); RETURN NEW; END $$;
				CREATE TRIGGER a BEFORE UPDATE OF color ON jars FOR EACH ROW EXECUTE FUNCTION note('color');
				CREATE TRIGGER b BEFORE UPDATE OF size ON jars FOR EACH ROW EXECUTE FUNCTION note('size')`)
			if err != nil {
				t.Fatal(err)
			}
			inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
				if err := c.begin(tx); err != nil {
					return err
				}
				return jars.Update(tx, &jar{JarID: 1, Color: "red", Size: 7})
			})
			var named string
			err = pool.QueryRow(t.Context(), "SELECT string_agg(columns, ' ' ORDER BY columns) FROM named WHERE jar = 1").Scan(&named)
			if diff := cmp.Diff(c.want, named); diff != "" || err != nil {
				t.Errorf("columns of the statement (-want, +got): %v\n%s", err, diff)
			}
			inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
				got, err := jars.Get(tx, 1)
				if diff := cmp.Diff(jar{1, "red", 7}, got); diff != "" {
					t.Errorf("the row (-want, +got):\n%s", diff)
				}
				return err
			})
		})
	}
}
