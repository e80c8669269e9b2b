package shopapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/route"
	"github.com/shopapi/shopapi/store"
)

// A target is an operation on what a request's address names.
type target struct {
	route.Target[*entry]
	op Operation
}

// resolve finds what the segments of an address name.
func (a *API) resolve(segments []string) (*target, error) {
	t, err := partsOf(a).registry.Resolve(segments)
	if err != nil {
		return nil, refused(err)
	}
	return &target{Target: t}, nil
}

// segmentsOf returns the segments of an address below the entry point and the version.
func segmentsOf(u *url.URL, query url.Values) ([]string, error) {
	segments, ok := apipath.Segments(u, query)
	if !ok {
		return nil, Errorf(http.StatusNotFound, "There is nothing at this address.")
	}
	rest, ok := apipath.CutVersion(segments)
	if !ok {
		return nil, Errorf(http.StatusNotFound, "Version %s of the interface is not supported. The supported version is %s.", quoted(segments[0]), apipath.Version)
	}
	return rest, nil
}

// admit is the part of the pipeline that looks at address, method, Accept and
// privileges.
func (a *API) admit(p *pipeline, segments []string) (*target, error) {
	t, err := a.resolve(segments)
	if err != nil {
		return nil, cmp.Or(a.refuseID(segments), err)
	}
	if err := t.TakeCodes(apipath.IsParameter(p.Req.URL), p.member.literal()); err != nil {
		return nil, refused(err)
	}
	err = t.choose(p.Req.Method)
	p.done.Route = t.route()
	if err != nil {
		return nil, err
	}
	if p.exported, err = p.Choose(a.exportable(t)); err != nil {
		return nil, refused(err)
	}
	if err := authorize(p.user, t); err != nil {
		return nil, err
	}
	p.condition = preconditionOf(p.Req.Header, t.op)
	if view := t.Entry.Privileges.View; p.condition != nil && !p.user.Can(view) {
		return nil, Forbidden(view)
	}
	return t, nil
}

// choose sets the operation that the method asks for, or fails with 405.
func (t *target) choose(method string) error {
	op, err := t.Choose(method)
	t.op = Operation(op)
	return refused(err)
}

// refuseID returns the 404 for an address that has an id behind an endpoint or an action, such as
// orders/1/history/1. It returns nil for other addresses.
func (a *API) refuseID(segments []string) error {
	if len(segments) < 2 {
		return nil
	}
	before := segments[:len(segments)-1]
	if _, _, ok := partsOf(a).endpoints.Find(before); ok {
		if partsOf(a).endpoints.TakesSegment(before) {
			return nil
		}
	} else if t, err := a.resolve(before); err != nil || t.Action == "" {
		return nil
	}
	return Errorf(http.StatusNotFound, "The address %s takes no id.", quoted(strings.Join(before, "/")))
}

// readInput reads the body of a write, or the filter of a read.
func (a *API) readInput(ctx context.Context, p *pipeline, t *target, r *Request) (err error) {
	if t.op.takesPayload() {
		if r.Payload, err = p.readPayload(ctx, t); err != nil {
			return err
		}
	}
	if err := checkQuery(p.Query, p.QueryErr); err != nil {
		return err
	}
	r.Filter = query.Filter(p.Query)
	if t.op != OpCreate && t.op != OpAction {
		r.choice = t.Entry.choose(field.ParseFields(r.Filter["fields"]), p.user)
	}
	if err := r.ReadLanguage(); err != nil {
		return err
	}
	if t.op == OpCreate || t.op == OpAction {
		return r.readIdempotencyKey(p.Req.Header, t.Address())
	}
	return nil
}

// readPayload is the body check: 415, 413, 400, 405 (§2).
func (p *pipeline) readPayload(ctx context.Context, t *target) (*Payload, error) {
	most := p.api.opts.Limits.Body
	if t.Entry.LargePayloads {
		most = max(most, p.api.opts.Limits.Response)
	}
	payload, err := p.readFields(ctx, most)
	if err != nil {
		return nil, err
	}
	if len(payload.fields) == 0 && t.op != OpAction && !p.hasUpdateParameter(t) {
		return nil, refused(t.NotAllowed("The payload is empty. Send the fields of the object."))
	}
	return payload, nil
}

