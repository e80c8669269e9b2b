package changes

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Change is one change of an object, or, where ID is [Every], of many objects of an
// entity that are to be read again.
type Change struct {
	Seq    string   `json:"seq"` // position in the log: the cursor that reads on after it
	Time   int64    `json:"time"`
	Entity string   `json:"entity"`
	ID     string   `json:"id"`
	Parent *Parent  `json:"parent,omitempty"`
	Op     string   `json:"op"`               // Created, Updated or Deleted
	Fields []string `json:"fields,omitempty"` // of an update: names on the wire; "*" means any

	UserID    int64 `json:"user_id,string"` // who made it; 0 is the program
	CompanyID int64 `json:"company_id,string"`

	// Status and PreviousStatus are the statuses of an order whose status changed.
	Status         string `json:"status,omitempty"`
	PreviousStatus string `json:"previous_status,omitempty"`
}

// A Parent is the object above one without an address of its own, or the one that a review is about.
type Parent struct {
	Entity string `json:"entity"`
	ID     string `json:"id"`
}

// A Filter chooses changes. Empty fields choose all. Changes with the id [Every] are
// chosen by their entity alone.
type Filter struct {
	Entities   []string
	Operations []string
}

const (
	maxPage = 1000   // changes that are read at once
	maxScan = 10_000 // rows that are looked at for one page
)

// A Page is a part of the log.
type Page struct {
	Changes []Change
	LastSeq string // position of the last row that was looked at
	Pending int64  // rows beyond it
}

// Position returns the cursor after the newest change.
func (l *Log) Position(ctx context.Context) (string, error) {
	p, err := l.Page(ctx, Now, Filter{}, 1)
	return p.LastSeq, err
}

// Since iterates over the changes after a cursor, oldest first, that the user of ctx may
// see, and ends with the newest. A cursor is the Seq of a change, a [Log.Position],
// [Oldest] or [Now]. The changes are read in batches; no transaction is open between
// them. The error is a [*GoneError] where changes after the cursor were pruned, and the
// iteration ends with it.
func (l *Log) Since(ctx context.Context, cursor string, f Filter) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for {
			p, ok := l.yieldPage(ctx, l.Page, cursor, f, yield)
			if !ok {
				return
			}
			if p.LastSeq == cursor || p.Pending == 0 {
				return
			}
			cursor = p.LastSeq
		}
	}
}

// Follow is [Log.Since] that waits for further changes, until ctx ends: then the
// iteration ends with its error. Changes of this process arrive at once, changes of other
// processes within a second.
func (l *Log) Follow(ctx context.Context, cursor string, f Filter) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		defer l.enter()()
		read := l.Page
		for {
			p, ok := l.yieldPage(ctx, read, cursor, f, yield)
			if !ok {
				return
			}
			cursor, read = p.LastSeq, l.next
			if p.Pending == 0 && l.wait(ctx, cursor, nil, nil) == contextEnded {
				yield(Change{}, ctx.Err())
				return
			}
		}
	}
}

// A reader is [Log.Page] or [Log.next].
type reader func(ctx context.Context, cursor string, f Filter, limit int) (Page, error)

// yieldPage reads the changes after a cursor and yields them, or the error. ok is false if
// the iteration ends with it.
func (l *Log) yieldPage(ctx context.Context, read reader, cursor string, f Filter, yield func(Change, error) bool) (p Page, ok bool) {
	p, err := read(ctx, cursor, f, maxPage)
	if err != nil {
		yield(Change{}, err)
		return p, false
	}
	for _, c := range p.Changes {
		if !yield(c, nil) {
			return p, false
		}
	}
	return p, true
}

// Page reads at most limit changes after a cursor that the user of ctx may see. It looks
// at a bounded number of rows, so that it may return fewer, or none, while rows are left.
func (l *Log) Page(ctx context.Context, cursor string, f Filter, limit int) (p Page, err error) {
	if err := l.number(ctx); err != nil {
		return p, err
	}
	ctx = l.api.Confine(ctx)
	v := l.viewer(ctx)
	err = l.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		p = Page{}
		b, err := l.bounds(tx)
		if err != nil {
			return err
		}
		last, err := b.start(cursor)
		if err != nil {
			return err
		}
		looked := 0
		for last < b.newest && len(p.Changes) < limit && looked < maxScan {
			list, err := rows.Select(tx, l.after(last, min(maxPage, limit-len(p.Changes))))
			if err != nil || len(list) == 0 {
				return err
			}
			for i := range list {
				last = l.position(&list[i])
				p.add(v, &list[i], &f, formatPosition(b.head, last))
			}
			looked += len(list)
		}
		p.LastSeq, p.Pending = formatPosition(b.head, last), b.newest-last
		return nil
	})
	return p, err
}

// add appends the change of a row at a position, if the viewer sees it and the filter
// chooses it.
func (p *Page) add(v *viewer, r *row, f *Filter, seq string) {
	if c, ok := v.see(r, f); ok {
		c.Seq = seq
		p.Changes = append(p.Changes, c)
	}
}

// A viewer is the user who reads a log.
type viewer struct {
	api  *shopapi.API
	user *shopapi.User
	may  map[[2]string]bool // view an entity below a parent
}

func (l *Log) viewer(ctx context.Context) *viewer {
	return &viewer{api: l.api, user: shopapi.UserFrom(ctx), may: map[[2]string]bool{}}
}

// see returns a row as the user sees it: an object that left the user's company was
// deleted, and an object that joined it was created.
func (v *viewer) see(r *row, f *Filter) (Change, bool) {
	if len(f.Entities) > 0 && !slices.Contains(f.Entities, r.Entity) || !v.mayView(r.Entity, r.ParentEntity) {
		return Change{}, false
	}
	op, sees := r.Op, v.sees(r.own())
	if r.Moved {
		switch had := v.sees(r.former()); {
		case had && !sees:
			op, sees = Deleted, true
		case sees && !had:
			op = Created
		}
	}
	if !sees || len(f.Operations) > 0 && r.Object != Every && !slices.Contains(f.Operations, op) {
		return Change{}, false
	}
	c := Change{
		Time: r.Time, Entity: r.Entity, ID: r.Object, Op: op, UserID: r.User, CompanyID: r.Company,
		Status: r.Status, PreviousStatus: r.Previous,
	}
	if op == Updated && r.Object != Every {
		if c.Fields = v.api.VisibleFields(v.user, r.Entity, strings.Split(r.Fields, ",")); len(c.Fields) == 0 {
			return Change{}, false
		}
	}
	if op == Deleted && r.Moved {
		c.CompanyID, c.Status, c.PreviousStatus = r.FormerCompany, "", ""
	}
	if r.ParentEntity != "" {
		c.Parent = &Parent{r.ParentEntity, r.Parent}
	}
	if c.UserID != 0 && !v.mayView("users", "") {
		c.UserID = 0
	}
	return c, true
}

func (v *viewer) mayView(entity, parent string) bool {
	key := [2]string{entity, parent}
	may, known := v.may[key]
	if !known {
		may = v.user == nil || v.api.MayView(v.user, entity, parent)
		v.may[key] = may
	}
	return may
}

// sees reports whether a change of an object with an owner concerns the user.
func (v *viewer) sees(o shopapi.Ownership) bool {
	switch {
	case !v.user.IsConfined(), o.Audience == shopapi.ForAll:
		return true
	case o.Audience == shopapi.ForVendors && v.user.IsVendor():
		return true
	}
	return o.CompanyID == v.user.CompanyID
}
