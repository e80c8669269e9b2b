package postgres

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
)

// sequences caches the sequence of each table.
type sequences struct {
	known sync.Map                        // *store.Schema to sequence
	last  atomic.Pointer[[]*store.Schema] // that the last group has added rows to
}

// ofGroups returns the tables that a group is likely to add rows to.
func (s *sequences) ofGroups() []*store.Schema {
	if last := s.last.Load(); last != nil {
		return *last
	}
	return nil
}

// A sequence counts the keys of a table.
type sequence struct {
	name string // quoted, "" where the table has none
	lock bool   // the server can lock tables
}

// A givenKey is the greatest key that a transaction inserted into a table itself.
type givenKey struct {
	schema *store.Schema
	key    int64
}

// give notes a key that an inserted row brought. The sequence is moved past it
// before the next key is taken, or the transaction is committed.
func (t *tx) give(s *store.Schema, key int64) {
	for i := range t.given {
		if t.given[i].schema == s {
			t.given[i].key = max(t.given[i].key, key)
			return
		}
	}
	t.given = append(t.given, givenKey{s, key})
}

// gave reports whether the sequence of a table has to be moved.
func (t *tx) gave(s *store.Schema) bool {
	return slices.ContainsFunc(t.given, func(g givenKey) bool { return g.schema == s })
}

// moveSequence moves the sequence of one table past the keys given.
func (t *tx) moveSequence(s *store.Schema) error {
	for i, g := range t.given {
		if g.schema == s {
			t.given = append(t.given[:i], t.given[i+1:]...)
			return t.move(g)
		}
	}
	return nil
}

// advance moves all sequences that have to be.
func (t *tx) advance() error {
	for _, g := range t.given {
		if err := t.move(g); err != nil {
			return err
		}
	}
	t.given = nil
	return nil
}

// move has the next key of a table be greater than the one given. Where
// tables can be locked, no key is taken between reading and setting the sequence;
// elsewhere a key may be offered twice, and is then refused once.
func (t *tx) move(g givenKey) error {
	seq, err := t.sequence(g.schema)
	if err != nil || seq.name == "" {
		return err
	}
	// Sequences are outside of transactions: their values are current.
	const at = "(CASE WHEN is_called THEN last_value ELSE last_value - 1 END)"
	key := strconv.AppendInt(nil, g.key, 10)
	behind := false
	err = t.round(func(c *conn) {
		c.send("SELECT 1 FROM "+seq.name+" WHERE "+at+" < $1", [][]byte{key}, request{row: func([][]byte) { behind = true }})
	})
	if err != nil || !behind {
		return err
	}
	return t.round(func(c *conn) {
		if seq.lock {
			c.send("LOCK TABLE "+quote(g.schema.Name)+" IN SHARE ROW EXCLUSIVE MODE", nil, request{})
		}
		c.send("SELECT setval('"+strings.ReplaceAll(seq.name, "'", "''")+"', $1) FROM "+seq.name+" WHERE "+at+" < $1",
			[][]byte{key}, request{})
	})
}

// moveToLast has the next key of a table be greater than every key in it.
func (t *tx) moveToLast(s *store.Schema) error {
	last := givenKey{schema: s}
	err := t.query(func(c *conn) error {
		c.send("SELECT max("+quote(s.Key())+") FROM "+quote(s.Name), nil, request{row: func(values [][]byte) {
			last.key, _ = strconv.ParseInt(string(values[0]), 10, 64) // null where there is no row
		}})
		return nil
	})
	if err != nil {
		return err
	}
	return t.move(last)
}

// sequence returns the sequence of a table.
func (t *tx) sequence(s *store.Schema) (sequence, error) {
	if known, ok := t.store.keys.known.Load(s); ok {
		return known.(sequence), nil
	}
	var seq sequence
	err := t.round(func(c *conn) {
		c.send("SELECT pg_get_serial_sequence($1, $2), version()", [][]byte{[]byte(quote(s.Name)), []byte(s.Key())},
			request{row: func(values [][]byte) {
				seq.name = string(values[0])
				seq.lock = engineOf(string(values[1])) == postgreSQL
			}})
	})
	if err == nil {
		t.store.keys.known.Store(s, seq)
	}
	return seq, err
}

// An engine is a kind of server that speaks PostgreSQL's protocol.
type engine uint8

const (
	postgreSQL engine = iota
	cockroachDB
	yugabyteDB
)

// engineOf derives the engine from the text of version().
func engineOf(version string) engine {
	switch {
	case strings.Contains(version, "CockroachDB"):
		return cockroachDB
	case strings.Contains(version, "-YB-"):
		return yugabyteDB
	}
	return postgreSQL
}

// quote quotes a name of a schema, which holds no quote.
func quote(name string) string { return `"` + name + `"` }