// hasUpdateParameter reports whether a PUT has a parameter that is a change without a body.
func (p *pipeline) hasUpdateParameter(t *target) bool {
	if t.op != OpUpdate {
		return false
	}
	for name := range t.Entry.UpdateParameters {
		if p.Query.Has(name) {
			return true
		}
	}
	return false
}

// readFields reads a body of at most so many bytes.
func (p *pipeline) readFields(ctx context.Context, most int64) (*Payload, error) {
	fields, sum, err := p.ReadFields(ctx, most)
	if err != nil {
		return nil, refused(err)
	}
	if p.api.Dialect() == DialectLive && string(fields["company_id"]) == `""` {
		delete(fields, "company_id") // clients of that dialect send it empty (§27)
	}
	return &Payload{fields: fields, sum: sum}, nil
}

// A Parent is an object that a nested request passes through, as its Get
// returned it.
type Parent struct {
	Entity string
	ID     string
	Data   any
}

// readParents runs the read operation of each parent, outermost first, and adds the
// results to the request. An error of a parent is the response. The returned context is
// confined to the storefront among the parents, if there is one.
func (t *target) readParents(ctx context.Context, r *Request) (context.Context, error) {
	for _, step := range t.Parents {
		read := *r
		read.Payload, read.Filter, read.choice, read.batch, read.lookup = nil, nil, nil, nil, true
		data, err := step.Entry.get.Get(ctx, &read, step.ID)
		if err != nil {
			return ctx, err
		}
		if ctx, err = r.api.enterCompany(ctx, step); err != nil {
			return ctx, err
		}
		r.Parents = append(slices.Clip(r.Parents), Parent{Entity: step.Entry.Name, ID: step.ID, Data: data})
	}
	return ctx, nil
}

// cacheable reports whether the response of a target may be cached.
func (t *target) cacheable() bool {
	if t.op != OpGet && t.op != OpList || !t.Entry.Cacheable {
		return false
	}
	for _, step := range t.Parents {
		if !step.Entry.Cacheable {
			return false
		}
	}
	return true
}

// byCode returns the store in which the codes of the address are looked up. ok is false
// for an address without codes.
func (t *target) byCode() (st store.Store, ok bool) {
	e, ok := t.ByCode()
	return e.st, ok
}

// resolved returns the target with the ids of the objects that have its codes. Parents do
// not narrow the search.
func (t *target) resolved(ctx context.Context) (*target, error) {
	found, err := t.Found(ctx)
	return &target{found, t.op}, refused(err)
}

// IDOfCode returns the id of the object with a code: the only one of ids. It returns a 404
// where there is none, and a 409 where several objects of the entity have the code.
func IDOfCode(entity, field, code string, ids []string) (string, error) {
	id, err := route.IDOfCode(entity, field, code, ids)
	return id, refused(err)
}

// errMoved says that a code got another object while a request was prepared for it.
var errMoved = Errorf(http.StatusConflict, "The code got another object meanwhile. Send the request again.")

// readByCode is read in one transaction with the search for the codes in the address, so that
// another object cannot get a code in between.
func (a *API) readByCode(ctx context.Context, c call, st store.Store, t *target, r *Request) (resp *response.Response, err error) {
	err = st.View(ctx, func(ctx context.Context, _ store.Tx) error {
		at, err := t.resolved(ctx)
		if err == nil {
			read := *r
			resp, err = a.read(ctx, c, at, &read)
		}
		return err
	})
	return resp, err
}

