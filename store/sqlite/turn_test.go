package sqlite_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// awaitTurns waits until n writers wait for their turn.
func awaitTurns(st *sqlite.Store, n int) {
	for st.WaitingTurns() != n {
		runtime.Gosched()
	}
}

// A store that always has a next Update does not keep the host from writing.
func TestDBWritesBeforeTheNextUpdate(t *testing.T) {
	st := openAudit(t, file(t))
	done := make(chan error, 2)
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		go func() {
			_, err := st.DB().Exec("INSERT INTO audit (note) VALUES ('host')")
			done <- err
		}()
		awaitTurns(st, 1)
		go func() { done <- st.Update(t.Context(), withNote("second")) }()
		for st.Waiting() != 1 {
			runtime.Gosched()
		}
		return withNote("first")(ctx, tx)
	})
	if err := errors.Join(err, <-done, <-done); err != nil {
		t.Fatal(err)
	}
	wantNotes(t, st, "first", "host", "second")
}

// A host that always has a next write does not keep the store from updating.
func TestUpdatesBeforeTheNextWriteOfDB(t *testing.T) {
	st := openAudit(t, file(t))
	tx, err := st.DB().Begin()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	go func() { done <- st.Update(t.Context(), withNote("store")) }()
	awaitTurns(st, 1)
	go func() {
		var note string
		done <- st.DB().QueryRow("INSERT INTO audit (note) VALUES ('second') RETURNING note").Scan(&note)
	}()
	awaitTurns(st, 2)
	if _, err := tx.Exec("INSERT INTO audit (note) VALUES ('first')"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tx.Commit(), <-done, <-done); err != nil {
		t.Fatal(err)
	}
	wantNotes(t, st, "first", "store", "second")
}

// However a write of the host ends, its turn ends with it.
func TestDBGivesItsTurnBack(t *testing.T) {
	st := openAudit(t, file(t))
	db := st.DB()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, end := range []func() error{
		func() error { _, err := db.Exec("INSERT INTO missing VALUES (1)"); return err },
		func() error { _, err := db.Exec("INSERT INTO audit (n) VALUES (1), (1)"); return err },
		func() error { _, err := db.Exec("BEGIN IMMEDIATE; INSERT INTO audit (n) VALUES (1), (1)"); return err },
		func() error {
			rows, err := db.Query("INSERT INTO audit (note) VALUES ('a'), ('b') RETURNING n")
			if err == nil {
				rows.Next()
				rows.Close()
			}
			return err
		},
		func() error {
			tx, err := db.Begin()
			if err == nil {
				err = tx.Rollback()
			}
			return err
		},
		func() error {
			ctx, cancel := context.WithCancel(t.Context())
			tx, err := db.BeginTx(ctx, nil)
			cancel()
			for err == nil {
				_, err = tx.Exec("SELECT 1") // until it is rolled back
			}
			return err
		},
		func() error { _, err := conn.ExecContext(t.Context(), "BEGIN; DELETE FROM audit; COMMIT"); return err },
	} {
		_ = end()
		if err := st.Update(t.Context(), func(context.Context, store.Tx) error {
			if !st.HasTurn() {
				t.Error("the turn was not given back")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// The wait for the turn counts towards the busy timeout.
func TestDBWaitsForItsTurnAsForTheLock(t *testing.T) {
	st := open(t, file(t), &sqlite.Options{BusyTimeout: 20 * time.Millisecond})
	if _, err := st.DB().Exec("CREATE TABLE own (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(context.Context, store.Tx) error {
		var e *sqlite.Error
		if _, err := st.DB().Exec("INSERT INTO own VALUES (1)"); !errors.As(err, &e) {
			t.Errorf("a write inside an Update: %v, want an error of the engine", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tx, err := st.DB().Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if err := st.Update(t.Context(), func(context.Context, store.Tx) error { return nil }); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("an Update beside a transaction of the host: %v, want ErrUnavailable", err)
	}
}
