package engine_test

import (
	"fmt"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// A savepoint puts back what it changed, whether its pages stay in memory or go to a
// temporary file.
func TestSavepointsOfAnySizeAreRolledBack(t *testing.T) {
	for _, place := range []string{"DEFAULT", "MEMORY"} {
		t.Run(place, func(t *testing.T) { testSavepoints(t, place) })
	}
}

func testSavepoints(t *testing.T, place string) {
	c := open(t)
	exec(t, c, "PRAGMA temp_store = "+place)
	exec(t, c, "PRAGMA journal_mode = WAL")
	exec(t, c, "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER, pad TEXT)")
	exec(t, c, "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x < 1000) INSERT INTO t SELECT x, 0, hex(zeroblob(1900)) FROM c")
	for _, pages := range []int64{1, 10, 31, 32, 33, 100, 1000} {
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			exec(t, c, "BEGIN")
			exec(t, c, "SAVEPOINT s")
			for k := range pages {
				exec(t, c, "UPDATE t SET n = 1 WHERE k = ?", store.Int(k+1))
			}
			exec(t, c, "ROLLBACK TO s")
			exec(t, c, "RELEASE s")
			exec(t, c, "COMMIT")
			exec(t, c, "UPDATE t SET n = 0") // one statement, which may have to be put back
			err := c.Query("SELECT sum(n), count(*) FROM t", nil, func(row []store.Value) error {
				if row[0].Int() != 0 || row[1].Int() != 1000 {
					t.Errorf("%d of %d rows are changed", row[0].Int(), row[1].Int())
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
