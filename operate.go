package shopapi

import (
	"context"
	"net/http"
	"net/url"
)

// A call is what the operation of a request needs of its pipeline, which must not escape
// to the heap.
type call struct {
	format    format
	url       *url.URL
	condition *precondition // nil when there is none
}

// operate carries out the request, below its parents.
func (a *API) operate(ctx context.Context, c call, t *target, r *Request) (*response, error) {
	ctx, err := t.readParents(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := a.applySettings(ctx, t, r); err != nil {
		return nil, err
	}
	return a.run(ctx, c, t, r)
}

// run carries out the entity's operation and encodes its result. Committed changes are
// reported, also if the operation then failed.
func (a *API) run(ctx context.Context, c call, t *target, r *Request) (*response, error) {
	if t.op == OpList || t.op == OpGet {
		return a.read(ctx, c.format, c.url, t, r)
	}
	if c.condition != nil {
		ctx = a.withPrecondition(ctx, c, t, r)
	}
	ctx, reported := withReport(ctx)
	reply, err := t.write(ctx, r)
	if err != nil {
		return nil, err
	}
	if !*reported && !t.entry.Transactional {
		a.changedByRequest(context.WithoutCancel(ctx), t, reply)
	}
	switch t.op {
	case OpCreate, OpAction:
		if reply.Answer != nil {
			return c.format.respond(http.StatusOK, reply.Answer)
		}
		status := http.StatusCreated
		if reply.Existing {
			status = http.StatusOK
		}
		return c.format.respond(status, a.replyBody(t, reply))
	case OpUpdate:
		resp, err := c.format.respond(http.StatusOK, a.replyBody(t, reply))
		if err == nil && c.condition != nil && c.condition.after != "" {
			resp.add("Etag", c.condition.after)
		}
		return resp, err
	}
	return noContent, nil
}

// read carries out a List or Get and encodes its result in a format, for the
// address u.
func (a *API) read(ctx context.Context, f format, u *url.URL, t *target, r *Request) (*response, error) {
	var result any
	var err error
	if t.op == OpList {
		result, err = t.entry.list(ctx, r)
	} else {
		result, err = t.entry.get(ctx, r, t.id)
	}
	if err != nil {
		return nil, err
	}
	result = r.choice.apply(result)
	list, isList := result.(List)
	if isList {
		result = list.encodable()
	}
	resp, err := a.respondRead(ctx, f, t.op == OpList, result)
	if err != nil {
		return nil, err
	}
	if isList {
		t.entry.addDeprecation(resp, r.Filter)
	}
	if isList && list.Bare && list.Params != nil {
		list.Params.addHeaders(resp, u)
	}
	resp.tag()
	return resp, nil
}

// write runs a changing operation.
func (t *target) write(ctx context.Context, r *Request) (Reply, error) {
	reply := Reply{ID: t.id}
	change := func() (err error) {
		switch t.op {
		case OpCreate:
			reply, err = t.entry.create(ctx, r)
		case OpUpdate:
			reply, err = t.entry.update(ctx, r, t.id)
		case OpAction:
			reply, err = t.entry.act(ctx, r, t.action, t.id)
		default:
			if err = t.beforeDelete(ctx, r); err == nil {
				err = t.entry.delete(ctx, r, t.id)
			}
		}
		return err
	}
	if t.entry.Transactional {
		err := change()
		return reply, err
	}
	err := whenPreconditionsHold(ctx, false, change)
	return reply, err
}
