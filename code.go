package shopapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// A Coded is an entity whose objects addresses also name by a code in place of the id, as
// in products/code:MUG-41 (E2). Its description names the field ([Description.CodeField]).
type Coded interface {
	// IDsByCode returns the ids of the objects with exactly this code that the user of
	// ctx may see, in ascending order. It may leave out ids beyond the first
	// [MaxSameCode]+1.
	IDsByCode(ctx context.Context, code string) ([]string, error)

	// Store is the store of the objects.
	Store() store.Store
}

// MaxSameCode is how many ids the 409 names where several objects have a code.
const MaxSameCode = 10

// A Preparer is an entity whose POST and PUT do something slow before their transaction,
// such as storing images. The API asks it where it begins the transaction itself.
type Preparer interface {
	// Preparation returns the function that does so, nil where there is nothing to do. Its
	// result is [Request.Prepared] in the operation. id is "" for POST.
	Preparation() func(ctx context.Context, r *Request, id string) (any, error)
}

// Prepared is what the entity's [Preparer] returned for the request, nil where it was not
// asked.
func (r *Request) Prepared() any { return r.prepared }

// codePrefix begins a segment of an address that is a code.
const codePrefix = "code:"

// takeCodes finds the codes in the address of t. escaped says that they are still
// percent-encoded, as within the parameter _d. Literal segments are never read as codes.
func (t *target) takeCodes(escaped bool, literal []bool) error {
	for i := range t.parents {
		if 2*i+1 < len(literal) && literal[2*i+1] {
			continue
		}
		if err := t.parents[i].takeCode(escaped); err != nil {
			return err
		}
	}
	if at := 2*len(t.parents) + 1; at < len(literal) && literal[at] {
		return nil
	}
	last := step{entry: t.entry, id: t.id}
	err := last.takeCode(escaped)
	t.id, t.code = last.id, last.code
	return err
}

func (s *step) takeCode(escaped bool) (err error) {
	code, ok := strings.CutPrefix(s.id, codePrefix)
	if !ok || s.entry.idsByCode == nil {
		return nil
	}
	if escaped {
		if code, err = url.PathUnescape(code); err != nil || !isText(code) {
			return s.noSuchCode(s.id)
		}
	}
	if code == "" {
		return s.noSuchCode(code)
	}
	s.code = code
	return nil
}

func (s *step) noSuchCode(code string) error {
	return noneHas(s.entry.Name, s.entry.CodeField, code)
}

// byCode returns the store in which the codes of the address are looked up. ok is false
// for an address without codes.
func (t *target) byCode() (st store.Store, ok bool) {
	for _, step := range t.parents {
		if step.code != "" {
			return step.entry.st, true
		}
	}
	return t.entry.st, t.code != ""
}

// resolved returns the target with the ids of the objects that have its codes. Parents do
// not narrow the search.
func (t *target) resolved(ctx context.Context) (*target, error) {
	r := *t
	r.parents = slices.Clone(t.parents)
	for i := range r.parents {
		if err := r.parents[i].resolve(ctx); err != nil {
			return nil, err
		}
	}
	last := step{t.entry, t.id, t.code}
	err := last.resolve(ctx)
	r.id, r.code = last.id, ""
	return &r, err
}

func (s *step) resolve(ctx context.Context) error {
	if s.code == "" {
		return nil
	}
	ids, err := s.entry.idsByCode(ctx, s.code)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return s.noSuchCode(s.code)
	case len(ids) > 1:
		return severalHave(s.entry.Name, s.entry.CodeField, s.code, ids)
	}
	s.id, s.code = ids[0], ""
	return nil
}

// noneHas is the 404 for a code that no object has.
func noneHas(entity, field, code string) error {
	return Errorf(http.StatusNotFound, "No object of %s has the %s %s.", entity, field, quoted(code))
}

// severalHave is the 409 for a code of several objects.
func severalHave(entity, field, code string, ids []string) error {
	more := ""
	if len(ids) > MaxSameCode {
		ids, more = ids[:MaxSameCode], " and others"
	}
	return Errorf(http.StatusConflict, "Several objects of %s have the %s %s: %s%s. Name one by its id.", entity, field, quoted(code), strings.Join(ids, ", "), more)
}

// errMoved says that a code got another object while a request was prepared for it.
var errMoved = Errorf(http.StatusConflict, "The code got another object meanwhile. Send the request again.")

// operateByCode is operate in one transaction with the search for the codes in the
// address, so that another object cannot get a code in between.
func (a *API) operateByCode(ctx context.Context, c call, st store.Store, t *target, r *Request) (resp *response, err error) {
	if t.op == OpList || t.op == OpGet {
		err = st.View(ctx, func(ctx context.Context, _ store.Tx) error {
			at, err := t.resolved(ctx)
			if err == nil {
				read := *r
				resp, err = a.operate(ctx, c, at, &read)
			}
			return err
		})
		return resp, err
	}
	for range 3 {
		resp, err = a.changeByCode(ctx, c, st, t, r)
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return resp, err
}

func (a *API) changeByCode(ctx context.Context, c call, st store.Store, t *target, r *Request) (resp *response, err error) {
	prepared, id, err := a.prepare(ctx, st, t, r)
	if err != nil {
		return nil, err
	}
	err = st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		at, err := t.resolved(ctx)
		if err != nil {
			return err
		}
		if prepared != nil && at.id != id {
			return errMoved
		}
		change := *r
		change.prepared = prepared
		if change.idempotencyKey != "" {
			change.setFingerprint(at.address())
		}
		resp, err = a.operate(ctx, c, at, &change)
		return err
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// prepare does what the entity does before the transaction of a POST or PUT, and returns
// its result and the id of the object.
func (a *API) prepare(ctx context.Context, st store.Store, t *target, r *Request) (prepared any, id string, err error) {
	if t.entry.prepare == nil || t.op != OpCreate && t.op != OpUpdate {
		return nil, "", nil
	}
	at := t
	err = store.ShortView(ctx, st, func(ctx context.Context, _ store.Tx) (err error) {
		at, err = t.resolved(ctx)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	read := *r
	if ctx, err = at.readParents(ctx, &read); err != nil {
		return nil, "", err
	}
	prepared, err = t.entry.prepare(ctx, &read, at.id)
	return prepared, at.id, err
}
