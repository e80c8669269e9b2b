package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// wide is a table as wide as the interface's greatest objects: 28 columns.
var wide = mustSchema("wide", 28)

// narrow reads 13 of them, as lists do.
var narrow = &store.Projection{Schema: wide, Columns: wide.All().Columns[:13]}

func mustSchema(name string, n int) *store.Schema {
	columns := []store.Column{{Name: "id", Kind: store.Integer}}
	for i := 1; i < n; i++ {
		kind := store.Integer
		if i%2 == 0 {
			kind = store.Text
		}
		columns = append(columns, store.Column{Name: fmt.Sprintf("c%d", i), Kind: kind})
	}
	s, err := store.NewSchema(name, columns, store.Index{Columns: []string{"c1"}})
	if err != nil {
		panic(err)
	}
	return s
}

func wideRow(n int64) []store.Value {
	row := make([]store.Value, len(wide.Columns))
	for i, c := range wide.Columns[1:] {
		if c.Kind == store.Text {
			row[i+1] = store.String(fmt.Sprintf("text %d of row %d", i, n))
		} else {
			row[i+1] = store.Int(n % 100)
		}
	}
	return row
}

func benchmarkStore(b *testing.B, rows int) (store.Store, *sql.DB) {
	path := filepath.Join(b.TempDir(), "bench.db")
	st := open(b, path, nil)
	err := st.Migrate(b.Context(), wide)
	if err == nil {
		err = st.Update(b.Context(), func(_ context.Context, tx store.Tx) error {
			for n := range rows {
				if _, err := tx.Insert(wide, wideRow(int64(n))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	b.ReportAllocs()
	b.ResetTimer()
	return st, db
}

func BenchmarkGet(b *testing.B) {
	const rows = 10_000
	b.Run("store", func(b *testing.B) {
		st, _ := benchmarkStore(b, rows)
		ctx := b.Context()
		row := make([]store.Value, len(wide.Columns))
		key := int64(0)
		get := func(_ context.Context, tx store.Tx) error { return tx.Get(wide.All(), key, row) }
		for i := range b.N {
			key = int64(i%rows + 1)
			if err := st.View(ctx, get); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("database/sql", func(b *testing.B) {
		_, db := benchmarkStore(b, rows)
		stmt, err := db.Prepare("SELECT * FROM wide WHERE id = ?")
		if err != nil {
			b.Fatal(err)
		}
		defer stmt.Close()
		targets := scanTargets(len(wide.Columns))
		for i := range b.N {
			if err := stmt.QueryRow(i%rows + 1).Scan(targets...); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSelect100(b *testing.B) {
	b.Run("store", func(b *testing.B) {
		st, _ := benchmarkStore(b, 10_000)
		ctx := b.Context()
		q := store.Query{Where: []store.Cond{store.Equal("c1", store.Int(7))}, Order: []store.Order{store.Asc("id")}, Limit: 100}
		for range b.N {
			n := 0
			err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
				return tx.Select(narrow, &q, func([]store.Value) error { n++; return nil })
			})
			if err != nil || n != 100 {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("database/sql", func(b *testing.B) {
		_, db := benchmarkStore(b, 10_000)
		var names []string
		for _, c := range narrow.Columns {
			names = append(names, wide.Columns[c].Name)
		}
		stmt, err := db.Prepare("SELECT " + strings.Join(names, ", ") + " FROM wide WHERE c1 = ? ORDER BY id LIMIT ?")
		if err != nil {
			b.Fatal(err)
		}
		defer stmt.Close()
		targets := scanTargets(len(narrow.Columns))
		for range b.N {
			rows, err := stmt.Query(7, 100)
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for rows.Next() {
				n++
				if err := rows.Scan(targets...); err != nil {
					b.Fatal(err)
				}
			}
			if err := rows.Close(); err != nil || n != 100 {
				b.Fatal(n, err)
			}
		}
	})
}

func scanTargets(n int) []any {
	targets := make([]any, n)
	for i := range targets {
		if wide.Columns[i].Kind == store.Text {
			targets[i] = new(string)
		} else {
			targets[i] = new(int64)
		}
	}
	return targets
}

// BenchmarkInsert adds one row in a transaction of its own.
func BenchmarkInsert(b *testing.B) {
	for _, goroutines := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d/store", goroutines), func(b *testing.B) {
			st, _ := benchmarkStore(b, 0)
			ctx := b.Context()
			row := wideRow(1)
			parallel(b, goroutines, func() error {
				return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
					_, err := tx.Insert(wide, row)
					return err
				})
			})
		})
		b.Run(fmt.Sprintf("%d/database/sql", goroutines), func(b *testing.B) {
			_, db := benchmarkStore(b, 0)
			db.SetMaxOpenConns(1) // the best it can do: writers do not fight for the lock
			marks := strings.TrimSuffix(strings.Repeat("?,", len(wide.Columns)), ",")
			stmt, err := db.Prepare("INSERT INTO wide VALUES (" + marks + ")")
			if err != nil {
				b.Fatal(err)
			}
			defer stmt.Close()
			args := make([]any, len(wide.Columns))
			for i, v := range wideRow(1) {
				if v.IsText() {
					args[i] = v.Text()
				} else if i > 0 {
					args[i] = v.Int()
				}
			}
			parallel(b, goroutines, func() error {
				_, err := stmt.Exec(args...)
				return err
			})
		})
	}
}

// parallel shares b.N calls among so many goroutines.
func parallel(b *testing.B, goroutines int, call func() error) {
	var next atomic.Int64
	done := make(chan error, goroutines)
	for range goroutines {
		go func() {
			for next.Add(1) <= int64(b.N) {
				if err := call(); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range goroutines {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPage reads pages of ten of nearly all rows in an order that an index has, with
// the count cache and without it.
func BenchmarkPage(b *testing.B) {
	const rows = 10_000
	_, db := benchmarkStore(b, rows)
	where := []store.Cond{store.NotEqual("c3", store.Int(7))}
	for cache, bytes := range map[string]int64{"cached": 0, "uncached": -1} {
		st := open(b, pathOf(b, db), &sqlite.Options{CacheBytes: bytes})
		for page, offset := range map[string]int{"first": 0, "last": rows * 8 / 10} {
			q := store.Query{Where: where, Order: []store.Order{store.Desc("c1")}, Limit: 10, Offset: offset}
			b.Run(page+"/"+cache, func(b *testing.B) {
				b.ReportAllocs()
				read := func() {
					err := st.View(b.Context(), func(_ context.Context, tx store.Tx) error {
						total, err := tx.Page(narrow, &q, func([]store.Value) error { return nil })
						if err == nil && total != rows*99/100 {
							b.Fatalf("%d rows", total)
						}
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				read() // caches counts and anchors
				for b.Loop() {
					read()
				}
			})
		}
	}
}

// pathOf returns the file of a database.
func pathOf(b *testing.B, db *sql.DB) (path string) {
	b.Helper()
	if err := db.QueryRow("SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&path); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkUpdate replaces rows, one in each transaction, while counts and anchors
// of so many sets of conditions are cached.
func BenchmarkUpdate(b *testing.B) {
	const rows = 2000
	for _, cached := range []int{0, 10, 100} {
		st, _ := benchmarkStore(b, rows)
		count := func() {
			for i := range cached {
				q := store.Query{Where: []store.Cond{store.NotEqual("c3", store.Int(int64(i)))}, Order: []store.Order{store.Asc("c1")}, Limit: 1, Offset: rows * i / 200}
				err := st.View(b.Context(), func(_ context.Context, tx store.Tx) error {
					_, err := tx.Page(narrow, &q, func([]store.Value) error { return nil })
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		count()
		b.Run(fmt.Sprintf("64/cached=%d", cached), func(b *testing.B) {
			b.ReportAllocs()
			var n atomic.Int64
			parallel(b, 64, func() error {
				i := n.Add(1)
				if i%1000 == 0 {
					count() // unused entries are dropped
				}
				row := wideRow(i)
				row[0] = store.Int(i%rows + 1)
				return st.Update(b.Context(), func(_ context.Context, tx store.Tx) error { return tx.Update(wide, row) })
			})
		})
	}
}
