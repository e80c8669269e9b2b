package shopapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/shopapi/shopapi/internal/batch"
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/exchange"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/pace"
	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/route"
	"github.com/shopapi/shopapi/internal/slots"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A BatchMember is a request of a batch (E6), which package bulk sends into the pipeline.
type BatchMember struct {
	batch.Member
	User   *User
	Remote netip.Addr

	Atomic bool
	Store  store.Store // that an atomic batch writes to

	Prepared    any   // the result of [API.PrepareMember]
	PrepareErr  error // its error
	Refused     error // the response without further checks; nil for none
	MaxResponse int64 // bytes of the body of the response to GET
}

// literal says of each segment of the address whether a reference filled it in: such a
// segment is never read as a code.
func (m *BatchMember) literal() []bool {
	if m == nil {
		return nil
	}
	return m.Address.Literal
}

// admit refuses what an atomic batch cannot hold, and hands over the prepared result.
func (m *BatchMember) admit(t *target, r *Request) error {
	r.inBatch, r.prepared = true, m.Prepared
	if m.PrepareErr != nil {
		return m.PrepareErr
	}
	if m.Atomic && t.Entry.st != m.Store {
		return Errorf(http.StatusBadRequest, "%s cannot be in an atomic batch with the others: its objects are in another store.", t.Entry.Name)
	}
	return nil
}

// memberPipeline returns the pipeline of a member, and the context of its operation.
func (a *API) memberPipeline(ctx context.Context, m *BatchMember) (*pipeline, context.Context) {
	p := &pipeline{api: a, user: m.User, member: m, leave: func() {}, Exchange: exchange.Exchange{
		Rules: &a.rules, W: batch.Discard{}, Req: m.Request(ctx), Query: m.Address.Query,
	}}
	if outer := budget.From(ctx); outer != nil {
		p.Share = outer.Within()
	} else {
		p.Share = a.budget.Share(m.User.client())
	}
	return p, budget.With(ctx, p.Share)
}

// PrepareMember does what the entity of a member does before the transaction of an atomic
// batch, and returns the result.
func (a *API) PrepareMember(ctx context.Context, m *BatchMember) (any, error) {
	t, err := a.resolve(m.Address.Segments)
	if err != nil || t.Entry.prepare == nil {
		return nil, nil
	}
	p, ctx := a.memberPipeline(ctx, m)
	defer func() { p.Share.Release() }()
	if t, err = a.admit(p, m.Address.Segments); err != nil {
		return nil, err
	}
	r := &Request{User: p.user, Remote: m.Remote, api: a}
	if err := a.readInput(ctx, p, t, r); err != nil {
		return nil, err
	}
	result, _, err := a.prepare(WithLanguage(WithUser(ctx, p.user), r.language), t.Entry.st, t, r)
	return result, err
}

// A MemberResponse is the response to a member.
type MemberResponse struct {
	*response.Response
	IsJSON bool // and no text of another format
}

// ServeMember carries out a member. In an atomic batch it returns the error of the member.
// Otherwise that is the response, changes wait for their turn among bulk writes, and an error
// says that the wait took too long.
func (a *API) ServeMember(ctx context.Context, m *BatchMember) (resp *MemberResponse, err error) {
	if m.Atomic || m.Method == http.MethodGet {
		return a.serveMember(ctx, m)
	}
	err = a.pace.Run(ctx, clientOf(ctx), func() (err error) {
		resp, err = a.serveMember(ctx, m)
		return err
	})
	return resp, err
}

func (a *API) serveMember(ctx context.Context, m *BatchMember) (*MemberResponse, error) {
	p, ctx := a.memberPipeline(ctx, m)
	defer func() { p.Share.Release() }()
	resp, err := a.dispatchMember(ctx, p)
	switch {
	case err != nil && m.Atomic:
		return nil, err
	case err != nil:
		resp = p.failure(err)
	case m.Method == http.MethodGet:
		if resp = resp.UnlessKnown(p.Req.Header); int64(len(resp.Body)) > m.MaxResponse {
			resp = p.failure(Errorf(http.StatusRequestEntityTooLarge, "The responses of the batch would be larger than the %d bytes that are allowed.", a.opts.Limits.Response))
		}
	}
	return &MemberResponse{resp, p.Format == format.JSON}, nil
}

func (a *API) dispatchMember(ctx context.Context, p *pipeline) (resp *response.Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if p.member.Refused != nil {
		return nil, p.member.Refused
	}
	return a.dispatch(ctx, p, p.member.Address.Segments)
}

// A MatchFunc carries out PUT with match (E6): text is the body, an array of objects of the
// entity.
type MatchFunc func(ctx context.Context, r *Request, entity string, text []byte) (any, error)

// ServeMatch adds PUT with match to the entities that have a method MatchField. Like entities,
// it is added before the first request is served.
func (a *API) ServeMatch(f MatchFunc) { a.match = f }

// Batches reports whether there is PUT with match, and POST /batch.
func (a *API) Batches() bool { return a.match != nil }

// matches reports whether the request is a PUT with match.
func (a *API) matches(p *pipeline, segments []string) (*entry, bool) {
	if p.Req.Method != http.MethodPut || len(segments) != 1 || !p.Query.Has("match") {
		return nil, false
	}
	e := a.registry.Top[segments[0]]
	return e, e != nil && e.matchField != "" && e.has(OpUpdate)
}

