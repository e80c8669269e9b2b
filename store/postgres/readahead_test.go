package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/postgres"
)

// readJars reads jars in three reads, and returns what they found.
func readJars(tx store.Tx) string {
	first, err := jars.Get(tx, 1)
	_, missing := jars.Get(tx, 3)
	big, listErr := sizes.Select(tx, store.Query{Where: []store.Cond{store.Equal("size", store.Int(2))}})
	return fmt.Sprint(first, err, missing, big, listErr)
}

// Reads that functions make ahead share their round trips, and are not made again.
func TestReadAhead_SharesRoundTrips(t *testing.T) {
	st, _, roundTrips := openCountedJars(t)
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error { readJars(tx); return nil }) // prepares the statements
	var plain, ahead string
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		plain = readJars(tx)
		return nil
	})
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		before := roundTrips()
		store.ReadAhead(tx,
			func() { readJars(tx) },
			func() {
				_, _ = jars.Get(tx, 2)
				_, _ = jars.Get(tx, 3)
			},
			func() {})
		if n := roundTrips() - before; n != 3 {
			t.Errorf("reading ahead takes %d round trips, want 3: as many as the longest function reads", n)
		}
		before = roundTrips()
		ahead = readJars(tx)
		if n := roundTrips() - before; n != 0 {
			t.Errorf("reads that were made ahead take %d round trips", n)
		}
		return nil
	})
	if diff := cmp.Diff(plain, ahead); diff != "" {
		t.Errorf("other rows after reading ahead (-without, +with):\n%s", diff)
	}
}

// Functions that want the same rows, or some of their columns, have them read once.
func TestReadAhead_ReadsOnce(t *testing.T) {
	st, pool := openJars(t)
	small := store.Query{Where: []store.Cond{store.Equal("size", store.Int(1))}}
	read := func(tx store.Tx) string {
		whole, err := jars.Select(tx, small)
		some, someErr := sizes.Select(tx, small)
		return fmt.Sprint(whole, err, some, someErr)
	}
	scans := func(tx store.Tx) (n int) { // of the rows that the session has read
		own, err := postgres.TxOf(tx)
		if err == nil {
			err = own.QueryRow(t.Context(), "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relid = 'jars'::regclass").Scan(&n)
		}
		if err != nil {
			t.Error(err)
		}
		return n
	}
	var once int
	pool.Reset()
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		_, err := jars.Select(tx, small)
		once = scans(tx)
		return err
	})
	if once == 0 {
		t.Fatal("a query reads no row")
	}
	pool.Reset()
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		var found [3]string
		store.ReadAhead(tx,
			func() { found[0] = read(tx) },
			func() { found[1] = read(tx) },
			func() {
				some, err := sizes.Select(tx, small)
				found[2] = fmt.Sprint(some, err)
			})
		const want = "[{1 red 1}] <nil> [{1 1}] <nil>"
		if diff := cmp.Diff([3]string{want, want, "[{1 1}] <nil>"}, found); diff != "" {
			t.Errorf("found (-want, +got):\n%s", diff)
		}
		if got := read(tx); got != want {
			t.Errorf("afterwards %s, want %s", got, want)
		}
		if n := scans(tx); n != once {
			t.Errorf("%d rows were read, want %d", n, once)
		}
		return nil
	})
}

// After a change, by the store or by SQL of the host, reads see it.
func TestReadAhead_SeesChanges(t *testing.T) {
	for name, change := range map[string]func(ctx context.Context, tx store.Tx) error{
		"a change of the row": func(_ context.Context, tx store.Tx) error {
			return jars.Update(tx, &jar{JarID: 1, Color: "green", Size: 2})
		},
		"SQL of the host": func(ctx context.Context, tx store.Tx) error {
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			_, err = own.Exec(ctx, "UPDATE jars SET color = 'green', size = 2 WHERE jar_id = 1")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			st, _ := openJars(t)
			inUpdate(t, st, func(ctx context.Context, tx store.Tx) error {
				store.ReadAhead(tx, func() { readJars(tx) })
				if err := change(ctx, tx); err != nil {
					return err
				}
				want := "{1 green 2} <nil> " + store.ErrNotFound.Error() + " [{1 2} {2 2}] <nil>"
				if got := readJars(tx); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				return nil
			})
		})
	}
}

