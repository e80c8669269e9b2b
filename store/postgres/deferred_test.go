package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
)

// enlarge makes the jars of some sizes larger by one.
func enlarge(tx store.Tx, sizes ...int64) error {
	column := jars.Field("size")
	return jars.Alter(tx, func(row []store.Value) { row[column] = store.Int(row[column].Int() + 1) }, store.InInts("size", sizes...))
}

// skipBlue is a trigger of the host that suppresses updates of blue jars.
const skipBlue = `CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
	CREATE TRIGGER skip BEFORE UPDATE ON jars FOR EACH ROW WHEN (OLD.color = 'blue') EXECUTE FUNCTION skip()`

// Updates of known rows and appended rows share the round trip of the next read, or of the commit.
func TestDeferredWrites_ShareRoundTrips(t *testing.T) {
	t.Parallel()
	st, _, roundTrips := openCountedJars(t)
	change := func(_ context.Context, tx store.Tx) error {
		if err := enlarge(tx, 1); err != nil {
			return err
		}
		if err := jars.Append(tx, jar{Color: "black", Size: 9}, jar{Color: "grey", Size: 9}); err != nil {
			return err
		}
		found, err := jars.Get(tx, 1)
		if err == nil {
			found.Color += "dish"
			err = jars.Update(tx, &found)
		}
		if err != nil {
			return err
		}
		found, err = jars.Get(tx, 2)
		if err != nil {
			return err
		}
		return jars.Append(tx, jar{Color: found.Color, Size: found.Size})
	}
	inUpdate(t, st, change) // prepares the statements
	before := roundTrips()
	inUpdate(t, st, change)
	// BEGIN with the read of Alter, two reads with the writes before them, the commit.
	if n := roundTrips() - before; n != 4 {
		t.Errorf("the transaction takes %d round trips, want 4", n)
	}
	repaint := func(_ context.Context, tx store.Tx) error {
		found, err := jars.Get(tx, 1)
		if err != nil {
			return err
		}
		found.Color += "dish"
		return jars.Update(tx, &found)
	}
	inUpdate(t, st, repaint)
	before = roundTrips()
	inUpdate(t, st, repaint)
	if n := roundTrips() - before; n != 3 {
		t.Errorf("an update of a row takes %d round trips, want BEGIN with the read, the update, COMMIT", n)
	}
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		all, err := jars.Select(tx, store.Query{})
		want := []jar{{1, "reddishdishdishdish", 2}, {2, "blue", 2}, {3, "black", 9}, {4, "grey", 9}, {5, "blue", 2}, {6, "black", 9}, {7, "grey", 9}, {8, "blue", 2}}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("the rows (-want, +got):\n%s", diff)
		}
		return err
	})
}

// Before anything was read, and after SQL of the host, nothing waits.
func TestDeferredWrites_AtOnce(t *testing.T) {
	t.Parallel()
	st, _ := openJars(t)
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error { return jars.Append(tx, jar{Color: "black", Size: 9}) })
	inUpdate(t, st, func(ctx context.Context, tx store.Tx) error {
		own, err := postgres.TxOf(tx)
		if err != nil {
			return err
		}
		if err := errors.Join(enlarge(tx, 1), jars.Append(tx, jar{Color: "grey", Size: 9})); err != nil {
			return err
		}
		var n int
		err = own.QueryRow(ctx, "SELECT count(*) FROM jars WHERE size IN (2, 9)").Scan(&n)
		if n != 4 {
			t.Errorf("SQL of the host finds %d rows, want 4", n)
		}
		return err
	})
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		all, err := jars.Select(tx, store.Query{})
		want := []jar{{1, "red", 2}, {2, "blue", 2}, {3, "black", 9}, {4, "grey", 9}}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("the rows (-want, +got):\n%s", diff)
		}
		return err
	})
}

