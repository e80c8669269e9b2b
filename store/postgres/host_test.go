//go:build unix

package postgres_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

func hostPool(t testing.TB, dsn string, configure func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if configure != nil {
		configure(config)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func TestAHostsPoolStaysOpen(t *testing.T) {
	for name, configure := range map[string]func(*pgxpool.Config){
		"as it comes":     nil,
		"one connection":  func(c *pgxpool.Config) { c.MaxConns = 1 },
		"simple protocol": func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol },
	} {
		t.Run(name, func(t *testing.T) {
			pool := hostPool(t, pgtest.DSN(t), configure)
			st := postgres.New(pool)
			if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				if err := add(t.Context(), st, fmt.Sprint(i)); err != nil {
					t.Fatal(err)
				}
				wantTexts(t, st, []string{"0", "1", "2"}[:i+1]...)
				// The host's own statements, between the store's.
				var n int
				if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM notes").Scan(&n); err != nil || n != i+1 {
					t.Errorf("the host counts %d rows, %v", n, err)
				}
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			if held := pool.Stat().AcquiredConns(); held != 0 {
				t.Errorf("after Close the store holds %d connections", held)
			}
			if err := pool.Ping(t.Context()); err != nil {
				t.Errorf("the host's pool after Close: %v", err)
			}
		})
	}
}

// Close waits for the end of a View's transaction that has begun in the background.
func TestClose_WaitsForTheLastConnection(t *testing.T) {
	t.Parallel()
	pool := hostPool(t, pgtest.DSN(t), nil)
	migrated := postgres.New(pool)
	if err := migrated.Migrate(t.Context(), notes.Schema()); err != nil {
		t.Fatal(err)
	}
	if err := migrated.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		st := postgres.New(pool)
		wantTexts(t, st)
		time.Sleep(5*time.Millisecond + time.Duration(i)*25*time.Microsecond) // the background waits about as long
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		if held := pool.Stat().AcquiredConns(); held != 0 {
			t.Fatalf("after Close %d the store holds %d connections", i, held)
		}
	}
}

// The transaction of a View ends soon, even without a next transaction.
func TestAViewDoesNotStayInItsTransaction(t *testing.T) {
	dsn := pgtest.DSN(t)
	pool := hostPool(t, dsn, nil)
	st := postgres.New(pool)
	if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
		t.Fatal(err)
	}
	warm(t, st)
	until(t, "the end of all transactions", func() bool { return pool.Stat().AcquiredConns() == 0 })
	exec(t, dsn, "ALTER TABLE notes ADD COLUMN host integer") // waits for readers
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTheHostWritesKeysOfItsOwn(t *testing.T) {
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	exec(t, dsn, "INSERT INTO notes (note_id, text) SELECT n, 'host' FROM generate_series(1, 5) n")
	var n note
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		n = note{Text: "ours"}
		return notes.Insert(tx, &n)
	})
	if err != nil || n.NoteID != 6 {
		t.Errorf("the key after the host's 1 to 5 is %d, %v, want 6", n.NoteID, err)
	}
}

// Some keys of the rows of one statement may be taken.
func TestTheHostWritesKeysBetweenOurs(t *testing.T) {
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	exec(t, dsn, "INSERT INTO notes (note_id, text) SELECT n, 'host' FROM unnest(ARRAY[3, 4, 9]) n")
	list := make([]note, 7)
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range list {
			list[i] = note{Text: fmt.Sprintf("ours %d", i)}
		}
		return notes.InsertAll(tx, list)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if i > 0 && list[i].NoteID <= list[i-1].NoteID {
			t.Errorf("the keys are not in the order of the rows: %v", list)
		}
	}
	wantTexts(t, st, "host", "host", "ours 0", "host", "ours 1", "ours 2", "ours 3", "ours 4", "ours 5", "ours 6")
}

func TestTheHostsColumnsStay(t *testing.T) {
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	if err := add(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	exec(t, dsn, "ALTER TABLE notes ADD COLUMN host text DEFAULT 'mine'")
	if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), st, "b"); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, st, "a", "b")
	exec(t, dsn, "DO $$ BEGIN ASSERT (SELECT count(*) FROM notes WHERE host = 'mine') = 2; END $$")
}