// A function that reads ahead cannot change anything, and spoils nothing by trying to.
func TestReadAhead_RefusesChanges(t *testing.T) {
	st, _ := openJars(t)
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		var refused error
		store.ReadAhead(tx, func() { refused = jars.DeleteKey(tx, 1) })
		if refused == nil {
			t.Error("a row was deleted")
		}
		return jars.Update(tx, &jar{JarID: 2, Color: "green", Size: 2})
	})
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		all, err := jars.Select(tx, store.Query{})
		if diff := cmp.Diff([]jar{{1, "red", 1}, {2, "green", 2}}, all); diff != "" {
			t.Errorf("other rows (-want, +got):\n%s", diff)
		}
		return err
	})
}

// A panic of a function that reads ahead is the panic of the Update, and the other functions
// end.
func TestReadAhead_Panics(t *testing.T) {
	st, _ := openJars(t)
	ended := false
	func() {
		defer func() {
			if v := recover(); v != "broken" {
				t.Errorf("recovered %v", v)
			}
		}()
		_ = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			store.ReadAhead(tx,
				func() {
					defer func() { ended = true }()
					_, _ = jars.Get(tx, 1)
				},
				func() { panic("broken") })
			return nil
		})
	}()
	if !ended {
		t.Error("another function goes on")
	}
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		_, err := jars.Get(tx, 1)
		return err
	})
}

// After a read that fails, all functions and the Update get its error.
func TestReadAhead_FailedRead(t *testing.T) {
	st, pool := openJars(t)
	if _, err := pool.Exec(t.Context(), "ALTER TABLE jars DROP COLUMN size"); err != nil {
		t.Fatal(err)
	}
	colors := store.Project[struct {
		JarID int64  `json:"jar_id" store:"key"`
		Color string `json:"color"`
	}](jars)
	var beside, failed, own error
	_ = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		store.ReadAhead(tx,
			func() { _, beside = colors.Get(tx, 1) },
			func() { _, failed = jars.Get(tx, 1) })
		_, own = colors.Get(tx, 1)
		return own
	})
	for _, err := range []error{beside, failed, own} {
		if err == nil || !strings.Contains(err.Error(), "size") {
			t.Errorf("got %v, want the error of the column that is gone", err)
		}
	}
}

// A function that waits for its read when the context ends gets the error of the context.
func TestReadAhead_CanceledUpdate(t *testing.T) {
	st, _ := openJars(t)
	ctx, cancel := context.WithCancel(t.Context())
	var paused error
	_ = st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		store.ReadAhead(tx, func() { _, paused = jars.Get(tx, 1) }, cancel)
		return nil
	})
	if !errors.Is(paused, context.Canceled) {
		t.Errorf("got %v", paused)
	}
}

// A function that reads by SQL of the host, or reads ahead itself, is right too.
func TestReadAhead_OtherReads(t *testing.T) {
	st, _ := openJars(t)
	inUpdate(t, st, func(ctx context.Context, tx store.Tx) error {
		store.ReadAhead(tx,
			func() { store.ReadAhead(tx, func() { t.Error("a function within a function reads ahead") }) },
			func() { _, _ = jars.Get(tx, 1) },
			func() {
				own, err := postgres.TxOf(tx)
				if err != nil {
					t.Error(err)
					return
				}
				var color string
				if err := own.QueryRow(ctx, "SELECT color FROM jars WHERE jar_id = 2").Scan(&color); color != "blue" {
					t.Errorf("the host reads %q, %v", color, err)
				}
			})
		red, err := jars.Get(tx, 1)
		if red.Color != "red" {
			t.Errorf("got %v", red)
		}
		return err
	})
}

