package resource_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

type stock struct {
	StockID int64  `json:"stock_id" store:"key"`
	Code    string `json:"code"`
}

var stocks = store.MustTable[stock]("stocks", store.Index{Columns: []string{"code"}})

// explaining is a Tx that keeps the plan of its last query.
type explaining struct {
	store.Tx
	explain func(query *store.Query) (string, error)
	plan    string
}

func (t *explaining) Select(p *store.Projection, q *store.Query, each func([]store.Value) error) (err error) {
	if t.plan, err = t.explain(q); err != nil {
		return err
	}
	return t.Tx.Select(p, q, each)
}

// Rows are found by the index of their codes, also where the database has not looked at the
// table yet and takes every code for a common one.
func TestFindCodes_ByTheIndex(t *testing.T) {
	for name, c := range map[string]struct {
		open    func(*testing.T) (store.Store, error)
		explain func(ctx context.Context, tx store.Tx, q *store.Query) (string, error)
		index   string
	}{
		"sqlite":   {openSQLite, explainSQLite, "USING COVERING INDEX stocks.code.index (code=?)"},
		"postgres": {openPostgreSQL, explainPostgreSQL, `"stocks.code.index"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, err := c.open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			if err := st.Migrate(t.Context(), stocks.Schema()); err != nil {
				t.Fatal(err)
			}
			list := make([]stock, 20_000)
			codes := make([]string, 1000)
			for i := range list {
				list[i].Code = fmt.Sprintf("CUP-%d", i)
			}
			for i := range codes {
				codes[i] = list[19*i].Code
			}
			if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				return stocks.InsertAll(tx, list)
			}); err != nil {
				t.Fatal(err)
			}
			if err := st.View(t.Context(), func(ctx context.Context, tx store.Tx) error {
				e := &explaining{Tx: tx, explain: func(q *store.Query) (string, error) { return c.explain(ctx, tx, q) }}
				found, err := resource.FindCodes(e, stocks, "code", codes)
				if len(found) != len(codes) || !strings.Contains(e.plan, c.index) {
					t.Errorf("found %d codes by\n%s", len(found), e.plan)
				}
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

func openSQLite(t *testing.T) (store.Store, error) {
	return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
}

func openPostgreSQL(t *testing.T) (store.Store, error) {
	return postgres.Open(t.Context(), pgtest.DSN(t))
}

// queryText is the text of a query with its arguments. list turns the codes into one argument.
func queryText(d *sqltext.Dialect, q *store.Query, list func([]string) any) (string, []any, error) {
	b := sqltext.Builder{Dialect: d}
	if err := b.Query(stocks.Schema(), q); err != nil {
		return "", nil, err
	}
	args := make([]any, len(b.Args))
	for i, a := range b.Args {
		if a.List == nil {
			args[i] = a.Value.Int()
			continue
		}
		texts := make([]string, len(a.List))
		for j, v := range a.List {
			texts[j] = v.Text()
		}
		args[i] = list(texts)
	}
	return "SELECT stock_id, code FROM stocks" + string(b.Text), args, nil
}

func explainSQLite(ctx context.Context, tx store.Tx, q *store.Query) (string, error) {
	text, args, err := queryText(&sqltext.SQLite, q, func(texts []string) any { return `["` + strings.Join(texts, `","`) + `"]` })
	if err != nil {
		return "", err
	}
	conn, err := sqlite.ConnOf(tx)
	if err != nil {
		return "", err
	}
	rows, err := conn.QueryContext(ctx, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var plan, step string
	for rows.Next() {
		var skipped sql.RawBytes
		if err := rows.Scan(&skipped, &skipped, &skipped, &step); err != nil {
			return "", err
		}
		plan += step + "\n"
	}
	return plan, rows.Err()
}

func explainPostgreSQL(ctx context.Context, tx store.Tx, q *store.Query) (string, error) {
	text, args, err := queryText(&sqltext.PostgreSQL, q, func(texts []string) any { return texts })
	if err != nil {
		return "", err
	}
	conn, err := postgres.TxOf(tx)
	if err != nil {
		return "", err
	}
	rows, err := conn.Query(ctx, "EXPLAIN "+text, args...)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(lines, "\n"), err
}
