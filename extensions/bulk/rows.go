package bulk

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// How long a transaction of rows goes on: it ends after one of these.
const (
	rowsPerTx = 500
	timePerTx = 30 * time.Millisecond
)

// An outcome is what became of a row.
type outcome byte

const (
	isOpen outcome = iota // not carried out yet
	isCreated
	isUpdated
	isUnchanged
	isSkipped
	isFailed
)

// A rowRun carries out rows of a file or of an array in one transaction.
type rowRun struct {
	*Import
	rows     []Row
	outcomes []outcome
	wrong    []error // of failed rows
	final    []bool  // outcomes that stay where the transaction runs again
	prepared []any   // nil where the entity prepares nothing

	user     *shopapi.User
	language string              // in which fields are written
	found    map[string][]string // ids by values of the field
	carried  int                 // rows of this transaction that did not fail
}

// run returns the run of as many rows as a transaction has.
func (m *Import) run(rows []Row) *rowRun {
	n := min(rowsPerTx, len(rows))
	return &rowRun{Import: m, rows: rows[:n], outcomes: make([]outcome, n), wrong: make([]error, n), final: make([]bool, n)}
}

// carry carries out the rows until the time of a transaction is over, at least the first one. A
// row that fails after it wrote something undoes the transaction: the rows before it are carried
// out in another one, and it is left out where it is the first of its transaction.
func (r *rowRun) carry(ctx context.Context) (ImportResult, error) {
	for i := range r.rows {
		if err := r.rows[i].Err; err != nil {
			r.fail(i, err)
			r.final[i] = true
		}
	}
	if r.DryRun {
		ctx = context.WithValue(ctx, dryRunKey{}, true)
	}
	if err := r.prepare(ctx); err != nil {
		return ImportResult{}, err
	}
	ctx = context.WithValue(ctx, atomicKey{}, true)
	for {
		result, bad, err := r.transact(ctx)
		switch {
		case err == nil:
			return result, nil
		case !errors.Is(err, errNotCarried):
			return ImportResult{}, err
		case bad < 0: // the end of a dry run
			return result, r.record(ctx, result)
		case r.carried > 0 && !r.DryRun:
			// The rows before it are carried out again, without it.
			r.rows, r.outcomes = r.rows[:bad], r.outcomes[:bad]
		}
	}
}

// transact carries out the rows that are open. With errNotCarried the transaction was
// undone: because row bad failed or, where bad is -1, because it is a dry run.
func (r *rowRun) transact(ctx context.Context) (result ImportResult, bad int, err error) {
	err = r.api.BulkWrite(ctx, r.path.Store(), 0, func(ctx context.Context, _ store.Tx) error {
		bad, r.carried = -1, 0
		start := time.Now()
		ctx, err := r.begin(ctx)
		if err != nil {
			return err
		}
		n := 0
		for ; n < len(r.rows); n++ {
			if n > 0 && time.Since(start) > timePerTx {
				break
			}
			if r.outcomes[n] != isOpen {
				continue
			}
			o, err := r.row(ctx, n)
			if err != nil {
				if isInternal(err) {
					return err
				}
				if r.fail(n, err); o == isSkipped {
					r.outcomes[n] = isSkipped
				}
				if driver.IsUnwritten(err) {
					continue
				}
				bad, r.final[n] = n, true
				return errNotCarried
			}
			r.outcomes[n] = o
			r.carried++
		}
		if result = r.result(n); r.DryRun {
			return errNotCarried
		}
		return r.record(ctx, result)
	})
	return result, bad, err
}

// each carries out all rows, whatever becomes of each, in the transaction of ctx.
func (r *rowRun) each(ctx context.Context) error {
	ctx, err := r.begin(ctx)
	if err != nil {
		return err
	}
	for i := range r.rows {
		if err := ctx.Err(); err != nil {
			return err // the time of the array is over
		}
		if r.outcomes[i], err = r.row(ctx, i); err != nil {
			if isInternal(err) {
				return err
			}
			r.fail(i, err)
		}
	}
	return nil
}

// begin finds the user and the objects of the rows, and returns the context of the
// transaction.
func (r *rowRun) begin(ctx context.Context) (context.Context, error) {
	for i := range r.outcomes {
		if !r.final[i] && !r.DryRun {
			r.outcomes[i] = isOpen
		}
	}
	ctx, err := r.identify(ctx)
	if err != nil {
		return nil, err
	}
	return ctx, r.findRows(ctx)
}

// identify returns the context that acts for the user of the import.
func (r *rowRun) identify(ctx context.Context) (context.Context, error) {
	if r.User != nil {
		user, err := r.User(ctx)
		if err != nil {
			return nil, err
		}
		ctx = shopapi.WithUser(ctx, user)
	}
	ctx = r.api.Confine(ctx)
	r.user = shopapi.UserFrom(ctx)
	language := shopapi.LanguageFrom(ctx)
	if language == "" {
		var err error
		if language, err = r.api.DefaultLanguage(ctx); err != nil {
			return nil, err
		}
	}
	r.language = language
	if r.User == nil {
		return ctx, nil // was authorized before
	}
	return ctx, r.authorize(ctx)
}

// findRows looks up the objects that the open rows name by a field.
func (r *rowRun) findRows(ctx context.Context) (err error) {
	if r.find == nil {
		return nil
	}
	var values []string
	for i := range r.rows {
		if r.outcomes[i] == isOpen {
			if value := r.value(i); value != "" {
				values = append(values, value)
			}
		}
	}
	r.found = map[string][]string{}
	if len(values) > 0 {
		r.found, err = r.find(ctx, values)
	}
	return err
}

