package postgres

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store"
)

// The function of the triggers, and the triggers of each table. The second trigger is for
// logical replication, which applies rows without firing triggers of statements.
const (
	changeFunction   = "shopapi_note_change"
	statementTrigger = "shopapi_changed"
	rowTrigger       = "shopapi_replicated"
)

// changeSource is the body of the function. In a transaction of a store it adds the table to
// [writesSetting]. In others it adds one random number to the version of the table: a setting of
// the transaction, which a savepoint undoes together with the row, says that this is done.
//
// The function has the rights of its owner and the search path of its caller, since setting
// another one takes longer than the rest. So each name has its schema.
const changeSource = `
DECLARE
	writes pg_catalog.text := pg_catalog.current_setting('` + writesSetting + `', true);
	setting pg_catalog.text := pg_catalog.concat('shopapi.changed_', TG_RELID);
	transaction pg_catalog.text := pg_catalog.txid_current()::pg_catalog.text;
BEGIN
	IF writes OPERATOR(pg_catalog.<>) '' AND pg_catalog.length(writes) OPERATOR(pg_catalog.<) ` + maxWrites + ` THEN
		writes := pg_catalog.set_config('` + writesSetting + `', pg_catalog.concat(writes, pg_catalog.chr(10), TG_TABLE_NAME), true);
	ELSIF pg_catalog.current_setting(setting, true) OPERATOR(pg_catalog.=) transaction THEN
		RETURN NULL;
	ELSE
		INSERT INTO %[1]s.` + versionsTable + ` ("table", number) VALUES (TG_TABLE_NAME, ` + randomSQL + `);
		setting := pg_catalog.set_config(setting, transaction, true);
	END IF;
	RETURN NULL;
END `

// A watcher makes what the versions of the tables need.
type watcher struct {
	inspected bool
	possible  bool
	watched   map[string]bool // tables that have their triggers
}

// watch makes the triggers of tables, where the role may do that. It asks the database once
// for all calls of Migrate.
func (m *migration) watch(s *Store, schemas []*store.Schema) error {
	if s.noCache || m.engine != postgreSQL {
		return nil
	}
	s.watching.Lock()
	defer s.watching.Unlock()
	w := &s.watcher
	if !w.inspected {
		if err := m.prepareWatch(w); err != nil {
			return err
		}
		w.inspected = true
	}
	if !w.possible {
		return nil
	}
	for _, schema := range schemas {
		if w.watched[schema.Name] && !m.made[schema.Name] {
			continue
		}
		if err := m.watchTable(schema.Name); err != nil {
			return fmt.Errorf("postgres: migrate %s: %w", schema.Name, translate(m.ctx, err))
		}
		w.watched[schema.Name] = true
	}
	s.versions.on.Store(true)
	return nil
}

// inspectSQL asks for the schema of the versions, the function's body, whether the role may
// use the versions, and the tables that have both triggers.
const inspectSQL = `SELECT
	coalesce((SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('` + versionsTable + `')), quote_ident(current_schema())),
	coalesce((SELECT prosrc FROM pg_proc WHERE oid = to_regproc('` + changeFunction + `')), ''),
	to_regclass('` + epochsTable + `') IS NOT NULL,
	coalesce(has_table_privilege(to_regclass('` + versionsTable + `')::oid, 'SELECT') AND has_table_privilege(to_regclass('` + versionsTable + `')::oid, 'INSERT')
		AND has_table_privilege(to_regclass('` + versionsTable + `')::oid, 'DELETE') AND has_table_privilege(to_regclass('` + epochsTable + `')::oid, 'SELECT')
		AND has_table_privilege(to_regclass('` + epochsTable + `')::oid, 'INSERT'), false),
	coalesce((SELECT string_agg(name, ' ') FROM (
		SELECT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE (t.tgname, t.tgenabled) IN (('` + statementTrigger + `', 'A'), ('` + rowTrigger + `', 'R'))
			AND t.tgfoid = to_regproc('` + changeFunction + `')::oid AND pg_table_is_visible(c.oid)
		GROUP BY c.relname HAVING count(*) = 2) AS both_triggers), '')`

