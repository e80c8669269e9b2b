package postgres

import "strconv"

// writesSetting is a setting of a transaction of a store: the tables of its statements so far,
// each after a line feed. Statements of the host's triggers are among them. Where it is not empty,
// the triggers of the versions only add to it, and the transaction ends with [noteWritesSQL]: one
// INSERT in place of one for each statement. A savepoint undoes the setting together with the
// statements.
const writesSetting = "shopapi.writes"

// noWrites is the setting of a transaction that has written nothing.
const noWrites = "-"

const (
	// beginWritesSQL has the triggers add to the setting.
	beginWritesSQL = `SELECT set_config('` + writesSetting + `', '` + noWrites + `', true)`

	// endWritesSQL has them add rows again.
	endWritesSQL = `SELECT set_config('` + writesSetting + `', '', true)`
)

// maxWrites is the length of the setting at which the triggers begin to add rows: a function of
// the host that runs thousands of statements should not copy it each time.
const maxWrites = "4000"

// noteWritesSQL gives the tables in the setting their new versions: a row with all of them and
// the number of the transaction. Tables with triggers of the host for rows get a random number
// instead, because these may change the rows.
const noteWritesSQL = `INSERT INTO ` + versionsTable + ` ("table", number)
	SELECT string_agg(name, chr(10)), CASE WHEN triggers THEN ` + randomSQL + ` ELSE $1::bigint END
	FROM (SELECT name, EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass(quote_ident(name))
			AND tgtype % 2 = 1 AND NOT tgisinternal AND tgname <> '` + rowTrigger + `') AS triggers
		FROM unnest(string_to_array(current_setting('` + writesSetting + `', true), chr(10))) AS name WHERE name <> '` + noWrites + `') AS written
	GROUP BY triggers`

// sendWrites queues [noteWritesSQL].
func sendWrites(c *conn, number uint64) {
	c.send(noteWritesSQL, [][]byte{strconv.AppendInt(nil, int64(number), 10)}, request{})
}
