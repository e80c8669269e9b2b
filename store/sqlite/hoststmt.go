package sqlite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// hostStatements are the statements of the host that are prepared on a
// connection.
type hostStatements struct {
	byText map[string]*hostStatement
	schema int64 // version of the schema that they were prepared for
}

// A hostStatement is a statement of the host and what it does.
type hostStatement struct {
	*engine.Stmt
	effects effects
}

// maxHostStatements is how many statements of the host a connection caches.
const maxHostStatements = 64

// refresh drops all statements when the schema is another one: a new trigger may
// give them other effects.
func (h *hostStatements) refresh(db *engine.Conn) error {
	return db.Query("PRAGMA schema_version", nil, func(row []store.Value) error {
		if version := row[0].Int(); version != h.schema {
			h.drop()
			h.schema = version
		}
		return nil
	})
}

// drop drops all statements.
func (h *hostStatements) drop() {
	for _, s := range h.byText {
		s.Finalize()
	}
	clear(h.byText)
}

func (h *hostStatements) prepare(db *engine.Conn, query string) (*hostStatement, error) {
	if s, ok := h.byText[query]; ok {
		return s, nil
	}
	s := &hostStatement{}
	db.Authorize(s.effects.allow)
	defer db.Authorize(nil)
	var err error
	if s.Stmt, err = db.Prepare(query); err != nil {
		return nil, s.effects.explain(err)
	}
	if !s.ReadOnly() {
		if err := checkRollback(db, query); err != nil {
			s.Finalize()
			return nil, err
		}
	}
	if len(h.byText) >= maxHostStatements {
		h.drop()
	}
	if h.byText == nil {
		h.byText = make(map[string]*hostStatement)
	}
	h.byText[query] = s
	return s, nil
}

// checkRollback refuses a statement that may end the transaction, which it shares
// with other Updates: by OR ROLLBACK, or a constraint or trigger that says so.
// The engine shows that in the program of the statement, where it halts with an
// error (P1) and the action ROLLBACK (P2).
func checkRollback(db *engine.Conn, query string) error {
	const rollback = 1
	return db.Query("EXPLAIN "+query, nil, func(row []store.Value) error {
		if op := row[1].Text(); strings.HasPrefix(op, "Halt") && row[2].Int() != 0 && row[3].Int() == rollback {
			return fmt.Errorf("sqlite: a statement that may roll back the whole transaction cannot be run in one of the store: %s", query)
		}
		return nil
	})
}

// effects are the effects of a statement that the engine reports when it compiles the
// statement.
type effects struct {
	tables  []string // that it writes, in lower case
	schema  bool     // it changes the schema
	refused string   // what it may not do
}

// addTo adds what the statement may have changed.
func (e *effects) addTo(c *changes) {
	if c == nil {
		return // a View
	}
	c.all = c.all || e.schema
	for _, name := range e.tables {
		c.note(&store.Schema{Name: name}, nil, true)
	}
}

// readPragmas are the pragmas that only describe the database.
var readPragmas = []string{
	"database_list", "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
	"integrity_check", "quick_check", "schema_version", "table_info", "table_list", "table_xinfo", "user_version",
}

// allow notes an action, and reports whether it is allowed.
func (e *effects) allow(a *engine.Action) bool {
	switch a.Code {
	case engine.Read, engine.Select, engine.Function, engine.Recursive:
	case engine.Insert, engine.Update, engine.Delete:
		if name := strings.ToLower(a.First); !slices.Contains(e.tables, name) {
			e.tables = append(e.tables, name)
		}
	case engine.Transaction, engine.Savepoint:
		return e.refuse(a.First) // its first word
	case engine.Attach:
		return e.refuse("ATTACH")
	case engine.Detach:
		return e.refuse("DETACH")
	case engine.Pragma:
		if name := strings.ToLower(a.First); !slices.Contains(readPragmas, name) || strings.HasSuffix(name, "_version") && a.Second != "" {
			return e.refuse("PRAGMA " + a.First)
		}
	case engine.CreateTempIndex, engine.CreateTempTable, engine.CreateTempTrigger, engine.CreateTempView:
		return e.refuse("CREATE TEMP")
	default:
		e.schema = true
	}
	return true
}

// explain returns the error of a statement that was not compiled.
func (e *effects) explain(err error) error {
	if e.refused != "" {
		return fmt.Errorf("sqlite: %s cannot be run in a transaction of the store", e.refused)
	}
	return err
}

func (e *effects) refuse(what string) bool {
	e.refused = what
	return false
}