// value is the value of the field that names the object of a row, "" for none.
func (r *rowRun) value(i int) string {
	raw := r.rows[i].Fields[r.Match]
	if len(raw) == 0 {
		return ""
	}
	text, _, _ := jsontext.Scalar(raw)
	return text
}

// prepare does what the entity does before the transaction, such as storing images.
func (r *rowRun) prepare(ctx context.Context) error {
	if r.preparation == nil || r.inArray {
		return nil
	}
	ctx, err := r.identify(ctx)
	if err != nil {
		return err
	}
	if err := r.findRows(ctx); err != nil {
		return err
	}
	r.prepared = make([]any, len(r.rows))
	for i := range r.rows {
		if r.outcomes[i] != isOpen {
			continue
		}
		id, _, err := r.objectOf(i)
		if err != nil {
			continue // the row fails in the transaction
		}
		if r.prepared[i], err = r.preparation(ctx, r.request(i), id); err != nil {
			if isInternal(err) {
				return err
			}
			r.fail(i, err)
			r.final[i] = true
		}
	}
	return nil
}

// objectOf returns the id of the object that a row names, "" for a new one. skip says that
// the row is left out.
func (r *rowRun) objectOf(i int) (id string, skip bool, err error) {
	if _, kind := wire.Scalar(r.rows[i].Fields[r.Match]); kind == wire.Composite {
		return "", false, shopapi.Invalid(r.Match, "must be a single value, not an array or an object")
	}
	value := r.value(i)
	if r.find == nil {
		return value, false, nil
	}
	ids := r.found[value]
	switch {
	case value == "":
		return "", false, shopapi.Invalid(r.Match, "is required: the value that names the object")
	case len(ids) > 0 || r.Missing == "fail" && r.inArray:
		id, err = shopapi.IDOfCode(r.path.Name, r.Match, value, ids)
		return id, false, err
	case r.Missing == "fail":
		return "", false, shopapi.Invalid(r.Match, "is %s, which no object of %s has", plain.Quoted(value), r.path.Name)
	}
	return "", r.Missing == "skip", nil
}

// request is the request that a row makes.
func (r *rowRun) request(i int) *shopapi.Request {
	request := r.base
	request.User, request.Payload = r.user, shopapi.PayloadOf(r.rows[i].Fields)
	if r.prepared != nil {
		request.SetPrepared(r.prepared[i])
	}
	return &request
}

// row carries out a row.
func (r *rowRun) row(ctx context.Context, i int) (outcome, error) {
	id, skip, err := r.objectOf(i)
	if err != nil {
		return isFailed, driver.Unwritten(err)
	}
	if skip {
		return isSkipped, nil
	}
	request := r.request(i)
	// Entities that PUT with match changes say where they begin to write. Any failure of
	// others undoes the transaction.
	ctx = context.WithValue(ctx, writingKey{}, &writing{r.matcher == nil})
	ctx, changes := shopapi.CountChanges(ctx)
	if id == "" {
		if r.create == nil {
			return isFailed, shopapi.Invalid(r.Match, "is required: objects of %s cannot be created", r.path.Name)
		}
		reply, err := r.create(ctx, request)
		if err != nil {
			return isFailed, err
		}
		if r.find != nil {
			r.found[r.value(i)] = []string{reply.ID}
		}
		return isCreated, r.texts(ctx, i, reply.ID, true)
	}
	_, err = r.update(ctx, request, id)
	if err == nil {
		err = r.texts(ctx, i, id, false)
	}
	switch {
	case errors.Is(err, shopapi.ErrNotFound) && r.find == nil && r.Missing == "skip":
		return isSkipped, err // a change that fails may have failed its transaction
	case err != nil:
		return isFailed, err
	case *changes == 0:
		return isUnchanged, nil
	}
	return isUpdated, nil
}

func (r *rowRun) fail(i int, err error) { r.wrong[i], r.outcomes[i] = err, isFailed }

func (r *rowRun) record(ctx context.Context, result ImportResult) error {
	if r.Record == nil {
		return nil
	}
	return r.Record(ctx, result)
}

// result is what became of the first n rows.
func (r *rowRun) result(n int) ImportResult {
	result := ImportResult{Rows: n}
	for i, o := range r.outcomes[:n] {
		switch o {
		case isCreated:
			result.Created++
		case isUpdated:
			result.Updated++
		case isUnchanged:
			result.Unchanged++
		case isFailed:
			result.Failed++
			result.Errors = append(result.Errors, importErrors(i, r.wrong[i])...)
		}
	}
	return result
}

// errNotCarried ends a transaction: rows that failed are to be left out, or it is a dry run.
var errNotCarried = errors.New("shopapi: the transaction of rows is undone")

// isInternal reports whether an error is none of the client's mistakes.
func isInternal(err error) bool { return shopapi.AsError(err).Status >= http.StatusInternalServerError }

// A writing says whether the change of a row may have written something.
type writing struct{ begun bool }

type writingKey struct{}

func writingOf(ctx context.Context) *writing {
	w, _ := ctx.Value(writingKey{}).(*writing)
	return w
}

// Writing notes that the operation of ctx may write from now on: see [BeforeWriting].
func Writing(ctx context.Context) {
	if w := writingOf(ctx); w != nil {
		w.begun = true
	}
}

// BeforeWriting returns the error with which the transaction of an operation ends. An entity
// that calls [Writing] passes its errors through BeforeWriting, so that PUT with match leaves
// out a row that fails before it without undoing other rows.
func BeforeWriting(ctx context.Context, err error) error {
	if w := writingOf(ctx); err == nil || w == nil || w.begun {
		return err
	}
	return driver.Unwritten(err)
}