// A write that waits for a round trip and then fails makes the transaction run again, and send
// each write at once: the error is returned by the write, and nothing is changed.
func TestDeferredWrites_Fail(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	unchanged := []jar{{1, "red", 1}, {2, "blue", 2}}
	for _, c := range []struct {
		name   string
		host   string // SQL of the host before
		change func(tx store.Tx) error
		runs   int
		want   error // nil for any error where changed is not set
		rows   []jar
	}{
		{"a trigger that suppresses an update", `CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
			CREATE TRIGGER no BEFORE UPDATE ON jars FOR EACH ROW EXECUTE FUNCTION no()`,
			func(tx store.Tx) error { return enlarge(tx, 1) }, 2, store.ErrNotFound, unchanged},
		{"a trigger that suppresses one of several updates at the commit", skipBlue,
			func(tx store.Tx) error { return enlarge(tx, 1, 2) }, 2, store.ErrNotFound, unchanged},
		{"a trigger that suppresses one of several updates before a read", skipBlue,
			func(tx store.Tx) error {
				if err := enlarge(tx, 1, 2); err != nil {
					return err
				}
				_, err := jars.Get(tx, 1)
				return err
			}, 2, store.ErrNotFound, unchanged},
		{"a constraint of the host, at the commit", "ALTER TABLE jars ADD CHECK (size < 5)",
			func(tx store.Tx) error { return jars.Append(tx, jar{Color: "black", Size: 9}) }, 2, nil, unchanged},
		{"a constraint of the host, before a read", "ALTER TABLE jars ADD CHECK (size < 5)",
			func(tx store.Tx) error {
				if err := jars.Append(tx, jar{Color: "black", Size: 9}); err != nil {
					return err
				}
				_, err := jars.Get(tx, 1)
				return err
			}, 2, nil, unchanged},
		{"a key that another program has taken", "INSERT INTO jars (jar_id, color, size) VALUES (3, 'host', 0)",
			func(tx store.Tx) error {
				return errors.Join(enlarge(tx, 1), jars.Append(tx, jar{Color: "black", Size: 9}))
			}, 2, nil, []jar{{1, "red", 2}, {2, "blue", 2}, {3, "host", 0}, {4, "black", 9}}},
		{"an error of the function", "SELECT",
			func(tx store.Tx) error { return errors.Join(enlarge(tx, 1), broken) }, 1, broken, unchanged},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, pool := openJars(t)
			if _, err := pool.Exec(t.Context(), c.host); err != nil {
				t.Fatal(err)
			}
			runs := 0
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				runs++
				if _, err := jars.Get(tx, 2); err != nil {
					return err
				}
				return c.change(tx)
			})
			changed := !cmp.Equal(c.rows, unchanged)
			if (err == nil) != changed || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("Update returned %v, want %v", err, c.want)
			}
			if runs != c.runs {
				t.Errorf("the function ran %d times, want %d", runs, c.runs)
			}
			inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
				all, err := jars.Select(tx, store.Query{})
				if diff := cmp.Diff(c.rows, all); diff != "" {
					t.Errorf("the rows (-want, +got):\n%s", diff)
				}
				return err
			})
		})
	}
}

// An update that waits for the lock of a row does not hold up the commits of others.
func TestDeferredWrites_OfALockedRow(t *testing.T) {
	st, pool := openJars(t)
	host, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := host.Exec(t.Context(), "UPDATE jars SET size = 9 WHERE jar_id = 1"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		ended <- st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return enlarge(tx, 1) })
	}()
	const waiting = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0)"
	for waits := false; !waits; {
		if err := pool.QueryRow(t.Context(), waiting).Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error { return jars.Insert(tx, &jar{Color: "grey", Size: 3}) })
	select {
	case err := <-ended:
		t.Errorf("the update of a locked row has ended: %v", err)
	default:
	}
	if err := errors.Join(host.Rollback(t.Context()), <-ended); err != nil {
		t.Error(err)
	}
}

// A write that waits and fails before an update of a row with a unique value is not taken for a
// conflict of that value.
func TestDeferredWrites_FailBeforeAUniqueValue(t *testing.T) {
	st, pool := openJars(t)
	labels := store.MustTable[struct {
		LabelID int64  `json:"label_id" store:"key"`
		Text    string `json:"text"`
	}]("labels", store.Index{Columns: []string{"text"}, Unique: true})
	if err := st.Migrate(t.Context(), labels.Schema()); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), "INSERT INTO labels (text) VALUES ('a'); INSERT INTO jars (jar_id, color, size) VALUES (3, 'host', 0)"); err != nil {
		t.Fatal(err)
	}
	runs := 0
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		runs++
		label, err := labels.Get(tx, 1)
		if err != nil {
			return err
		}
		label.Text = "b"
		return errors.Join(jars.Append(tx, jar{Color: "black"}), labels.Update(tx, &label))
	})
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		label, err := labels.Get(tx, 1)
		if label.Text != "b" || runs != 2 {
			t.Errorf("the label is %q after %d runs, want b after 2", label.Text, runs)
		}
		return err
	})
}