// A person is found and sorted by name.
type person struct {
	PersonID int64   `json:"person_id" store:"key"`
	Name     string  `json:"name" store:"fold,search"`
	Nick     *string `json:"nick" store:"fold"`
}

var people = store.MustTable[person]("people", store.Index{Columns: []string{"name"}}, store.Index{Columns: []string{"nick"}})

func find(t testing.TB, st store.Store, part string) (n int64) {
	t.Helper()
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
		n, err = people.Count(tx, store.Any(store.Contains("name", part), store.Contains("nick", part)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A process that was killed while it filled folded forms left some null.
func TestMigrateGoesOnWhereAnotherStopped(t *testing.T) {
	dsn := pgtest.DSN(t)
	st := open(t, dsn)
	exec(t, dsn, `CREATE TABLE people (person_id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL DEFAULT '', nick text COLLATE "C");
		INSERT INTO people (name, nick) SELECT 'Ärger ' || n, CASE WHEN n % 2 = 0 THEN 'ÖL ' || n END FROM generate_series(1, 1200) n;
		ALTER TABLE people ADD COLUMN name_fold text COLLATE "C", ADD COLUMN nick_fold text COLLATE "C";
		UPDATE people SET name_fold = 'ärger ' || person_id WHERE person_id < 700`)
	if err := st.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	if n := find(t, st, "ÄRGER"); n != 1200 {
		t.Errorf("%d rows are found by name, want 1200", n)
	}
	if n := find(t, st, "öl"); n != 600 {
		t.Errorf("%d rows are found by nick, want 600", n)
	}
}

// plan is how the server would run a query.
func plan(t testing.TB, dsn, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), "EXPLAIN "+sql)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestSearchesAndOrdersHaveIndexes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := open(t, dsn)
	if err := st.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	exec(t, dsn, `INSERT INTO people (name, name_fold) SELECT 'Person ' || md5(n::text), 'person ' || md5(n::text) FROM generate_series(1, 20000) n`)
	exec(t, dsn, "VACUUM ANALYZE people")
	for _, c := range []struct{ sql, index string }{
		{`SELECT * FROM people ORDER BY name_fold, person_id LIMIT 20`, "people.name_fold.index"},
		{`SELECT * FROM people ORDER BY name_fold DESC, person_id DESC LIMIT 20`, "people.name_fold.index"},
		{`SELECT * FROM people ORDER BY nick_fold ASC NULLS FIRST, person_id LIMIT 20`, "people.nick_fold.index"},
		{`SELECT * FROM people WHERE name_fold = 'person x'`, "people.name_fold.index"},
		{`SELECT count(*) FROM people WHERE name_fold LIKE '%c4ca4238a%'`, "people.name_fold.search"},
	} {
		if got := plan(t, dsn, c.sql); !strings.Contains(got, c.index) || strings.Contains(got, "Sort") {
			t.Errorf("%s does not go by %s:\n%s", c.sql, c.index, got)
		}
	}
}

// Without the right to install an extension, searches go without it.
func TestSearchWithoutTrigrams(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, pgtest.Options{})
	exec(t, s.DSN(), "CREATE ROLE plain LOGIN; CREATE SCHEMA shop AUTHORIZATION plain; REVOKE CREATE ON DATABASE postgres FROM PUBLIC")
	dsn := strings.Replace(s.DSNWith("search_path=shop"), "postgres@", "plain@", 1)
	st := open(t, dsn)
	if err := st.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return people.Insert(tx, &person{Name: "Straße"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := find(t, st, "RASSE"); n != 1 {
		t.Errorf("%d rows are found, want 1", n)
	}
	exec(t, s.DSN(), "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm'); END $$")
}

func TestAnotherEncodingIsRefused(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, pgtest.Options{})
	exec(t, s.DSN(), "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
	st := open(t, strings.Replace(s.DSN(), "/postgres?", "/latin?", 1))
	if err := st.Migrate(t.Context(), people.Schema()); err == nil || !strings.Contains(err.Error(), "UTF8") {
		t.Errorf("Migrate of a database in LATIN1: %v", err)
	}
}

// Names that the server would cut to the same 63 bytes stay apart.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("a", 40)
	s, err := store.NewSchema("t"+long, []store.Column{
		{Name: "id", Kind: store.Integer}, {Name: long + "_x", Kind: store.Text, Fold: true}, {Name: long + "_y", Kind: store.Text, Fold: true},
	}, store.Index{Columns: []string{long + "_x"}, Unique: true}, store.Index{Columns: []string{long + "_y"}, Unique: true})
	if err != nil {
		t.Fatal(err)
	}
	st := open(t, pgtest.DSN(t))
	for range 2 {
		if err := st.Migrate(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	row := []store.Value{store.Int(0), store.String("a"), store.String("b")}
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		if _, err := tx.Insert(s, row); err != nil {
			return err
		}
		_, err := tx.Insert(s, []store.Value{store.Int(0), store.String("c"), store.String("B")})
		var conflict *store.ConflictError
		if !errors.As(err, &conflict) || conflict.Columns[0] != long+"_y" {
			t.Errorf("the second row: %v, want a conflict over _y", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tooLong, err := store.NewSchema("t", []store.Column{{Name: "id", Kind: store.Integer}, {Name: strings.Repeat("a", 60), Kind: store.Text}})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Migrate(t.Context(), tooLong); err == nil {
		t.Error("a name that the server would cut is taken")
	}
}

// An index takes texts up to a length: the error for a longer one names its column.
func TestATextTooLongForItsIndex(t *testing.T) {
	st := open(t, pgtest.DSN(t))
	if err := st.Migrate(t.Context(), people.Schema()); err != nil {
		t.Fatal(err)
	}
	random := make([]byte, 5000)
	rand.NewChaCha8([32]byte{1}).Read(random)
	for n, fits := range map[int]bool{1000: true, 1250: true, 2500: false} {
		name := hex.EncodeToString(random[:n]) // 2n bytes that cannot be compressed much
		p := person{Name: "a"}
		for what, write := range map[string]func(tx store.Tx) error{
			"Insert": func(tx store.Tx) error { return people.Insert(tx, &person{Name: name}) },
			"Update": func(tx store.Tx) error {
				p = person{Name: "a"}
				if err := people.Insert(tx, &p); err != nil {
					return err
				}
				p.Name = name
				return people.Update(tx, &p)
			},
		} {
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return write(tx) })
			var text *store.TextError
			if fits && err != nil || !fits && (!errors.As(err, &text) || text.Column != "name" || text.Most == 0) {
				t.Errorf("%s of %d bytes: %v", what, len(name), err)
			}
		}
	}
}

// TestMain migrates, or serves a shop, where a test starts it as a process.
func TestMain(m *testing.M) {
	var err error
	if dsn := os.Getenv("POSTGRES_TEST_MIGRATE"); dsn != "" {
		err = migrateAll(dsn)
	} else if dsn := os.Getenv("POSTGRES_TEST_SERVE"); dsn != "" {
		err = serve(dsn)
	} else {
		fasttest.Waiting()
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func migrateAll(dsn string) error {
	st, err := postgres.Open(context.Background(), dsn)
	if err != nil {
		return err
	}
	return errors.Join(st.Migrate(context.Background(), people.Schema(), notes.Schema(), wares.Schema()), st.Close())
}

func TestTenProcessesMigrate(t *testing.T) {
	t.Parallel()
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { testTenProcessesMigrate(t, d.dsn(t)) })
	}
}

func testTenProcessesMigrate(t *testing.T, dsn string) {
	exec(t, dsn, `CREATE TABLE people (person_id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL DEFAULT '');
		INSERT INTO people (name) SELECT 'Ä ' || n FROM generate_series(1, 3000) n`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			process := osexec.CommandContext(t.Context(), self)
			process.Env = append(os.Environ(), "POSTGRES_TEST_MIGRATE="+dsn)
			if out, err := process.CombinedOutput(); err != nil {
				t.Errorf("a process that migrates: %v: %s", err, out)
			}
		})
	}
	all.Wait()
	st := open(t, dsn)
	if n := find(t, st, "ä"); n != 3000 {
		t.Errorf("%d rows are found, want 3000", n)
	}
}
