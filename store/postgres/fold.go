package postgres

import (
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// foldBatch is how many rows are written in one round trip.
const foldBatch = 500

// addFold adds the folded form of an existing column, and fills it. The new column is
// null in rows that are not filled yet: a process that meets another one, or continues an
// interrupted one, sees the remaining rows.
func (m *migration) addFold(s *store.Schema, c *store.Column, there bool) error {
	table, folded := quote(s.Name), quote(c.Name+sqltext.FoldSuffix)
	if !there {
		if err := m.exec("ALTER TABLE " + table + " ADD COLUMN IF NOT EXISTS " + folded + " " + m.dialect.Text); err != nil {
			return err
		}
	}
	if err := m.fill(s, c); err != nil || c.Null {
		return err
	}
	// Older programs write rows without it.
	if err := m.exec("ALTER TABLE " + table + " ALTER COLUMN " + folded + " SET DEFAULT ''"); err != nil {
		return err
	}
	if err := m.fill(s, c); err != nil { // rows of older programs from before the default
		return err
	}
	return m.exec("ALTER TABLE " + table + " ALTER COLUMN " + folded + " SET NOT NULL")
}

// fill writes the folded form of a column into the rows that lack it.
func (m *migration) fill(s *store.Schema, c *store.Column) error {
	table, key, column, folded := quote(s.Name), quote(s.Key()), quote(c.Name), quote(c.Name+sqltext.FoldSuffix)
	missing := fmt.Sprintf("%s IS NULL AND %s IS NOT NULL", folded, column)
	read := fmt.Sprintf("SELECT %s, %s FROM %s WHERE %s >= $1 AND %s ORDER BY %s LIMIT %d", key, column, table, key, missing, key, foldBatch)
	// A transaction that changed the text meanwhile has written the new form.
	write := fmt.Sprintf(`UPDATE %s AS t SET %s = new.folded
		FROM unnest($1::bigint[], $2::text[], $3::text[]) AS new (key, text, folded)
		WHERE t.%s = new.key AND t.%s = new.text AND t.%s IS NULL`, table, folded, key, column, folded)
	for from := int64(math.MinInt64); ; {
		rows, err := m.query(read, from)
		if err != nil {
			return err
		}
		var keys []int64
		var texts, forms []string
		var last int64
		var text string
		_, err = pgx.ForEachRow(rows, []any{&last, &text}, func() error {
			keys, texts, forms = append(keys, last), append(texts, text), append(forms, store.Fold(text))
			return nil
		})
		if err == nil && len(keys) > 0 {
			_, err = m.conn.Exec(m.ctx, write, pgx.QueryExecModeExec, keys, texts, forms)
		}
		if isConflict(err) {
			continue
		}
		if err != nil || len(keys) < foldBatch || last == math.MaxInt64 {
			return err
		}
		from = last + 1
	}
}