// serveMatch is the request pipeline of PUT with match, from the privileges on.
func (a *API) serveMatch(ctx context.Context, p *pipeline, e *entry) (*response.Response, error) {
	t := &target{Target: route.Target[*entry]{Step: route.Step[*entry]{Entry: e}}, op: OpUpdate}
	p.done.Route = t.route()
	if _, err := p.Choose(nil); err != nil {
		return nil, refused(err)
	}
	if err := authorize(p.user, t); err != nil {
		return nil, err
	}
	if view := e.Privileges.View; !p.user.Can(view) {
		return nil, Forbidden(view)
	}
	if p.member != nil {
		return nil, Errorf(http.StatusBadRequest, "A PUT with match cannot be in a batch: send it alone.")
	}
	if preconditionOf(p.Req.Header, OpUpdate) != nil {
		return nil, Errorf(http.StatusBadRequest, "If-Match and If-None-Match cannot be sent with match.")
	}
	text, err := p.ReadJSON(ctx, a.opts.Limits.BatchBody)
	if err != nil {
		return nil, bodyError(err)
	}
	if err := checkQuery(p.Query, p.QueryErr); err != nil {
		return nil, err
	}
	r := &Request{User: p.user, Filter: query.Filter(p.Query), Remote: p.remote(), api: a}
	result, err := a.match(WithUser(ctx, p.user), r, e.Name, text)
	if err != nil {
		return nil, err
	}
	return p.Format.Respond(http.StatusOK, result)
}

// An ExportFunc returns the response that streams all objects of a list (E7) in one of the
// media types of exports. The request has its parents, and ctx is confined to their company.
type ExportFunc func(ctx context.Context, r *Request, path EntityPath, mediaType string) (*Response, error)

// exports are the exports of lists.
type exports struct {
	mediaTypes []string // nil: there are none
	serve      ExportFunc
	slots      *slots.Slots[client]
}

// mostExports is how many exports of one user may run at once.
const mostExports = 2

// ServeExports adds the media types of exports to all lists. Like entities, they are added
// before the first request is served.
func (a *API) ServeExports(mediaTypes []string, f ExportFunc) {
	a.exports.mediaTypes, a.exports.serve = mediaTypes, f
}

// Exports reports whether lists can be exported.
func (a *API) Exports() bool { return a.exports.serve != nil }

// exportable are the media types that the list of a target can be exported in.
func (a *API) exportable(t *target) []string {
	if t.op == OpList {
		return a.exports.mediaTypes
	}
	return nil
}

// export is the rest of the pipeline for an export. No transaction is open while it
// streams.
func (a *API) export(ctx context.Context, p *pipeline, t *target, r *Request) (*response.Response, error) {
	if st, byCode := t.byCode(); byCode {
		err := st.View(ctx, func(ctx context.Context, _ store.Tx) (err error) {
			t, err = t.resolved(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	ctx, err := t.readParents(ctx, r)
	if err != nil {
		return nil, err
	}
	p.Share.Keep(0) // each batch waits for its turn
	answer, err := a.exports.serve(ctx, r, EntityPath{Description: t.Entry.describe(), entry: t.Entry}, p.exported)
	if err != nil {
		return nil, err
	}
	resp := response.Empty(http.StatusOK)
	for name, values := range answer.Header {
		resp.Fields = append(resp.Fields, response.Field{Name: name, Values: values})
	}
	t.Entry.addDeprecation(resp, r.Filter)
	if p.Req.Method == http.MethodHead {
		return resp, nil
	}
	var free bool
	if p.leave, free = a.exports.slots.Enter(p.user.client()); !free {
		return nil, RetryLater(http.StatusTooManyRequests, retryLater, "%d of your exports are running, and no more may run at once. Try again later.", mostExports)
	}
	coding := p.Coding.Coding
	if coding != compress.Identity {
		resp.Add("Content-Encoding", string(coding))
	}
	request := p.Req.Context() // p itself must not escape to the heap
	resp.Stream = func(w io.Writer) error {
		ctx, cancel := a.life.Unlimited(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		to := coding.Writer(w)
		if err := answer.Stream(ctx, to); err != nil {
			return err
		}
		return to.Close()
	}
	return resp, nil
}

// BulkWrite runs fn in a transaction of st as a bulk write: bulk writes run one at a time,
// of each user in turn, and while others write for at most half of the time. It is undone, and
// a 413 [*Error], after most, its repeats included; 0 means that it has no limit of its own.
func (a *API) BulkWrite(ctx context.Context, st store.Store, most time.Duration, fn func(ctx context.Context, tx store.Tx) error) error {
	return a.BulkRun(ctx, most, func(ctx context.Context, begun func()) error {
		return st.Update(driver.Bulk(ctx), func(ctx context.Context, tx store.Tx) error {
			begun()
			return fn(ctx, tx)
		})
	})
}

// BulkRun is [API.BulkWrite] for a function that begins the transaction itself, and calls begun
// in it.
func (a *API) BulkRun(ctx context.Context, most time.Duration, run func(ctx context.Context, begun func()) error) error {
	return a.pace.Run(ctx, clientOf(ctx), func() error {
		if err := a.cacheSettings(ctx); err != nil {
			return err
		}
		err := pace.Within(ctx, most, run)
		if errors.Is(err, pace.ErrLate) {
			return Errorf(http.StatusRequestEntityTooLarge, "The transaction would take longer than %s and was undone. Send fewer requests at once.", most)
		}
		return err
	})
}

// cacheSettings reads the settings, which are cached from reads outside of transactions alone,
// so that a long transaction does not read them again for each object.
func (a *API) cacheSettings(ctx context.Context) error {
	_, err := a.DefaultLanguage(ctx)
	return err
}
