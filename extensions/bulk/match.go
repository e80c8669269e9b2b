package bulk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/batch"
	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/store"
)

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
	return shopapi.Map{{Name: "index", Value: e.Index}, {Name: e.Field, Value: e.Code}, {Name: "message", Value: e.Message}}.AppendJSON(dst)
}

// MarshalJSON is AppendJSON.
func (e RowError) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// Put changes the objects of an entity that rows name by the entity's field for matches, for
// the user of ctx, as PUT with match does. Rows are changed in transactions of at most 500
// rows or 30 ms; an error of a row is in the result, and other rows are changed. If the rows
// are to be changed in one transaction, any such error changes nothing, and an
// [*shopapi.Error] is returned beside the result. For an entity without such a field the error
// is [shopapi.ErrNotRegistered].
func Put(ctx context.Context, api *shopapi.API, entity string, m Matching) (*MatchResult, error) {
	o := objectsOf(api, entity)
	if o == nil || o.matcher == nil {
		return nil, shopapi.ErrNotRegistered
	}
	run := &matchRun{objects: o, Matching: m, request: *api.NewRequest(nil)}
	return run.all(api.Confine(ctx))
}

// serveMatch answers a PUT with match, whose body is text.
func serveMatch(ctx context.Context, api *shopapi.API, r *shopapi.Request, entity string, text []byte) (any, error) {
	run := &matchRun{objects: objectsOf(api, entity), request: *r}
	if err := run.readQuery(); err != nil {
		return nil, err
	}
	var err error
	most := api.Limits().BatchRows
	if run.Rows, err = batch.Rows(text, most); err != nil {
		return nil, formError(err, "The array has at most %d objects.", most)
	}
	return run.all(shopapi.WithLanguage(ctx, run.request.Language()))
}

// readQuery reads the parameters.
func (m *matchRun) readQuery() error {
	var problems shopapi.Problems
	last := func(name string) string {
		values := m.request.Filter[name]
		if len(values) == 0 {
			return ""
		}
		return values[len(values)-1]
	}
	if by, field := last("match"), m.matcher.MatchField(); by != field {
		problems.Add("match", "must be %s, not %s", field, plain.Quoted(by))
	}
	if m.Missing = last("missing"); m.Missing != "" {
		problems.OneOf("missing", m.Missing, "fail", "skip", "create")
	}
	atomic := last("atomic")
	if atomic != "" {
		problems.OneOf("atomic", atomic, "Y", "N")
	}
	m.Atomic = atomic == "Y"
	problems.Merge(m.request.ReadLanguage())
	return problems.Err()
}

// A matchRun is a [Matching] that is carried out.
type matchRun struct {
	*objects
	Matching
	request shopapi.Request // what the requests of the rows have, beside the filter

	rows   []Row // that may be carried out
	index  []int // of each of them in the array
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
	o := ImportOptions{Entity: m.path.Name, Match: m.matcher.MatchField(), Missing: cmp.Or(m.Missing, "fail")}
	if o.Missing == "create" && m.create == nil {
		o.Missing = "fail"
	}
	base := m.request
	base.Filter = nil
	return &Import{ImportOptions: o, objects: m.objects, find: m.matcher.IDsByCodes, base: base, inArray: true}
}

// read parses the rows, and notes those without a code of their own.
func (m *matchRun) read() {
	field := m.matcher.MatchField()
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
		if codes[i] == "" || !plain.IsText(codes[i]) {
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
			m.rows, m.index = append(m.rows, Row{Fields: fields[i]}), append(m.index, i)
		}
	}
}

func (m *matchRun) fail(index int, code, message string) {
	m.result.Errors = append(m.result.Errors, RowError{index, m.matcher.MatchField(), code, message})
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
			m.fail(m.index[start+i], run.value(i), shopapi.AsError(run.wrong[i]).Message)
		}
	}
}

// errRows ends the transaction of all rows.
var errRows = errors.New("shopapi: rows are wrong")

// atomic changes all rows in one transaction, or none.
func (m *matchRun) atomic(ctx context.Context) (*MatchResult, error) {
	before, im := m.result, m.importing()
	ctx = context.WithValue(ctx, atomicKey{}, true)
	err := m.api.BulkWrite(ctx, m.path.Store(), m.api.Limits().BatchTime, func(ctx context.Context, _ store.Tx) error {
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
		e := &shopapi.Error{Status: http.StatusBadRequest, Message: "Rows are wrong, and nothing was changed.", Members: shopapi.Map{{Name: "rows", Value: m.result.Errors}}}
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
