package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	_ "modernc.org/sqlite" // of another program of the host

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// errRefused ends a transaction that is to be rolled back.
var errRefused = errors.New("refused")

// expected passes over errors of changes that the shop refuses.
func expected(err error) error {
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrOutcomeUnknown) {
		return err
	}
	return nil
}

func (e *episode) id(entity string) (id int64) {
	_, _ = fmt.Sscan(e.ids.of(e, entity), &id)
	return id
}

// changeByGo changes an object through the Go API.
func (e *episode) changeByGo(ctx context.Context, h *handle) error {
	switch e.random.IntN(3) {
	case 0:
		_, err := h.Categories.Update(ctx, e.id("categories"), func(c *categories.Category) error {
			c.Name, c.Position = pick(e, words...), e.random.Int64N(9)
			return nil
		})
		return expected(err)
	case 1:
		made, err := h.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: "by Go", CompanyID: 1, Status: "A"}})
		if err == nil {
			e.ids.add("categories", fmt.Sprint(made.CategoryID))
		}
		return expected(err)
	}
	_, err := h.Products.Update(ctx, e.id("products"), func(p *products.Product) error {
		p.Amount, p.Name = e.random.Int64N(20), pick(e, words...)
		return nil
	})
	return expected(err)
}

// rollBack makes changes in a transaction that fails.
func (e *episode) rollBack(ctx context.Context) error {
	err := e.caching.st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		if err := e.changeByGo(ctx, e.caching); err != nil {
			return err
		}
		return errors.Join(e.changeByGo(ctx, e.caching), errRefused)
	})
	return expected(err)
}

// tick lets time pass, some of it over midnight.
func (e *episode) tick(context.Context) error {
	e.clock.advance(time.Duration(e.random.IntN(20*60)) * time.Minute)
	return nil
}

// statement is a change of a row by SQL of the host.
func (e *episode) statement() (text string, arguments []any) {
	key, n, word := e.id("products"), e.random.IntN(30), pick(e, words...)
	switch e.random.IntN(5) {
	case 0:
		return "UPDATE products SET amount = ? WHERE product_id = ?", []any{n, key}
	case 1:
		return "UPDATE categories SET position = ? WHERE category_id = ?", []any{n, e.id("categories")}
	case 2:
		return "UPDATE discussions SET name = ?, name_fold = ? WHERE post_id = ?", []any{word, store.Fold(word), e.id("discussions")}
	case 3:
		return "UPDATE users SET phone = ? WHERE user_id = ?", []any{fmt.Sprint(n), e.id("users")}
	}
	return "UPDATE orders SET notes = ? WHERE order_id = ?", []any{word, e.id("orders")}
}

// hostInside runs SQL in a transaction of the store, beside changes by the Go API. A part
// of it is rolled back to a savepoint, or all of it.
func (e *episode) hostInside(ctx context.Context) error {
	refuse := e.random.IntN(4) == 0
	err := e.caching.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		conn, err := sqlite.ConnOf(tx)
		if err != nil {
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
		text, arguments := e.statement()
		if _, err := conn.ExecContext(ctx, text, arguments...); err != nil {
			return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, text, err)
		}
		if e.random.IntN(2) == 0 {
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

// hostBeside runs SQL on a connection of the host, in some cases with a savepoint that is
// rolled back.
func (e *episode) hostBeside(ctx context.Context) (err error) {
	db := e.sqlite().DB()
	if e.random.IntN(3) == 0 { // another program in this process
		if db, err = sql.Open("sqlite", e.path); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, savepoint := range []bool{e.random.IntN(2) == 0, false} {
		text, arguments := e.statement()
		if savepoint {
			if _, err := tx.ExecContext(ctx, "SAVEPOINT host"); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, text, arguments...); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		if savepoint {
			if _, err := tx.ExecContext(ctx, "ROLLBACK TO host; RELEASE host"); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// sqlite is the store that changes rows beside the one with caches.
func (e *episode) sqlite() *sqlite.Store { return e.beside.st.(*sqlite.Store) }

// migrate adds a table of the host.
func (e *episode) migrate(ctx context.Context) error {
	type row struct {
		RowID int64 `json:"row_id,string" store:"key"`
	}
	table, err := store.NewTable[row](fmt.Sprintf("host_%d", e.random.IntN(1000)))
	if err != nil {
		return err
	}
	return e.beside.st.Migrate(ctx, table.Schema())
}

// trigger adds a trigger of the host, or drops it: a change of a category changes a
// product.
func (e *episode) trigger(ctx context.Context) error {
	_, err := e.sqlite().DB().ExecContext(ctx, pick(e,
		"DROP TRIGGER IF EXISTS host; CREATE TRIGGER host AFTER UPDATE ON categories BEGIN UPDATE products SET amount = amount + 1; END",
		"DROP TRIGGER IF EXISTS host"))
	return err
}

// maintain does what leaves the rows as they are.
func (e *episode) maintain(ctx context.Context) error {
	_, err := e.sqlite().DB().ExecContext(ctx, pick(e, "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_checkpoint(RESTART)", "ANALYZE"))
	return err
}
