package shopapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// How long a transaction of rows goes on: it ends after one of these.
const (
	rowsPerTx = 500
	timePerTx = 50 * time.Millisecond
)

// A matchRun is a [Matching] that is carried out.
type matchRun struct {
	api   *API
	entry *entry
	Matching
	request Request
	result  MatchResult
}

// A matchRow is a row that may be changed.
type matchRow struct {
	index  int
	code   string
	fields body.Fields
}

// all changes the rows.
func (m *matchRun) all(ctx context.Context) (*MatchResult, error) {
	m.result.Errors = []RowError{}
	rows := m.read()
	if m.Atomic {
		return m.atomic(ctx, rows)
	}
	if err := m.each(ctx, rows); err != nil {
		return nil, err
	}
	sortErrors(m.result.Errors)
	return &m.result, nil
}

// read parses the rows, and notes those without a code of their own.
func (m *matchRun) read() (rows []matchRow) {
	field := m.entry.matcher.MatchField()
	times := map[string]int{}
	for i, raw := range m.Rows {
		row := matchRow{index: i}
		fields, err := body.JSON(raw)
		if err != nil || len(raw) == 0 || raw[0] != '{' {
			m.fail(row, "must be an object")
			continue
		}
		row.fields = fields
		if code := fields[field]; len(code) > 0 {
			row.code, _, _ = jsontext.Scalar(code)
		}
		if row.code == "" || !isText(row.code) {
			m.fail(row, field+" is required: a text that an object has")
			continue
		}
		times[row.code]++
		rows = append(rows, row)
	}
	once := rows[:0]
	for _, row := range rows {
		if times[row.code] > 1 {
			m.fail(row, field+" is in the array more than once")
			continue
		}
		once = append(once, row)
	}
	return once
}

func (m *matchRun) fail(row matchRow, message string) {
	m.result.Errors = append(m.result.Errors, RowError{row.index, m.entry.matcher.MatchField(), row.code, message})
}

// atomic changes all rows in one transaction, or none.
func (m *matchRun) atomic(ctx context.Context, rows []matchRow) (*MatchResult, error) {
	before := m.result
	errRows := errors.New("shopapi: rows are wrong")
	err := m.api.BulkWrite(ctx, m.entry.st, m.api.opts.Limits.BatchTime, func(ctx context.Context, _ store.Tx) error {
		m.result = before
		m.result.Errors = slices.Clone(before.Errors)
		for start := 0; start < len(rows); start += rowsPerTx {
			chunk := rows[start:min(start+rowsPerTx, len(rows))]
			found, err := m.find(ctx, chunk)
			if err != nil {
				return err
			}
			for _, row := range chunk {
				if err := m.change(ctx, row, found[row.code]); err != nil {
					if asError(err).Status >= http.StatusInternalServerError {
						return err
					}
					m.fail(row, asError(err).Message)
				}
			}
		}
		if len(m.result.Errors) > 0 {
			return errRows
		}
		return nil
	})
	if errors.Is(err, errRows) {
		sortErrors(m.result.Errors)
		e := &Error{Status: http.StatusBadRequest, Message: "Rows are wrong, and nothing was changed.", Members: Map{{"rows", m.result.Errors}}}
		return &MatchResult{Errors: m.result.Errors}, e
	}
	if err != nil {
		return nil, err
	}
	return &m.result, nil
}

// errRowFailed ends a transaction whose last row is to be left out.
var errRowFailed = errors.New("shopapi: a row failed")

// each changes the rows in several transactions, each row for itself. A row that fails after
// it wrote something undoes its transaction: the rows before it are changed in another one, and
// it is left out where it is the first of its transaction. The transactions after it are
// short, so that many such rows undo little.
func (m *matchRun) each(ctx context.Context, rows []matchRow) error {
	most := rowsPerTx
	for len(rows) > 0 {
		before := m.result
		n, failed, err := m.transact(ctx, rows[:min(most, len(rows))])
		switch {
		case err == nil:
			rows, most = rows[n:], min(2*most, rowsPerTx)
			continue
		case !errors.Is(err, errRowFailed):
			return err
		}
		m.result = before
		if n == 0 {
			m.fail(rows[0], asError(failed).Message)
			rows = rows[1:]
		}
		most = max(n, 1)
	}
	return nil
}

