package shopapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/shopapi/shopapi/internal/batch"
	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store"
)

// A Matcher is an entity whose objects PUT with match finds by a field (E6).
type Matcher interface {
	Updater

	// MatchField is the field, "" for none.
	MatchField() string

	// IDsByCodes returns the ids of the objects that the user of ctx may see, by their
	// values of the field: see [Coded].
	IDsByCodes(ctx context.Context, codes []string) (map[string][]string, error)

	// Store is the store of the objects.
	Store() store.Store
}

// A Matching is an array of objects that are changed by a field of theirs (E6).
type Matching struct {
	Rows    []json.RawMessage // objects with the field
	Missing string            // what happens to a row that no object has: fail, skip or create; "" is fail
	Atomic  bool              // all rows or none, in one transaction
}

// A MatchResult says what became of the rows of a [Matching].
type MatchResult struct {
	Updated   int        `json:"updated"`
	Created   int        `json:"created"`
	Skipped   int        `json:"skipped"`
	Unchanged int        `json:"unchanged"`
	Errors    []RowError `json:"errors"`
}

// A RowError is an error of a row.
type RowError struct {
	Index   int // from 0
	Field   string
	Code    string // the value of the field
	Message string
}

// AppendJSON writes the error with the field under its own name.
func (e RowError) AppendJSON(dst []byte) ([]byte, error) {
	return Map{{"index", e.Index}, {e.Field, e.Code}, {"message", e.Message}}.AppendJSON(dst)
}

// MarshalJSON is AppendJSON.
func (e RowError) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// PutMatching changes the objects of an entity that rows name by the entity's field for
// matches, for the user of ctx, as PUT with match does. Rows are changed in transactions of at
// most 500 rows or 50 ms; an error of a row is in the result, and other rows are changed. If
// the rows are to be changed in one transaction, any such error changes nothing, and an
// [*Error] is returned beside the result.
func (a *API) PutMatching(ctx context.Context, entity string, m Matching) (*MatchResult, error) {
	e, ok := a.registry.top[entity]
	if !ok || e.matcher == nil {
		return nil, ErrNotRegistered
	}
	ctx = a.Confine(ctx)
	run := &matchRun{api: a, entry: e, Matching: m, request: Request{api: a}}
	return run.all(ctx)
}

// matches reports whether the request is a PUT with match.
func (a *API) matches(p *pipeline, segments []string) (*entry, bool) {
	if !a.batches || p.req.Method != http.MethodPut || len(segments) != 1 || !p.query.Has("match") {
		return nil, false
	}
	e := a.registry.top[segments[0]]
	return e, e != nil && e.matcher != nil
}

// serveMatch is the request pipeline of PUT with match, from the privileges on.
func (a *API) serveMatch(ctx context.Context, p *pipeline, e *entry) (*response.Response, error) {
	t := &target{entry: e, op: OpUpdate}
	p.done.Route = t.route()
	var err error
	if p.format, err = p.acceptable(); err != nil {
		return nil, err
	}
	if err := authorize(p.user, t); err != nil {
		return nil, err
	}
	if view := e.Privileges.View; !p.user.Can(view) {
		return nil, forbidden(view)
	}
	if p.member != nil {
		return nil, Errorf(http.StatusBadRequest, "A PUT with match cannot be in a batch: send it alone.")
	}
	if preconditionOf(p.req.Header, OpUpdate) != nil {
		return nil, Errorf(http.StatusBadRequest, "If-Match and If-None-Match cannot be sent with match.")
	}
	text, err := p.readJSON(a.opts.Limits.BatchBody)
	if err != nil {
		return nil, err
	}
	run := &matchRun{api: a, entry: e, request: Request{Remote: p.remote(), api: a}}
	if err := run.readQuery(p); err != nil {
		return nil, err
	}
	if run.Rows, err = batch.Rows(text, a.opts.Limits.BatchRows); err != nil {
		var wrong *batch.Error
		if errors.As(err, &wrong) && wrong.TooMany {
			return nil, Errorf(http.StatusRequestEntityTooLarge, "The array has at most %d objects.", a.opts.Limits.BatchRows)
		}
		return nil, a.batchError(err)
	}
	result, err := run.all(WithLanguage(WithUser(ctx, p.user), run.request.language))
	if err != nil {
		return nil, err
	}
	return p.format.respond(http.StatusOK, result)
}

func (m *matchRun) readQuery(p *pipeline) error {
	if err := checkQuery(p.query, p.queryErr); err != nil {
		return err
	}
	m.request.Filter = filterOf(p.query)
	var problems Problems
	if by := last(m.request.Filter["match"]); by != m.entry.matcher.MatchField() {
		problems.Add("match", "must be %s, not %s", m.entry.matcher.MatchField(), quoted(by))
	}
	m.Missing = last(m.request.Filter["missing"])
	if m.Missing != "" {
		problems.OneOf("missing", m.Missing, "fail", "skip", "create")
	}
	atomic := last(m.request.Filter["atomic"])
	if atomic != "" {
		problems.OneOf("atomic", atomic, "Y", "N")
	}
	m.Atomic = atomic == "Y"
	problems.Merge(m.request.readLanguage())
	return problems.Err()
}

