package postgres

import (
	"strings"
	"testing"
)

func TestTransactionControl(t *testing.T) {
	for sql, want := range map[string]string{
		"": "", ";;": "", "SELECT 1": "", "commit": "COMMIT", " \n BEGIN;": "BEGIN", "Start Transaction": "START TRANSACTION",
		"END": "END", "abort work": "ABORT", "PREPARE TRANSACTION 'x'": "PREPARE TRANSACTION", "PREPARE p AS SELECT 1": "",
		"ROLLBACK": "ROLLBACK", "ROLLBACK AND CHAIN": "ROLLBACK", "ROLLBACK WORK": "ROLLBACK", "rollback transaction": "ROLLBACK",
		"ROLLBACK TO a": "", "ROLLBACK WORK TO SAVEPOINT a": "", "SAVEPOINT a; RELEASE a": "",
		"SELECT 1; COMMIT": "COMMIT", "-- COMMIT": "", "-- a\nCOMMIT": "COMMIT", "/* a /* b */ c */ COMMIT": "COMMIT", "/* ; COMMIT": "",
		"SELECT ';COMMIT'": "", "SELECT ';'; COMMIT": "COMMIT", "SELECT ''';COMMIT'": "", `SELECT E'\';COMMIT'`: "", `SELECT '\'; COMMIT`: "COMMIT",
		`SELECT 1 AS ";COMMIT"`: "", `SELECT 1 AS """"; COMMIT`: "COMMIT", "DO $$ BEGIN; END $$": "", "DO $$ x $$; COMMIT": "COMMIT",
		"DO $a$ $$ ; COMMIT $a$": "", "SELECT $1; COMMIT": "COMMIT", "SELECT $1, $2; COMMIT": "COMMIT", "SELECT a$b; COMMIT; SELECT $": "COMMIT",
		"SELECT commit FROM begin": "", "COMMITS": "", "INSERT INTO t VALUES (1) RETURNING (SELECT 1);ROLLBACK": "ROLLBACK",
		"SELECT \xff; END": "END", "$$;COMMIT": "", "(COMMIT)": "",
	} {
		if got := transactionControl(sql); got != want {
			t.Errorf("transactionControl(%q) = %q, want %q", sql, got, want)
		}
	}
}

// The scanner ends for every text. It finds an appended statement, unless the text ends
// inside quotes or a comment.
func FuzzTransactionControl(f *testing.F) {
	for _, sql := range []string{"", "SELECT 1;", "SELECT 'a", "DO $a$ b $a$", "/* /* */", `E'\'`, "--", "ROLLBACK TO a", "$1$2"} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		transactionControl(sql)
		if strings.ContainsAny(sql, "'\"$/-") {
			return
		}
		if transactionControl(sql+";COMMIT") == "" {
			t.Errorf("the COMMIT after %q is not found", sql)
		}
	})
}
