package shopapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/store"
)

// The media types of an export (extensions E7).
const (
	linesType = "application/x-ndjson"
	csvType   = "text/csv"
)

var exportTypes = []string{linesType, csvType}

// mostExports is how many exports of one user may run at once.
const mostExports = 2

// Exports reports whether lists can be exported ([Options.Export]).
func (a *API) Exports() bool { return a.opts.Export }

// exportable are the media types that the list of a target can be exported in.
func (a *API) exportable(t *target) []string {
	if a.opts.Export && t.op == OpList {
		return exportTypes
	}
	return nil
}

// export is the rest of the pipeline for an export. No transaction is open while it
// streams.
func (a *API) export(ctx context.Context, p *pipeline, t *target, r *Request) (*response, error) {
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
	return a.respondExport(ctx, p, t, r)
}

// respondExport returns the response that streams the objects of a list. r has the
// parents, and ctx is confined to their company.
func (a *API) respondExport(ctx context.Context, p *pipeline, t *target, r *Request) (*response, error) {
	p.share.Keep(0) // each batch waits for its turn
	var problems Problems
	for _, name := range []string{"page", "items_per_page", "sort_by", "sort_order"} {
		if r.Filter.Has(name) {
			problems.Add(name, "cannot be combined with %s, which has all objects in the order of their ids", p.exported)
		}
	}
	var asked struct {
		Spreadsheet Flag `json:"spreadsheet"`
	}
	problems.Merge(r.BindFilter(&asked))
	x := &exporter{api: a, entry: t.entry, request: *r, options: ExportOptions{CSV: p.exported == csvType, Spreadsheet: bool(asked.Spreadsheet)}}
	x.request.Filter = withoutFields(r.Filter)
	problems.Merge(x.choose(fieldNames(r.Filter["fields"])))
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if err := a.checkExport(ctx, x); err != nil {
		return nil, err
	}
	resp := &response{status: http.StatusOK, fields: []header{isPrivate, isNotSniffed, newHeader("Content-Type", p.exported)}}
	t.entry.addDeprecation(resp, r.Filter)
	if p.exported == csvType {
		resp.fields[2] = newHeader("Content-Type", csvType+"; charset=utf-8; header=present")
	}
	if p.req.Method == http.MethodHead {
		return resp, nil
	}
	if p.slot = a.exports.take(p.user); p.slot == nil {
		return nil, &Error{
			Status: http.StatusTooManyRequests, retryAfter: retryLater,
			Message: fmt.Sprintf("%d of your exports are running, and no more may run at once. Try again later.", mostExports),
		}
	}
	coding := p.coding.Coding
	if coding != compress.Identity {
		resp.add("Content-Encoding", string(coding))
	}
	request := p.req.Context() // p itself must not escape to the heap
	resp.stream = func(w io.Writer) error {
		ctx, cancel := a.unlimited(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		to := coding.Writer(w)
		if err := x.write(ctx, to); err != nil {
			return err
		}
		return to.Close()
	}
	return resp, nil
}

// checkExport reads one object, so that an error in the parameters is an answer and
// no broken connection.
func (a *API) checkExport(ctx context.Context, x *exporter) error {
	_, _, err := x.read(ctx, &Batch{Size: 1}, 1)
	return err
}

// exportSlots count the exports of each user that are running.
type exportSlots struct {
	mu      sync.Mutex
	running map[budgetClient]int
}

// An exportSlot is one running export.
type exportSlot struct {
	of   *exportSlots
	user budgetClient
}

// take returns a slot of the user, nil where there is none.
func (s *exportSlots) take(u *User) *exportSlot {
	slot := &exportSlot{s, budgetClient{u.ID, u.Email}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[slot.user] >= mostExports {
		return nil
	}
	if s.running == nil {
		s.running = map[budgetClient]int{}
	}
	s.running[slot.user]++
	return slot
}

// release ends a running export. It may be called on nil.
func (s *exportSlot) release() {
	if s == nil {
		return
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.of.running[s.user]--; s.of.running[s.user] == 0 {
		delete(s.of.running, s.user)
	}
}