// transact changes rows in one transaction until its time is over, and returns how many. With
// errRowFailed that is the number of rows before the failed row.
func (m *matchRun) transact(ctx context.Context, rows []matchRow) (n int, failed, err error) {
	before := m.result
	err = m.api.BulkWrite(ctx, m.entry.st, 0, func(ctx context.Context, _ store.Tx) error {
		m.result, n, failed = before, 0, nil
		m.result.Errors = slices.Clone(before.Errors)
		start := time.Now()
		found, err := m.find(ctx, rows)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if n > 0 && time.Since(start) > timePerTx {
				return nil
			}
			err := m.change(ctx, row, found[row.code])
			switch {
			case err == nil:
			case asError(err).Status >= http.StatusInternalServerError:
				return err
			case driver.IsUnwritten(err):
				m.fail(row, asError(err).Message)
			default:
				failed = err
				return errRowFailed
			}
			n++
		}
		return nil
	})
	return n, failed, err
}

func (m *matchRun) find(ctx context.Context, rows []matchRow) (map[string][]string, error) {
	codes := make([]string, len(rows))
	for i, row := range rows {
		codes[i] = row.code
	}
	return m.entry.matcher.IDsByCodes(ctx, codes)
}

// change carries out a row.
func (m *matchRun) change(ctx context.Context, row matchRow, ids []string) (err error) {
	field := m.entry.matcher.MatchField()
	r := m.request
	r.Filter, r.Payload = nil, &Payload{fields: row.fields}
	progress := &rowProgress{}
	ctx = context.WithValue(context.WithValue(ctx, atomicKey{}, true), rowProgressKey{}, progress)
	switch {
	case len(ids) > 1:
		return driver.Unwritten(severalHave(m.entry.Name, field, row.code, ids))
	case len(ids) == 1:
		_, err = m.entry.update(ctx, &r, ids[0])
	case m.Missing == "skip":
		m.result.Skipped++
		return nil
	case m.Missing == "create" && m.entry.create != nil:
		_, err = m.entry.create(ctx, &r)
	default:
		return driver.Unwritten(noneHas(m.entry.Name, field, row.code))
	}
	switch {
	case err != nil:
	case len(ids) == 0:
		m.result.Created++
	case progress.changes > 0:
		m.result.Updated++
	default:
		m.result.Unchanged++
	}
	return err
}

func sortErrors(list []RowError) {
	slices.SortStableFunc(list, func(a, b RowError) int { return a.Index - b.Index })
}

// A rowProgress is how far the change of a row is.
type rowProgress struct {
	writing bool // it may have written something
	changes int  // that were reported
}

type rowProgressKey struct{}

func rowProgressOf(ctx context.Context) *rowProgress {
	p, _ := ctx.Value(rowProgressKey{}).(*rowProgress)
	return p
}

// countChange counts a change that is reported in ctx.
func countChange(ctx context.Context) {
	if p := rowProgressOf(ctx); p != nil {
		p.changes++
	}
}

// Writing notes that the operation of ctx may write from now on: see [BeforeWriting].
func Writing(ctx context.Context) {
	if p := rowProgressOf(ctx); p != nil {
		p.writing = true
	}
}

// BeforeWriting returns the error with which the transaction of an operation ends. An entity
// that calls [Writing] passes its errors through BeforeWriting, so that PUT with match leaves
// out a row that fails before it without undoing other rows.
func BeforeWriting(ctx context.Context, err error) error {
	if p := rowProgressOf(ctx); err == nil || p == nil || p.writing {
		return err
	}
	return driver.Unwritten(err)
}
