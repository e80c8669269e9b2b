package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A host writes a row of its own in the transaction of a change.
func ExampleConnOf() {
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(dir, "shop.db"), nil)
	if err != nil {
		panic(err)
	}
	defer st.Close()
	if err := st.Migrate(ctx, pages.Schema()); err != nil {
		panic(err)
	}
	if _, err := st.DB().ExecContext(ctx, "CREATE TABLE audit (page_id INTEGER, note TEXT)"); err != nil {
		panic(err)
	}

	rename := func(id int64, title string) error {
		return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			if err := pages.Update(tx, &page{PageID: id, Title: title}); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			conn, err := sqlite.ConnOf(tx)
			if err != nil {
				return err
			}
			_, err = conn.ExecContext(ctx, "INSERT INTO audit (page_id, note) VALUES (?, ?)", id, "renamed to "+title)
			if err != nil {
				return err
			}
			var n int
			if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM audit WHERE page_id = ?", id).Scan(&n); err != nil {
				return err
			}
			if n > 2 {
				return errors.New("renamed too often")
			}
			return nil
		})
	}
	for _, title := range []string{"A", "B", "C"} {
		fmt.Println(rename(1, title))
	}
	var n int
	if err := st.DB().QueryRowContext(ctx, "SELECT count(*) FROM audit").Scan(&n); err != nil {
		panic(err)
	}
	fmt.Println(n, "rows")
	// Output:
	// <nil>
	// <nil>
	// renamed too often
	// 2 rows
}

// A host with code for database/sql uses it on the file of the store.
func ExampleStore_DB() {
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(dir, "shop.db"), nil)
	if err != nil {
		panic(err)
	}
	defer st.Close()
	_, err = st.DB().ExecContext(ctx, `
		CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
		INSERT INTO suppliers (name) VALUES (?), (?)`, "Berg", "Tal")
	if err != nil {
		panic(err)
	}
	var name string
	if err := st.DB().QueryRowContext(ctx, "SELECT name FROM suppliers WHERE id = ?", 2).Scan(&name); err != nil {
		panic(err)
	}
	fmt.Println(name)
	// Output: Tal
}
