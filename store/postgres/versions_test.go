//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// session opens a connection of another program.
func session(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// run runs statements on a connection.
func run(t testing.TB, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// readNotes reads all notes into a read set.
func readNotes(t testing.TB, st store.Store) *driver.ReadSet {
	t.Helper()
	reads := new(driver.ReadSet)
	err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
		_, err := notes.Select(tx, store.Query{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return reads
}

// cachedNotes is readNotes of what can be cached.
func cachedNotes(t testing.TB, st store.Store) *driver.ReadSet {
	t.Helper()
	reads := readNotes(t, st)
	for range 3 { // from the third question on, a store asks for the snapshot alone
		if !reads.Valid(t.Context()) {
			t.Fatal("what was just read is not valid")
		}
	}
	return reads
}

// TestE11_ForeignSQL: a change by another program invalidates the cached answers, in whatever
// way it is made; a change that is rolled back does not.
func TestE11_ForeignSQL(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	other := session(t, dsn)
	run(t, other, "INSERT INTO notes (text) VALUES ('a'), ('b')",
		"CREATE TABLE parents (id bigint PRIMARY KEY)", "INSERT INTO parents VALUES (1)",
		"ALTER TABLE notes ADD COLUMN parent bigint REFERENCES parents ON DELETE CASCADE", "UPDATE notes SET parent = 1 WHERE note_id = 2")
	name := fmt.Sprint("prepared", rand.Uint64())
	for _, c := range []struct {
		name   string
		sql    []string
		change bool
	}{
		{"INSERT", []string{"INSERT INTO notes (text) VALUES ('c')"}, true},
		{"UPDATE", []string{"UPDATE notes SET text = 'd' WHERE note_id = 1"}, true},
		{"the same again", []string{"UPDATE notes SET text = 'e' WHERE note_id = 1"}, true},
		{"a cascade", []string{"DELETE FROM parents"}, true},
		{"DELETE", []string{"DELETE FROM notes WHERE note_id = 1"}, true},
		{"a function", []string{"DO $$ BEGIN UPDATE notes SET text = 'f'; END $$"}, true},
		{"a statement WITH", []string{"WITH more AS (INSERT INTO notes (text) VALUES ('g') RETURNING note_id) SELECT count(*) FROM more"}, true},
		{"TRUNCATE", []string{"TRUNCATE notes"}, true},
		{"several changes", []string{"BEGIN", "INSERT INTO notes (text) VALUES ('h')", "INSERT INTO notes (text) VALUES ('i')", "COMMIT"}, true},
		{"a SERIALIZABLE transaction", []string{"BEGIN ISOLATION LEVEL SERIALIZABLE", "UPDATE notes SET text = 'j'", "COMMIT"}, true},
		{"a REPEATABLE READ transaction", []string{"BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM notes", "UPDATE notes SET text = 'k'", "COMMIT"}, true},
		{"a ROLLBACK", []string{"BEGIN", "DELETE FROM notes", "ROLLBACK"}, false},
		{"the change after a ROLLBACK", []string{"INSERT INTO notes (text) VALUES ('l')"}, true},
		{"a savepoint", []string{"BEGIN", "SAVEPOINT a", "UPDATE notes SET text = 'm'", "RELEASE a", "COMMIT"}, true},
		{"a savepoint rolled back", []string{"BEGIN", "SAVEPOINT a", "UPDATE notes SET text = 'n'", "ROLLBACK TO a", "COMMIT"}, false},
		{"a change after a savepoint rolled back", []string{"BEGIN", "SAVEPOINT a", "UPDATE notes SET text = 'n'", "ROLLBACK TO a", "UPDATE notes SET text = 'o'", "COMMIT"}, true},
		{"a change before a savepoint rolled back", []string{"BEGIN", "UPDATE notes SET text = 'p'", "SAVEPOINT a", "UPDATE notes SET text = 'q'", "ROLLBACK TO a", "COMMIT"}, true},
		{"a prepared transaction", []string{"BEGIN", "UPDATE notes SET text = 'r'", "PREPARE TRANSACTION '" + name + "'"}, false},
		{"its commit", []string{"COMMIT PREPARED '" + name + "'"}, true},
		{"its rollback", []string{"BEGIN", "UPDATE notes SET text = 's'", "PREPARE TRANSACTION '" + name + "'", "ROLLBACK PREPARED '" + name + "'"}, false},
		{"a replica's session", []string{"SET session_replication_role = replica", "UPDATE notes SET text = 't'", "RESET session_replication_role"}, true},
		{"a commit that the disk has not seen", []string{"SET synchronous_commit = off", "UPDATE notes SET text = 'u'", "RESET synchronous_commit"}, true},
		{"a read", []string{"SELECT count(*) FROM notes"}, false},
	} {
		reads := cachedNotes(t, st)
		run(t, other, c.sql...)
		if valid := reads.Valid(t.Context()); valid == c.change {
			t.Errorf("after %s what was read is valid: %v", c.name, valid)
		}
	}
	reads := cachedNotes(t, st)
	if _, err := other.CopyFrom(t.Context(), pgx.Identifier{"notes"}, []string{"text"}, pgx.CopyFromRows([][]any{{"copied"}})); err != nil {
		t.Fatal(err)
	}
	if reads.Valid(t.Context()) {
		t.Error("after COPY what was read is valid")
	}
}

// TestE11_LateCommits: a transaction that began before a read and commits after later ones
// counts when it commits.
func TestE11_LateCommits(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	late, early := session(t, dsn), session(t, dsn)
	run(t, late, "BEGIN", "INSERT INTO notes (text) VALUES ('late')")
	run(t, early, "INSERT INTO notes (text) VALUES ('early')")
	reads := cachedNotes(t, st)
	st.FoldVersions()
	if !reads.Valid(t.Context()) {
		t.Error("an uncommitted change made what was read invalid")
	}
	run(t, late, "COMMIT")
	if reads.Valid(t.Context()) {
		t.Error("after the late commit what was read is valid")
	}
}

// TestE11_Crash: a change that a crash of the server undoes does not hide the next one, although this
// has the number of the same transaction, and a snapshot the same text.
func TestE11_Crash(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Options{Settings: []string{"wal_writer_delay=10s", "autovacuum=off"}})
	st := openNotes(t, server.DSN())
	other := session(t, server.DSN())
	run(t, other, "INSERT INTO notes (text) VALUES ('a')", "CHECKPOINT", "SET synchronous_commit = off", "UPDATE notes SET text = 'lost'")
	snapshot := snapshotOf(t, other)
	reads := cachedNotes(t, st)
	server.RestartImmediately(t)
	other = session(t, server.DSN())
	run(t, other, "UPDATE notes SET text = 'b'")
	if now := snapshotOf(t, other); now != snapshot {
		t.Skipf("the crash undid nothing, or more: the snapshot was %s and is %s", snapshot, now)
	}
	time.Sleep(1100 * time.Millisecond) // then the pool replaces the lost session before the store asks
	if reads.Valid(t.Context()) {
		t.Error("what was read of a change that is undone is valid after another one")
	}
}

func snapshotOf(t *testing.T, conn *pgx.Conn) (snapshot string) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), "SELECT txid_current_snapshot()::text").Scan(&snapshot); err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// TestE11_RolesOfOneTable: a role with rights on one table alone goes on writing, and what
// it writes counts.
func TestE11_RolesOfOneTable(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	if err := st.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	other := session(t, dsn)
	role := fmt.Sprint("writer", rand.Uint64())
	var schema string
	if err := other.QueryRow(t.Context(), "SELECT current_schema()").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	run(t, other, "CREATE ROLE "+role, "GRANT USAGE ON SCHEMA "+schema+" TO "+role,
		"GRANT INSERT, UPDATE, DELETE, TRUNCATE, SELECT ON notes TO "+role)
	defer func() { run(t, other, "RESET ROLE", "DROP OWNED BY "+role, "DROP ROLE "+role) }()
	run(t, other, "SET ROLE "+role)
	for _, sql := range []string{"INSERT INTO notes (text) VALUES ('a')", "UPDATE notes SET text = 'b'", "TRUNCATE notes"} {
		reads := cachedNotes(t, st)
		run(t, other, sql)
		if reads.Valid(t.Context()) {
			t.Errorf("after %s of another role what was read is valid", sql)
		}
	}
	if _, err := other.Exec(t.Context(), "DELETE FROM shopapi_versions"); err == nil {
		t.Error("the role may delete versions")
	}
}

// TestE11_SearchPaths: the triggers have the rights of the owner of the tables, so they run nothing
// that the search path of another role finds first.
func TestE11_SearchPaths(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	other := session(t, dsn)
	run(t, other, "CREATE SCHEMA first",
		"CREATE FUNCTION first.reached(pg_catalog.text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'reached by %', $1; END $$",
		"CREATE DOMAIN first.text AS pg_catalog.text CHECK (first.reached('a type'))",
		"CREATE DOMAIN first.bigint AS pg_catalog.int8 CHECK (first.reached('a type'))")
	for _, function := range []string{
		"current_setting(pg_catalog.text, boolean)", "set_config(pg_catalog.text, pg_catalog.text, boolean)", "length(pg_catalog.text)", "chr(int)",
		"txid_current()", "random()", "clock_timestamp()", "hashtextextended(pg_catalog.text, int8)", "concat(VARIADIC pg_catalog.text[])",
		"concat_ws(pg_catalog.text, VARIADIC pg_catalog.text[])",
	} {
		run(t, other, fmt.Sprintf("CREATE FUNCTION first.%s RETURNS pg_catalog.text LANGUAGE sql AS $$ SELECT first.reached('a function')::pg_catalog.text $$", function))
	}
	run(t, other, "CREATE FUNCTION first.compare(pg_catalog.text, pg_catalog.text) RETURNS boolean LANGUAGE sql AS $$ SELECT first.reached('an operator') $$",
		"CREATE OPERATOR first.= (LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text, FUNCTION = first.compare)",
		"CREATE OPERATOR first.<> (LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text, FUNCTION = first.compare)",
		"SELECT pg_catalog.set_config('search_path', 'first,' || current_schema() || ',pg_catalog', false)")
	for _, sql := range [][]string{
		{"INSERT INTO notes (text) VALUES ('a')"},
		{"BEGIN", "INSERT INTO notes (text) VALUES ('b')", "INSERT INTO notes (text) VALUES ('c')", "COMMIT"},
		{"BEGIN", "SELECT pg_catalog.set_config('shopapi.writes', '-', true)", "INSERT INTO notes (text) VALUES ('d')",
			"DO $$ BEGIN IF pg_catalog.current_setting('shopapi.writes') OPERATOR(pg_catalog.<>) pg_catalog.concat('-', pg_catalog.chr(10), 'notes') THEN RAISE 'the table is not in the setting'; END IF; END $$",
			"ROLLBACK"},
	} {
		reads := cachedNotes(t, st)
		run(t, other, sql...)
		if valid, undone := reads.Valid(t.Context()), sql[len(sql)-1] == "ROLLBACK"; valid != undone {
			t.Errorf("after %s what was read is valid: %v", sql, valid)
		}
	}
}

// TestE11_Folding: folding changes no version, and leaves one row for each table, whatever
// the numbers are.
func TestE11_Folding(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	other := session(t, dsn)
	for range 4 {
		run(t, other, `INSERT INTO shopapi_versions ("table", number)
			SELECT 'notes', v FROM unnest(ARRAY[9223372036854775807, 9223372036854775807, -9223372036854775808, 3,
				(random() * 9e18)::bigint, -(random() * 9e18)::bigint, -(random() * 9e18)::bigint]) v`)
		reads := cachedNotes(t, st)
		st.FoldVersions()
		if !reads.Valid(t.Context()) {
			t.Error("folding made what was read invalid")
		}
		var rows, tables int
		if err := other.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT "table") FROM shopapi_versions`).Scan(&rows, &tables); err != nil {
			t.Fatal(err)
		}
		if rows != tables {
			t.Errorf("after folding there are %d rows for %d tables", rows, tables)
		}
	}
	run(t, other, `INSERT INTO shopapi_versions ("table", number) VALUES (E'people\nnotes\nnotes', 7), ('people', 1)`)
	reads := cachedNotes(t, st)
	st.FoldVersions()
	var shared int
	if err := other.QueryRow(t.Context(), `SELECT count(*) FROM shopapi_versions WHERE "table" LIKE E'%\n%'`).Scan(&shared); err != nil || shared > 0 {
		t.Errorf("after folding %d rows have several tables, %v", shared, err)
	}
	if !reads.Valid(t.Context()) {
		t.Error("folding a row of several tables made what was read invalid")
	}
	reads = cachedNotes(t, st)
	run(t, other, `INSERT INTO shopapi_versions ("table", number) SELECT 'notes', 1 FROM generate_series(1, 700)`)
	if reads.Valid(t.Context()) {
		t.Error("700 more rows changed nothing")
	}
	until(t, "a question to have many rows folded", func() bool {
		var rows int
		_ = other.QueryRow(t.Context(), "SELECT count(*) FROM shopapi_versions").Scan(&rows)
		return rows < 10
	})
}

// TestE11_ForeignWriters: beside writers of the store and of other programs that write to
// several tables in transactions, commit, roll back and fold, no read set is valid while a
// read gives another result.
func TestE11_ForeignWriters(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	first, second := openNotes(t, dsn), openNotes(t, dsn)
	if err := first.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 800*time.Millisecond)
	defer cancel()
	var writers sync.WaitGroup
	for i := range 3 {
		conn := session(t, dsn)
		writers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 7))
			for n := 0; ctx.Err() == nil; n++ {
				text := fmt.Sprintf("INSERT INTO notes (text) VALUES ('%d %d')", i, n)
				end := "COMMIT"
				if random.IntN(3) == 0 {
					end = "ROLLBACK"
				}
				all := []string{"BEGIN", "INSERT INTO people (name, name_fold) VALUES ('x', 'x')", text, end}
				if random.IntN(4) == 0 {
					all = []string{"TRUNCATE notes"}
				}
				_, _ = conn.Exec(context.Background(), strings.Join(all, ";"))
			}
		})
	}
	writers.Go(func() {
		for ctx.Err() == nil {
			_ = add(ctx, second, "ours")
			second.FoldVersions()
		}
	})
	type read struct {
		count int64
		reads *driver.ReadSet
	}
	count := func(reads *driver.ReadSet) (n int64) {
		err := first.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) (err error) {
			n, err = notes.Count(tx)
			return err
		})
		if err != nil {
			t.Error(err)
		}
		return n
	}
	compared, valid := 0, 0
	var held []read
	for ctx.Err() == nil {
		reads := new(driver.ReadSet)
		n := count(reads)
		held = append(held, read{n, reads})
		for _, h := range held {
			// Valid twice around a read: no change came between.
			before := h.reads.Valid(t.Context())
			now := count(new(driver.ReadSet))
			if before && h.reads.Valid(t.Context()) {
				if valid++; now != h.count {
					t.Errorf("a count of %d is valid, a read counts %d", h.count, now)
				}
			}
			compared++
		}
		if len(held) == 3 {
			held = held[1:]
		}
	}
	writers.Wait()
	if compared == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d comparisons, %d valid", compared, valid)
}

// TestE11_OtherTables: changes of a table leave answers from other tables valid.
func TestE11_OtherTables(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	if err := st.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	reads := cachedNotes(t, st)
	exec(t, dsn, "INSERT INTO people (name, name_fold) VALUES ('x', 'x')")
	if !reads.Valid(t.Context()) {
		t.Error("a change of another table made what was read invalid")
	}
	if err := addPerson(t.Context(), st); err != nil || !reads.Valid(t.Context()) {
		t.Errorf("a change of another table by the store made what was read invalid, %v", err)
	}
	exec(t, dsn, `CREATE FUNCTION host() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO notes (text) VALUES ('host'); RETURN NULL; END $$;
		CREATE TRIGGER host AFTER INSERT ON people FOR EACH STATEMENT EXECUTE FUNCTION host()`)
	if err := addPerson(t.Context(), st); err != nil || reads.Valid(t.Context()) {
		t.Errorf("after a trigger changed the table what was read is valid, %v", err)
	}
}

// addPerson adds a person: a change that does not concern the notes.
func addPerson(ctx context.Context, st *postgres.Store) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error { return people.Insert(tx, &person{Name: "y"}) })
}

// TestE11_OtherRows: changes of other rows by the store leave answers valid, unless a
// trigger or SQL of the host changes rows in the same transaction.
func TestE11_OtherRows(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	for _, text := range []string{"a", "b", "c"} {
		if err := add(t.Context(), st, text); err != nil {
			t.Fatal(err)
		}
	}
	change := func(tx store.Tx, key int64, text string) error {
		return notes.Update(tx, &note{NoteID: key, Text: text})
	}
	const function = `CREATE OR REPLACE FUNCTION host() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s END $$`
	for _, c := range []struct {
		name    string
		trigger string // of the host
		body    string
		change  func(ctx context.Context, tx store.Tx) error
		valid   bool
	}{
		{"another row", "", "", func(_ context.Context, tx store.Tx) error { return change(tx, 2, "x") }, true},
		{"another row twice", "", "", func(_ context.Context, tx store.Tx) error {
			return errors.Join(change(tx, 2, "y"), change(tx, 2, "z"))
		}, true},
		{"several other rows", "", "", func(_ context.Context, tx store.Tx) error {
			set := func(row []store.Value) { row[notes.Field("text")] = store.String("several") }
			return notes.Alter(tx, set, store.InInts("note_id", 2, 3))
		}, true},
		{"a new row", "", "", func(_ context.Context, tx store.Tx) error { return notes.Insert(tx, &note{Text: "new"}) }, true},
		{"appended rows, whose keys are not known before the commit", "", "", func(_ context.Context, tx store.Tx) error {
			_, err := notes.Get(tx, 2)
			return errors.Join(err, notes.Append(tx, note{Text: "appended"}, note{Text: "too"}))
		}, false},
		{"appended rows, before a read", "", "", func(_ context.Context, tx store.Tx) error {
			_, err := notes.Get(tx, 2)
			err = errors.Join(err, notes.Append(tx, note{Text: "appended"}), change(tx, 2, "deferred"))
			_, again := notes.Get(tx, 2)
			return errors.Join(err, again)
		}, true},
		{"the row, read before", "", "", func(_ context.Context, tx store.Tx) error {
			_, err := notes.Get(tx, 1)
			return errors.Join(err, change(tx, 1, "deferred"))
		}, false},
		{"another row, deleted", "", "", func(_ context.Context, tx store.Tx) error { return notes.DeleteKey(tx, 3) }, true},
		{"a row that is missing", "", "", func(_ context.Context, tx store.Tx) error {
			_, err := notes.Delete(tx, store.Equal("note_id", store.Int(99)))
			return err
		}, true},
		{"the row", "", "", func(_ context.Context, tx store.Tx) error { return change(tx, 1, "changed") }, false},
		{"SQL of the host in the transaction", "", "", func(ctx context.Context, tx store.Tx) error {
			own, err := postgres.TxOf(tx)
			if err == nil {
				_, err = own.Exec(ctx, "UPDATE notes SET text = 'host' WHERE note_id = 1")
			}
			return errors.Join(err, change(tx, 2, "w"))
		}, false},
		{"another row, with a trigger before it", "BEFORE UPDATE ON notes FOR EACH ROW", "NEW.note_id = 1; NEW.text = 'moved'; DELETE FROM notes WHERE note_id = 1; RETURN NEW;",
			func(_ context.Context, tx store.Tx) error { return change(tx, 2, "v") }, false},
		{"a new row, with a trigger after it", "AFTER INSERT ON notes FOR EACH STATEMENT", "UPDATE notes SET text = 'after' WHERE note_id = 1; RETURN NULL;",
			func(_ context.Context, tx store.Tx) error { return notes.Insert(tx, &note{Text: "newer"}) }, false},
		{"an appended row, with a trigger after it", "AFTER INSERT ON notes FOR EACH STATEMENT", "UPDATE notes SET text = 'after append' WHERE note_id = 1; RETURN NULL;",
			func(_ context.Context, tx store.Tx) error {
				_, err := notes.Get(tx, 1)
				return errors.Join(err, notes.Append(tx, note{Text: "newer"}))
			}, false},
		{"RESET ALL of the host, after a change of the row", "", "", func(ctx context.Context, tx store.Tx) error {
			_, err := notes.Get(tx, 1)
			err = errors.Join(err, change(tx, 1, "before RESET"))
			own, ownErr := postgres.TxOf(tx)
			if ownErr == nil {
				_, ownErr = own.Exec(ctx, "RESET ALL")
			}
			return errors.Join(err, ownErr)
		}, false},
		{"a new row, with a trigger that changes it", "BEFORE INSERT ON notes FOR EACH ROW", "NEW.text = 'other'; RETURN NEW;",
			func(_ context.Context, tx store.Tx) error { return notes.Insert(tx, &note{Text: "newest"}) }, false},
	} {
		if c.trigger != "" {
			exec(t, dsn, fmt.Sprintf(function, c.body)+"; CREATE TRIGGER host "+c.trigger+" EXECUTE FUNCTION host()")
		}
		reads := new(driver.ReadSet)
		err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
			_, err := notes.Get(tx, 1)
			return err
		})
		if err != nil || !reads.Valid(t.Context()) {
			t.Fatalf("%s: what was just read is not valid, %v", c.name, err)
		}
		if err := st.Update(t.Context(), c.change); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if valid := reads.Valid(t.Context()); valid != c.valid {
			t.Errorf("after a change of %s what was read is valid: %v", c.name, valid)
		}
		if c.trigger != "" {
			exec(t, dsn, "DROP TRIGGER host ON notes")
		}
	}
}

// TestE11_Numbers: a change of one number of other rows, which takes one statement, leaves a cached
// row valid.
func TestE11_Numbers(t *testing.T) {
	st, _ := openJars(t)
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error { return jars.Insert(tx, &jar{Color: "grey", Size: 2}) })
	for _, c := range []struct {
		sizes []int64
		valid bool
	}{{[]int64{2}, true}, {[]int64{1, 3}, false}} {
		reads := new(driver.ReadSet)
		if err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
			_, err := jars.Get(tx, 1)
			return err
		}); err != nil || !reads.Valid(t.Context()) {
			t.Fatalf("what was just read is not valid, %v", err)
		}
		inUpdate(t, st, func(_ context.Context, tx store.Tx) error { return enlarge(tx, c.sizes...) })
		if valid := reads.Valid(t.Context()); valid != c.valid {
			t.Errorf("after a change of the jars of sizes %d the first jar is valid: %t, want %t", c.sizes, valid, c.valid)
		}
	}
}

// TestE11_LargeTransactions: a transaction of many statements adds few rows to the versions,
// and counts.
func TestE11_LargeTransactions(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	reads := cachedNotes(t, st)
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range 300 {
			if err := notes.Insert(tx, &note{Text: fmt.Sprint(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if reads.Valid(t.Context()) {
		t.Error("after a large transaction what was read is valid")
	}
	var rows int
	if err := session(t, dsn).QueryRow(t.Context(), "SELECT count(*) FROM shopapi_versions").Scan(&rows); err != nil || rows > 80 {
		t.Errorf("a transaction of 300 statements left %d rows, %v", rows, err)
	}
}

// TestE11_EndOfTheLog: in a transaction that is not logged to its end, by many statements or by SQL of
// the host, the changes before and after count.
func TestE11_EndOfTheLog(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	if err := st.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	many := func(tx store.Tx) (err error) {
		for range 64 { // with another one, more than are logged
			err = errors.Join(err, people.Insert(tx, &person{Name: "z"}))
		}
		return err
	}
	host := func(ctx context.Context, tx store.Tx, sql string) error {
		own, err := postgres.TxOf(tx)
		if err == nil {
			_, err = own.Exec(ctx, sql)
		}
		return err
	}
	const change = "INSERT INTO notes (text) VALUES ('host')"
	for name, fn := range map[string]func(ctx context.Context, tx store.Tx) error{
		"many statements before": func(_ context.Context, tx store.Tx) error {
			return errors.Join(many(tx), notes.Insert(tx, &note{Text: "a"}))
		},
		"many statements after": func(_ context.Context, tx store.Tx) error {
			return errors.Join(notes.Insert(tx, &note{Text: "a"}), many(tx))
		},
		"many statements after, then SQL of the host": func(ctx context.Context, tx store.Tx) error {
			return errors.Join(notes.Insert(tx, &note{Text: "a"}), many(tx), host(ctx, tx, "SELECT"))
		},
		"SQL of the host, after another table": func(ctx context.Context, tx store.Tx) error {
			return errors.Join(people.Insert(tx, &person{Name: "z"}), host(ctx, tx, change))
		},
		"before SQL of the host": func(ctx context.Context, tx store.Tx) error {
			return errors.Join(notes.Insert(tx, &note{Text: "a"}), host(ctx, tx, "SELECT"))
		},
		"after SQL of the host": func(ctx context.Context, tx store.Tx) error {
			return errors.Join(host(ctx, tx, "SELECT"), notes.Append(tx, note{Text: "a"}))
		},
	} {
		reads := cachedNotes(t, st)
		if err := st.Update(t.Context(), fn); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if reads.Valid(t.Context()) {
			t.Errorf("after a change, %s, what was read is valid", name)
		}
	}
}

// TestE11_NewEpoch: on another timeline nothing that was read before is valid, and the
// first question writes a new epoch.
func TestE11_NewEpoch(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	reads := cachedNotes(t, st)
	exec(t, dsn, "UPDATE shopapi_epochs SET timeline = 'FFFFFFFF'")
	if reads.Valid(t.Context()) {
		t.Error("what was read on another timeline is valid")
	}
	cachedNotes(t, st)
}

// TestE11_Triggers: Migrate makes triggers that are missing or switched off again, and then
// what other processes have read is not valid.
func TestE11_Triggers(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	for _, sql := range []string{
		"ALTER TABLE notes DISABLE TRIGGER shopapi_changed",
		"ALTER TABLE notes DISABLE TRIGGER shopapi_replicated",
		"DROP TRIGGER shopapi_changed ON notes",
		"DROP TABLE notes",
		"DROP FUNCTION shopapi_note_change CASCADE",
	} {
		reads := cachedNotes(t, st)
		exec(t, dsn, sql)
		openNotes(t, dsn)
		if reads.Valid(t.Context()) {
			t.Errorf("after %s and Migrate what was read is valid", sql)
		}
		reads = cachedNotes(t, st)
		exec(t, dsn, "INSERT INTO notes (text) VALUES ('a')")
		if reads.Valid(t.Context()) {
			t.Errorf("after %s, Migrate and a change what was read is valid", sql)
		}
	}
}

// TestE11_Changed: a change that fires no trigger counts once Changed was called.
func TestE11_Changed(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st, other := openNotes(t, dsn), open(t, dsn)
	reads := cachedNotes(t, st)
	exec(t, dsn, "ALTER TABLE notes ALTER COLUMN text TYPE text COLLATE \"C\" USING text || '!'")
	if err := other.Changed(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if reads.Valid(t.Context()) {
		t.Error("after Changed what was read is valid")
	}
	if err := other.Changed(t.Context(), "unknown"); err == nil {
		t.Error("a table that is not there was accepted")
	}
}

// TestE11_NoCache: with the option nothing is recorded that could be cached.
func TestE11_NoCache(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st, err := postgres.OpenWith(t.Context(), dsn, postgres.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
		t.Fatal(err)
	}
	if reads := readNotes(t, st); reads.Complete() || reads.Valid(t.Context()) {
		t.Error("what was read with NoCache can be cached")
	}
	if _, err := st.Versions(t.Context()); err == nil {
		t.Error("with NoCache the versions are known")
	}
}

// TestE11_RolesWithoutTriggers: where a role may not make triggers nothing is cached, and
// the store works.
func TestE11_RolesWithoutTriggers(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	owner := openNotes(t, dsn)
	if err := owner.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	before := new(driver.ReadSet)
	err := owner.View(driver.WithReadSet(t.Context(), before), func(_ context.Context, tx store.Tx) error {
		_, err := people.Select(tx, store.Query{})
		return err
	})
	if err != nil || !before.Valid(t.Context()) {
		t.Fatalf("what was just read is not valid, %v", err)
	}
	err = owner.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return errors.Join(people.Insert(tx, &person{Name: "x"}), notes.Insert(tx, &note{Text: "of the owner"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	other := session(t, dsn)
	role := fmt.Sprint("shop", rand.Uint64())
	var schema string
	if err := other.QueryRow(t.Context(), "SELECT current_schema()").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	run(t, other, "CREATE ROLE "+role+" LOGIN", "GRANT USAGE ON SCHEMA "+schema+" TO "+role, "GRANT ALL ON ALL TABLES IN SCHEMA "+schema+" TO "+role,
		"DROP TRIGGER shopapi_changed ON notes")
	defer run(t, other, "DROP OWNED BY "+role, "DROP ROLE "+role)
	st := open(t, strings.Replace(dsn, "postgres://postgres@", "postgres://"+role+"@", 1))
	if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, st, "of the owner", "a")
	if reads := readNotes(t, st); reads.Complete() {
		t.Error("what was read from a table without triggers can be cached")
	}
	if before.Valid(t.Context()) {
		t.Error("another table has its version from before a change again")
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}