// Reading ahead holds at most 4 MiB of rows: the Update reads larger results again.
func TestReadAhead_BoundedByBytes(t *testing.T) {
	st, _, roundTrips := openCountedJars(t)
	long := strings.Repeat("x", 900<<10)
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		return jars.InsertAll(tx, []jar{{Color: long}, {Color: long}, {Color: long}, {Color: long}, {Color: long}})
	})
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		store.ReadAhead(tx, func() { _, _ = jars.Select(tx, store.Query{}) })
		before := roundTrips()
		list, err := jars.Select(tx, store.Query{})
		if n := roundTrips() - before; n != 1 || len(list) != 7 || list[6].Color != long {
			t.Errorf("%d rows in %d round trips, want 7 in one", len(list), n)
		}
		return err
	})
}

// A View reads ahead as an Update does. A cached response depends only on what the View then reads.
func TestReadAhead_View(t *testing.T) {
	st, _, roundTrips := openCountedJars(t)
	for _, recorded := range []bool{false, true} {
		ctx, reads := t.Context(), new(driver.ReadSet)
		if recorded {
			ctx = driver.WithReadSet(ctx, reads)
		}
		if err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
			store.ReadAhead(tx, func() { _, _ = jars.Get(tx, 1) }, func() { _, _ = jars.Get(tx, 2) })
			before := roundTrips()
			found, err := jars.Get(tx, 1)
			if n := roundTrips() - before; n != 0 || found.Color != "red" {
				t.Errorf("recorded=%t: %d round trips for %v, which was read ahead", recorded, n, found)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if !recorded {
			continue
		}
		for _, c := range []struct {
			size  int64
			valid bool
		}{{2, true}, {1, false}} {
			inUpdate(t, st, func(_ context.Context, tx store.Tx) error { return enlarge(tx, c.size) })
			if valid := reads.Valid(t.Context()); valid != c.valid {
				t.Errorf("after a change of jar %d what was read is valid: %t, want %t", c.size, valid, c.valid)
			}
		}
	}
}

// ReadWithNext takes no round trip: its function reads in the one of the next read, of ReadAhead or of
// the first change, and what it reads was there before the change.
func TestReadWithNext(t *testing.T) {
	get := func(tx store.Tx) error { _, err := jars.Get(tx, 1); return err }
	for name, next := range map[string]func(tx store.Tx) error{
		"a read":    get,
		"ReadAhead": func(tx store.Tx) error { store.ReadAhead(tx, func() { _ = get(tx) }); return nil },
		"a change":  func(tx store.Tx) error { return jars.Insert(tx, &jar{Color: "grey", Size: 3}) },
	} {
		t.Run(name, func(t *testing.T) {
			st, _, roundTrips := openCountedJars(t)
			var got []jar
			update := func(reads bool) int {
				before := roundTrips()
				inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
					if reads {
						store.ReadWithNext(tx, func() {
							got, _ = jars.Select(tx, store.Query{Where: []store.Cond{store.AtMost("jar_id", store.Int(3))}})
							if again, err := jars.Select(tx, store.Query{Limit: 1}); err == nil {
								t.Errorf("the function reads %v in another round trip", again)
							}
						})
					}
					return next(tx)
				})
				return roundTrips() - before
			}
			with := update(true)
			if diff := cmp.Diff([]jar{{1, "red", 1}, {2, "blue", 2}}, got); diff != "" {
				t.Errorf("the rows that the function reads (-want, +got):\n%s", diff)
			}
			if without := update(false); with != without {
				t.Errorf("%d round trips, want %d as without the function", with, without)
			}
		})
	}
}

// A function of ReadWithNext is not called where writes wait that come before it, nor in a View.
func TestReadWithNext_IsLeftOut(t *testing.T) {
	st, _ := openJars(t)
	called := false
	later := func(tx store.Tx) { store.ReadWithNext(tx, func() { called = true }) }
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		_, err := jars.Get(tx, 1)
		later(tx)
		return errors.Join(err, jars.Append(tx, jar{Color: "grey", Size: 3}))
	})
	if called {
		t.Error("called after a write that waited")
	}
	if err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		later(tx)
		_, err := jars.Get(tx, 1)
		return err
	}); err != nil || called {
		t.Errorf("called in a View: %t, %v", called, err)
	}
}
