package sqlite

import (
	"fmt"
	"strings"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A conn is a connection with the statements prepared on it. One goroutine
// uses it at a time.
type conn struct {
	db      *engine.Conn
	plans   map[planKey]*plan
	bytes   int // that the statements of plans take
	builder sqltext.Builder
	values  []store.Value // scratch for bound values
	row     []store.Value // scratch for rows that are read by their keys, nil while it is used
	text    []byte        // scratch for a statement
	joins   map[*store.Projection]string
	host    hostStatements
	search  map[*store.Schema]searchState

	uniqueKeys uniqueKeys // of the writer
}

// A verb is what a statement does.
type verb uint8

const (
	getRow verb = iota
	selectRows
	selectPositions // of rows in an order; the tail is all of the statement
	countRows
	insertRow    // the engine chooses the key
	insertKeyRow // the row brings its key
	orFailRow    // insertRow into a plain table: see orFail
	orFailKeyRow // insertKeyRow likewise
	updateRow
	deleteRows
	replacePrefixes // the tail is all of the statement
	setColumn       // likewise
	hostSQL         // the tail is all of the statement
	searchSQL       // of a search index; the tail is all of the statement
)

// A planKey names a statement. Finding it takes no building of text beyond the
// conditions and the order of a query.
type planKey struct {
	verb       verb
	projection *store.Projection
	tail       string
}

// A plan is a statement, prepared as many times as it was used at once: a
// function that is given rows may run the statement that it is given them by.
type plan struct {
	sql     string
	idle    []*statement
	dropped bool
}

// A statement is one preparation of a plan.
type statement struct {
	*engine.Stmt
	plan *plan
	row  []store.Value // scratch for the rows that it returns
}

// Queries that differ in more than values are many, when clients combine filters at
// will.
const (
	maxPlans     = 256     // statements that a connection caches
	maxPlanBytes = 2 << 20 // and the memory that they take, of the engine and of Go
)

// dialect is SQLite's, with a function that searches better.
var dialect = func() sqltext.Dialect {
	d := sqltext.SQLite
	d.Find = engine.SearchFunction
	return d
}()

// open opens a connection to the file.
func open(path string, busyTimeout time.Duration, pragmas ...string) (*conn, error) {
	db, err := engine.Open(path, busyTimeout)
	if err != nil {
		return nil, err
	}
	c := &conn{db: db, plans: make(map[planKey]*plan), builder: sqltext.Builder{Dialect: &dialect}}
	for _, pragma := range pragmas {
		if err := db.Exec("PRAGMA " + pragma); err != nil {
			_ = c.close()
			return nil, err
		}
	}
	return c, nil
}

func (c *conn) close() error {
	c.dropPlans()
	c.host.drop()
	return c.db.Close()
}

// run runs a statement that has neither parameters nor rows.
func run(s *engine.Stmt) error {
	_, err := s.Step()
	s.Reset()
	return err
}

// take returns a statement that is not in use. It must be released.
func (c *conn) take(v verb, p *store.Projection, tail []byte) (*statement, error) {
	pl, ok := c.plans[planKey{v, p, string(tail)}]
	if !ok {
		if len(c.plans) >= maxPlans {
			c.dropPlans()
		}
		pl = &plan{sql: text(v, p) + string(tail)}
		c.plans[planKey{v, p, string(tail)}] = pl
	}
	if n := len(pl.idle); n > 0 {
		s := pl.idle[n-1]
		pl.idle = pl.idle[:n-1]
		return s, nil
	}
	s, err := c.db.Prepare(pl.sql)
	if err != nil {
		return nil, err
	}
	size := s.Memory() + 2*len(pl.sql)
	if c.bytes += size; c.bytes > maxPlanBytes {
		c.dropPlans()
		pl = &plan{sql: pl.sql, dropped: size > maxPlanBytes/8}
		if !pl.dropped {
			c.bytes = size
			c.plans[planKey{v, p, string(tail)}] = pl
		}
	}
	return &statement{Stmt: s, plan: pl, row: make([]store.Value, s.Columns())}, nil
}

// release ends the run of a statement and makes it idle.
func (c *conn) release(s *statement) {
	s.Reset()
	clear(s.row)
	if s.plan.dropped {
		s.Finalize()
		return
	}
	s.plan.idle = append(s.plan.idle, s)
}

// dropPlans drops all plans. Statements in use are dropped when released.
func (c *conn) dropPlans() {
	for _, pl := range c.plans {
		pl.dropped = true
		for _, s := range pl.idle {
			s.Finalize()
		}
		pl.idle = nil
	}
	clear(c.plans)
	c.bytes = 0
}

// text returns a statement up to where its query begins.
func text(v verb, p *store.Projection) string {
	d := &sqltext.SQLite
	switch v {
	case getRow:
		return d.Get(p)
	case selectRows:
		return d.Select(p)
	case selectPositions, updateRow, replacePrefixes, setColumn, hostSQL, searchSQL:
		return ""
	case countRows:
		return d.Count(p.Schema)
	case insertRow:
		return d.Insert(p.Schema, false)
	case insertKeyRow:
		return d.Insert(p.Schema, true)
	case orFailRow:
		return orFail(d.Insert(p.Schema, false))
	case orFailKeyRow:
		return orFail(d.Insert(p.Schema, true))
	case deleteRows:
		return d.Delete(p.Schema)
	}
	panic(fmt.Sprintf("sqlite: no text for verb %d", v))
}

// orFail returns a statement that adds rows to a plain table, and keeps the rows before one that is
// refused. So it needs no copies of the pages that it changes: the engine makes these for
// a statement of several rows, or one that fires a trigger, to undo it. The triggers of a host
// may need them. A single row that is refused has changed nothing yet.
func orFail(statement string) string {
	verb, rest, _ := strings.Cut(statement, " ")
	return verb + " OR FAIL " + rest
}

// query takes the statement for the rows that match and binds its arguments.
func (c *conn) query(v verb, s *store.Schema, where []store.Cond, hint indexHint) (*statement, error) {
	c.builder.Reset()
	c.builder.Text = append(c.builder.Text, hint...)
	if err := c.builder.Where(s, where); err != nil {
		return nil, err
	}
	return c.bindBuilt(v, s.All())
}

// join returns the joins of a projection.
func (c *conn) join(p *store.Projection) string {
	if len(p.Joined) == 0 {
		return ""
	}
	text, ok := c.joins[p]
	if !ok {
		if c.joins == nil || len(c.joins) >= maxPlans {
			c.joins = make(map[*store.Projection]string)
		}
		text = dialect.Join(p)
		c.joins[p] = text
	}
	return text
}

// bindBuilt takes the statement that the builder has written and binds its
// arguments.
func (c *conn) bindBuilt(v verb, p *store.Projection) (*statement, error) {
	c.values = c.values[:0]
	for i := range c.builder.Args {
		arg := &c.builder.Args[i]
		if arg.List != nil {
			c.values = append(c.values, listValue(arg.List))
		} else {
			c.values = append(c.values, arg.Value)
		}
	}
	clear(c.builder.Args) // they may be parts of something large
	return c.bind(v, p, c.builder.Text, c.values)
}

// bind takes a statement and binds values to it, which it clears.
func (c *conn) bind(v verb, p *store.Projection, tail []byte, values []store.Value) (*statement, error) {
	s, err := c.take(v, p, tail)
	if err != nil {
		return nil, err
	}
	err = s.Bind(values)
	clear(values)
	if err != nil {
		c.release(s)
		return nil, err
	}
	return s, nil
}

// takeRow returns a row to read into, until giveRow.
func (c *conn) takeRow(width int) []store.Value {
	row := c.row
	c.row = nil
	if cap(row) < width {
		row = make([]store.Value, width)
	}
	return row[:width]
}

// giveRow takes the row back, and clears it.
func (c *conn) giveRow(row []store.Value) {
	clear(row)
	c.row = row
}