// changeByCode is change in one transaction with the search for the codes in the address. It
// tries again if a code got another object since the request was prepared.
func (a *API) changeByCode(ctx context.Context, c call, st store.Store, t *target, r *Request) (resp *response.Response, err error) {
	for range 3 {
		resp, err = a.tryChangeByCode(ctx, c, st, t, r)
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return resp, err
}

func (a *API) tryChangeByCode(ctx context.Context, c call, st store.Store, t *target, r *Request) (resp *response.Response, err error) {
	prepared, id, err := a.prepare(ctx, st, t, r)
	if err != nil {
		return nil, err
	}
	err = st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		at, err := t.resolved(ctx)
		if err != nil {
			return err
		}
		if prepared != nil && at.ID != id {
			return errMoved
		}
		change := *r
		change.prepared = prepared
		if change.idempotencyKey != "" {
			change.setFingerprint(at.Address())
		}
		resp, err = a.change(ctx, c, at, &change)
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
	if t.Entry.prepare == nil || t.op != OpCreate && t.op != OpUpdate {
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
	prepared, err = t.Entry.prepare(ctx, &read, at.ID)
	return prepared, at.ID, err
}

// A call is what the operation of a request needs of its pipeline, which must not escape
// to the heap.
type call struct {
	format    format.Format
	url       *url.URL
	condition *conditional.Change // nil when there is none
}

// call returns what the operation of the request needs.
func (p *pipeline) call() call { return call{p.Format, p.Req.URL, p.condition} }

// read carries out a List or Get below its parents. The address may have codes.
func (a *API) read(ctx context.Context, c call, t *target, r *Request) (*response.Response, error) {
	if st, byCode := t.byCode(); byCode {
		return a.readByCode(ctx, c, st, t, r)
	}
	ctx, err := t.readParents(ctx, r)
	if err != nil {
		return nil, err
	}
	var result any
	if t.op == OpGet {
		result, err = t.Entry.get.Get(ctx, r, t.ID)
	} else if err = a.setPageSize(ctx, r); err == nil {
		result, err = t.Entry.list.List(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return a.respond(ctx, c, t, r, result)
}

// change carries out a changing operation below its parents, and encodes its result. The address
// may have codes. Committed changes are reported, also if the operation then failed.
func (a *API) change(ctx context.Context, c call, t *target, r *Request) (*response.Response, error) {
	if st, byCode := t.byCode(); byCode {
		return a.changeByCode(ctx, c, st, t, r)
	}
	ctx, err := t.readParents(ctx, r)
	if err != nil {
		return nil, err
	}
	if c.condition != nil {
		ctx = a.withPrecondition(ctx, c, t, r)
	}
	ctx, reported := withReport(ctx)
	var reply Reply
	if t.Entry.Transactional {
		reply, err = t.write(ctx, r)
	} else {
		err = refused(conditional.Run(ctx, false, func() (err error) {
			if err = t.beforeDelete(ctx, r); err == nil {
				reply, err = t.write(ctx, r)
			}
			return err
		}))
	}
	if err != nil {
		return nil, err
	}
	if !*reported && !t.Entry.Transactional {
		a.changedByRequest(context.WithoutCancel(ctx), t, reply)
	}
	switch t.op {
	case OpCreate, OpAction:
		if reply.Answer != nil {
			return c.format.Respond(http.StatusOK, reply.Answer)
		}
		status := http.StatusCreated
		if reply.Existing {
			status = http.StatusOK
		}
		return c.format.Respond(status, a.replyBody(t, reply))
	case OpUpdate:
		resp, err := c.format.Respond(http.StatusOK, a.replyBody(t, reply))
		if err == nil && c.condition != nil && c.condition.After != "" {
			resp.Add("Etag", c.condition.After)
		}
		return resp, err
	}
	return response.NoContent, nil
}

// write runs a changing operation.
func (t *target) write(ctx context.Context, r *Request) (Reply, error) {
	switch t.op {
	case OpCreate:
		return t.Entry.create.Create(ctx, r)
	case OpUpdate:
		return t.Entry.update.Update(ctx, r, t.ID)
	case OpAction:
		return t.Entry.act.Act(ctx, r, t.Action, t.ID)
	}
	return Reply{ID: t.ID}, t.Entry.delete.Delete(ctx, r, t.ID)
}
