package shopapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
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

// An importRun carries out rows in one transaction.
type importRun struct {
	*Import
	rows     []ImportRow
	outcomes []outcome
	wrong    []error // of failed rows
	final    []bool  // outcomes that stay where the transaction runs again
	prepared []any   // nil where the entity prepares nothing

	user     *User
	language string              // in which fields are written
	found    map[string][]string // ids by values of the field
	carried  int                 // rows of this transaction that did not fail
}

func (r *importRun) carry(ctx context.Context) (ImportResult, error) {
	r.outcomes, r.wrong, r.final = make([]outcome, len(r.rows)), make([]error, len(r.rows)), make([]bool, len(r.rows))
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
func (r *importRun) transact(ctx context.Context) (result ImportResult, bad int, err error) {
	err = r.api.BulkWrite(ctx, r.entry.st, 0, func(ctx context.Context, _ store.Tx) error {
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

// begin finds the user and the objects of the rows, and returns the context of the
// transaction.
func (r *importRun) begin(ctx context.Context) (context.Context, error) {
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
func (r *importRun) identify(ctx context.Context) (context.Context, error) {
	if r.User != nil {
		user, err := r.User(ctx)
		if err != nil {
			return nil, err
		}
		ctx = WithUser(ctx, user)
	}
	ctx = r.api.Confine(ctx)
	r.user = UserFrom(ctx)
	language := LanguageFrom(ctx)
	if language == "" {
		var err error
		if language, err = r.api.DefaultLanguage(ctx); err != nil {
			return nil, err
		}
	}
	r.language = language
	return ctx, r.authorize(r.user)
}

// findRows looks up the objects that the open rows name by a field.
func (r *importRun) findRows(ctx context.Context) (err error) {
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
func (r *importRun) value(i int) string {
	raw := r.rows[i].Fields[r.Match]
	if len(raw) == 0 {
		return ""
	}
	text, _, _ := jsontext.Scalar(raw)
	return text
}

// prepare does what the entity does before the transaction, such as storing images.
func (r *importRun) prepare(ctx context.Context) error {
	if r.entry.prepare == nil {
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
		request := r.request(i)
		if r.prepared[i], err = r.entry.prepare(ctx, &request, id); err != nil {
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
func (r *importRun) objectOf(i int) (id string, skip bool, err error) {
	value := r.value(i)
	if r.find == nil {
		return value, false, nil
	}
	ids := r.found[value]
	switch {
	case value == "":
		return "", false, Invalid(r.Match, "is required: the value that names the object")
	case len(ids) > 1:
		return "", false, severalHave(r.entry.Name, r.Match, value, ids)
	case len(ids) == 1:
		return ids[0], false, nil
	case r.Missing == "fail":
		return "", false, Invalid(r.Match, "is %s, which no object of %s has", quoted(value), r.entry.Name)
	}
	return "", r.Missing == "skip", nil
}

// request is the request that a row makes.
func (r *importRun) request(i int) Request {
	request := Request{User: r.user, api: r.api, Payload: &Payload{fields: r.rows[i].Fields}}
	if r.prepared != nil {
		request.prepared = r.prepared[i]
	}
	return request
}

// row carries out a row.
func (r *importRun) row(ctx context.Context, i int) (outcome, error) {
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
	progress := &rowProgress{writing: r.entry.matcher == nil}
	ctx = context.WithValue(ctx, rowProgressKey{}, progress)
	if id == "" {
		if r.entry.create == nil {
			return isFailed, Invalid(r.Match, "is required: objects of %s cannot be created", r.entry.Name)
		}
		reply, err := r.entry.create(ctx, &request)
		if err != nil {
			return isFailed, err
		}
		if r.find != nil {
			r.found[r.value(i)] = []string{reply.ID}
		}
		return isCreated, r.texts(ctx, i, reply.ID, true)
	}
	_, err = r.entry.update(ctx, &request, id)
	if err == nil {
		err = r.texts(ctx, i, id, false)
	}
	switch {
	case errors.Is(err, ErrNotFound) && r.find == nil && r.Missing == "skip":
		return isSkipped, err // a change that fails may have failed its transaction
	case err != nil:
		return isFailed, err
	case progress.changes == 0:
		return isUnchanged, nil
	}
	return isUpdated, nil
}

// texts writes the texts of a row in certain languages.
func (r *importRun) texts(ctx context.Context, i int, id string, isNew bool) error {
	row := &r.rows[i]
	for _, language := range slices.Sorted(maps.Keys(row.Texts)) {
		fields := map[string]json.RawMessage{}
		var removed []string
		for field, text := range row.Texts[language] {
			switch isEmpty := jsontext.IsEmpty(string(text)) || string(text) == `""`; {
			case isEmpty && r.entry.removeTexts != nil:
				removed = append(removed, field)
			case language == r.language && bytes.Equal(text, row.Fields[field]):
			default:
				fields[field] = text
			}
		}
		ctx := WithLanguage(ctx, language)
		if len(removed) > 0 && !isNew {
			slices.Sort(removed)
			if err := r.entry.removeTexts(ctx, id, language, removed); err != nil {
				return err
			}
		}
		if len(fields) == 0 {
			continue
		}
		request := Request{User: r.user, api: r.api, Payload: &Payload{fields: fields}}
		if _, err := r.entry.update(ctx, &request, id); err != nil {
			return inLanguage(err, language, fields)
		}
	}
	return nil
}

// inLanguage names the fields of a 400 as the file does.
func inLanguage(err error, language string, fields map[string]json.RawMessage) error {
	e := asError(err)
	if len(e.Fields) == 0 {
		return err
	}
	var problems Problems
	for _, name := range e.fieldNames() {
		field := name
		if _, sent := fields[name]; sent {
			field = TextField{name, language}.Name()
		}
		problems.Add(field, "%s", e.Fields[name])
	}
	return problems.Err()
}

func (r *importRun) fail(i int, err error) { r.wrong[i], r.outcomes[i] = err, isFailed }

func (r *importRun) record(ctx context.Context, result ImportResult) error {
	if r.Record == nil {
		return nil
	}
	return r.Record(ctx, result)
}

// result is what became of the first n rows.
func (r *importRun) result(n int) ImportResult {
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

// dryRunKey is the context key of a dry run.
type dryRunKey struct{}

// InDryRun reports whether ctx belongs to an operation whose transaction is undone in any
// case. It must do nothing that outlasts the transaction.
func InDryRun(ctx context.Context) bool {
	in, _ := ctx.Value(dryRunKey{}).(bool)
	return in
}