// A matchRun is a [Matching] that is carried out.
type matchRun struct {
	api   *API
	entry *entry
	Matching
	request Request // without a filter, what the requests of the rows have

	rows   []ImportRow // that may be carried out
	index  []int       // of each of them in the array
	result MatchResult
}

// all changes the rows.
func (m *matchRun) all(ctx context.Context) (*MatchResult, error) {
	m.result.Errors = []RowError{}
	m.read()
	if m.Atomic {
		return m.atomic(ctx)
	}
	im := m.importing()
	for start := 0; start < len(m.rows); {
		run := im.run(m.rows[start:])
		done, err := run.carry(ctx)
		if err != nil {
			return nil, err
		}
		m.count(run, start, done.Rows)
		start += done.Rows
	}
	m.sortErrors()
	return &m.result, nil
}

// importing returns the import that carries out the rows.
func (m *matchRun) importing() *Import {
	o := ImportOptions{Entity: m.entry.Name, Match: m.entry.matcher.MatchField(), Missing: cmp.Or(m.Missing, "fail")}
	if o.Missing == "create" && m.entry.create == nil {
		o.Missing = "fail"
	}
	base := m.request
	base.Filter = nil
	return &Import{ImportOptions: o, api: m.api, entry: m.entry, find: m.entry.matcher.IDsByCodes, base: base, inArray: true}
}

// read parses the rows, and notes those without a code of their own.
func (m *matchRun) read() {
	field := m.entry.matcher.MatchField()
	codes, times := make([]string, len(m.Rows)), map[string]int{}
	fields := make([]body.Fields, len(m.Rows))
	for i, raw := range m.Rows {
		var err error
		if fields[i], err = body.JSON(raw); err != nil || len(raw) == 0 || raw[0] != '{' {
			m.fail(i, "", "must be an object")
			continue
		}
		if code := fields[i][field]; len(code) > 0 {
			codes[i], _, _ = jsontext.Scalar(code)
		}
		if codes[i] == "" || !isText(codes[i]) {
			m.fail(i, codes[i], field+" is required: a text that an object has")
			codes[i] = ""
			continue
		}
		times[codes[i]]++
	}
	for i, code := range codes {
		switch {
		case code == "":
		case times[code] > 1:
			m.fail(i, code, field+" is in the array more than once")
		default:
			m.rows, m.index = append(m.rows, ImportRow{Fields: fields[i]}), append(m.index, i)
		}
	}
}

func (m *matchRun) fail(index int, code, message string) {
	m.result.Errors = append(m.result.Errors, RowError{index, m.entry.matcher.MatchField(), code, message})
}

// count adds what became of the first n rows of a run, which begins with row start.
func (m *matchRun) count(run *rowRun, start, n int) {
	for i, o := range run.outcomes[:n] {
		switch o {
		case isCreated:
			m.result.Created++
		case isUpdated:
			m.result.Updated++
		case isUnchanged:
			m.result.Unchanged++
		case isSkipped:
			m.result.Skipped++
		case isFailed:
			m.fail(m.index[start+i], run.value(i), asError(run.wrong[i]).Message)
		}
	}
}

// errRows ends the transaction of all rows.
var errRows = errors.New("shopapi: rows are wrong")

// atomic changes all rows in one transaction, or none.
func (m *matchRun) atomic(ctx context.Context) (*MatchResult, error) {
	before, im := m.result, m.importing()
	ctx = context.WithValue(ctx, atomicKey{}, true)
	err := m.api.BulkWrite(ctx, m.entry.st, m.api.opts.Limits.BatchTime, func(ctx context.Context, _ store.Tx) error {
		m.result = before
		m.result.Errors = slices.Clone(before.Errors)
		for start := 0; start < len(m.rows); start += rowsPerTx {
			run := im.run(m.rows[start:])
			if err := run.each(ctx); err != nil {
				return err
			}
			m.count(run, start, len(run.rows))
		}
		if len(m.result.Errors) > 0 {
			return errRows
		}
		return nil
	})
	if errors.Is(err, errRows) {
		m.sortErrors()
		e := &Error{Status: http.StatusBadRequest, Message: "Rows are wrong, and nothing was changed.", Members: Map{{"rows", m.result.Errors}}}
		return &MatchResult{Errors: m.result.Errors}, e
	}
	if err != nil {
		return nil, err
	}
	return &m.result, nil
}

func (m *matchRun) sortErrors() {
	slices.SortStableFunc(m.result.Errors, func(a, b RowError) int { return a.Index - b.Index })
}