// prepareWatch makes the tables of the versions and the function.
func (m *migration) prepareWatch(w *watcher) error {
	for attempt := 0; ; attempt++ {
		var schema, source, tables string
		var made, allowed bool
		if err := m.queryRow(inspectSQL).Scan(&schema, &source, &made, &allowed, &tables); err != nil {
			return translate(m.ctx, err)
		}
		if want := fmt.Sprintf(changeSource, schema); !made || source != want {
			if attempt > 0 {
				return errNoVersions
			}
			err := m.exec(fmt.Sprintf(makeVersions, want))
			if isRefusal(err) {
				m.cannotCache(err)
				return nil
			}
			if err != nil {
				return translate(m.ctx, err)
			}
			continue
		}
		if w.possible = allowed; allowed {
			if err := m.exec(newEpochSQL); err != nil {
				return translate(m.ctx, err)
			}
		}
		w.watched = make(map[string]bool)
		for name := range strings.FieldsSeq(tables) {
			w.watched[name] = true
		}
		return nil
	}
}

// makeVersions makes the tables of the versions, and the function.
const makeVersions = `CREATE TABLE IF NOT EXISTS ` + versionsTable + ` ("table" text COLLATE "C" NOT NULL, number bigint NOT NULL)
	WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE TABLE IF NOT EXISTS ` + epochsTable + ` (timeline text COLLATE "C" PRIMARY KEY, epoch bigint NOT NULL);
CREATE OR REPLACE FUNCTION ` + changeFunction + `() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $shopapi$%s$shopapi$`

// isRefusal reports whether the role may not make triggers, or the server cannot: the
// language is missing, or the table is a view.
func isRefusal(err error) bool {
	c := code(err)
	return c == "42501" || c == "42704" || c == "42809" || c == "0A000"
}

// cannotCache reports why nothing is cached.
func (m *migration) cannotCache(err error) {
	slog.Default().LogAttrs(m.ctx, slog.LevelWarn, "postgres: answers are not cached, because changes cannot be noticed", slog.String("error", err.Error()))
}

// watchTable makes the triggers of a table, and gives it a new version: what other
// processes read while the triggers were missing is not valid any more. The lock has
// each writer either be seen by the new version, or fire the triggers.
func (m *migration) watchTable(name string) error {
	err := m.exec(fmt.Sprintf(`DO $shopapi$
BEGIN
	LOCK TABLE %[1]s IN SHARE ROW EXCLUSIVE MODE;
	IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '%[1]s'::regclass AND tgname = '`+statementTrigger+`') THEN
		CREATE TRIGGER `+statementTrigger+` AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %[1]s
			FOR EACH STATEMENT EXECUTE FUNCTION `+changeFunction+`();
	END IF;
	IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '%[1]s'::regclass AND tgname = '`+rowTrigger+`') THEN
		CREATE TRIGGER `+rowTrigger+` AFTER INSERT OR UPDATE OR DELETE ON %[1]s
			FOR EACH ROW EXECUTE FUNCTION `+changeFunction+`();
	END IF;
	ALTER TABLE %[1]s ENABLE ALWAYS TRIGGER `+statementTrigger+`;
	ALTER TABLE %[1]s ENABLE REPLICA TRIGGER `+rowTrigger+`;
	INSERT INTO `+versionsTable+` ("table", number) VALUES ('%[2]s', `+randomSQL+`);
END $shopapi$`, quote(name), name))
	if !isRefusal(err) {
		return err
	}
	// Without a version, no process caches what is read from the table.
	m.cannotCache(fmt.Errorf("table %s: %w", name, err))
	_, err = m.conn.Exec(m.ctx, forgetTableSQL, pgx.QueryExecModeExec, name)
	return err
}

// forgetTableSQL removes the version of a table. Tables that share rows with it get a new one, since
// without these rows they would have an old one again.
const forgetTableSQL = `WITH removed AS (
	DELETE FROM ` + versionsTable + ` WHERE $1 = ANY (string_to_array("table", chr(10))) RETURNING "table"
)
INSERT INTO ` + versionsTable + ` ("table", number) SELECT name, ` + randomSQL + `
	FROM (SELECT DISTINCT unnest(string_to_array("table", chr(10))) AS name FROM removed) AS names WHERE name <> $1`
