package shopapi

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/listheaders"
	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/internal/response"
)

// A List is the answer to GET on an entity's own address: the objects and, when
// it is paged, the parameters of the page (§6).
type List struct {
	Name   string  // the key of the objects in the envelope
	Items  any     // a slice; empty, never nil
	Params *Params // nil when the list is not paged

	// ParamsBody, unless nil, is written in place of Params. It begins with the members of
	// Params and has further ones.
	ParamsBody any

	// Bare sends the objects alone, as an array. The parameters then go into the
	// headers X-Total-Count and Link (§7). Link repeats the query for each of its pages,
	// and is left out where that is longer than 2 KiB.
	Bare bool
}

// Params are the parameters of a page in the response (§6).
type Params struct {
	ItemsPerPage int64  `json:"items_per_page,string"`
	Page         int64  `json:"page"`
	SortOrder    string `json:"sort_order"`
	SortBy       string `json:"sort_by"`
	SortOrderRev string `json:"sort_order_rev"`
	TotalItems   int64  `json:"total_items,string"`
}

// A Page is the part of a list that a request asks for, and its order (§6).
type Page struct {
	Number     int64 // from 1
	Size       int64 // items per page, 1 or more
	SortBy     string
	Descending bool
}

// Page reads page, items_per_page, sort_by and sort_order. Without sort_by, the order is
// the first of sorts; desc is the default direction. It returns a 400 for an invalid
// page, size or order; a size above the maximum becomes the maximum, and the live dialect
// has an order for every sort_by.
func (r *Request) Page(desc bool, sorts ...string) (Page, error) {
	var problems Problems
	limits := r.limits()
	p := Page{Number: 1, Size: cmp.Or(r.itemsPerPage, int64(limits.ItemsPerPage)), SortBy: sorts[0], Descending: desc}
	positive := func(name string, into *int64) {
		s := query.Last(r.Filter[name])
		if s == "" {
			return
		}
		n, problem := query.Positive(s)
		if problem != "" {
			problems.Add(name, "%s", problem)
			return
		}
		*into = n
	}
	positive("page", &p.Number)
	positive("items_per_page", &p.Size)
	p.Size = min(p.Size, int64(limits.MaxItemsPerPage))
	if s := query.Last(r.Filter["sort_by"]); s != "" {
		if p.SortBy = r.sortKey(s, sorts); p.SortBy == "" {
			problems.Add("sort_by", "must be one of %s, not %s", strings.Join(sorts, ", "), quoted(s))
		}
	}
	switch s := query.Last(r.Filter["sort_order"]); s {
	case "":
	case "asc", "desc":
		p.Descending = s == "desc"
	default:
		problems.Add("sort_order", "must be asc or desc, not %s", quoted(s))
	}
	return p, problems.Err()
}

// sortKey is the one of sorts that sort_by asks for, "" for none. In the live dialect
// timestamp is date, updated_timestamp is updated, and an unknown key is the default (§4,
// §27).
func (r *Request) sortKey(asked string, sorts []string) string {
	switch {
	case slices.Contains(sorts, asked):
		return asked
	case r.api == nil || r.api.Dialect() != DialectLive:
		return ""
	case asked == "timestamp" && slices.Contains(sorts, "date"):
		return "date"
	case asked == "updated_timestamp" && slices.Contains(sorts, "updated"):
		return "updated"
	}
	return sorts[0]
}

// BindList is [Request.BindFilter] and [Request.Page] at once: it returns a 400
// that names whatever is wrong with either.
func (r *Request) BindList(filter any, desc bool, sorts ...string) (Page, error) {
	var problems Problems
	problems.Merge(r.BindFilter(filter))
	page, err := r.Page(desc, sorts...)
	problems.Merge(err)
	return page, problems.Err()
}

// Limit is the number of items of the page.
func (p Page) Limit() int { return int(p.Size) }

// Offset is the number of items before the page. Offsets beyond the range of int have no
// items anyway.
func (p Page) Offset() int {
	if p.Number-1 > math.MaxInt/p.Size {
		return math.MaxInt
	}
	return int((p.Number - 1) * p.Size)
}

// Params returns the parameters for the response, with the total number of items.
func (p Page) Params(total int64) *Params {
	order, reverse := "asc", "desc"
	if p.Descending {
		order, reverse = reverse, order
	}
	return &Params{
		ItemsPerPage: p.Size, Page: p.Number, TotalItems: total,
		SortBy: p.SortBy, SortOrder: order, SortOrderRev: reverse,
	}
}

// addHeaders adds the headers of a page whose body is a bare array (§7, RFC 8288).
func (p *Params) addHeaders(r *response.Response, u *url.URL) {
	r.Add("X-Total-Count", strconv.FormatInt(p.TotalItems, 10))
	page := listheaders.Page{Number: p.Page, Size: p.ItemsPerPage, Total: p.TotalItems}
	page.Fields = strings.Join(field.ParseFields(u.Query()["fields"]), ",") // equal choices share a cached response
	if link := page.Link(u); link != "" {
		r.Add("Link", link)
	}
}

// chosen is the result of Get or List with the chosen fields alone; all of it if no object has
// any of them.
func chosen(c *Choice, result any) any {
	list, isList := result.(List)
	if !isList {
		return c.Only(result)
	}
	list.Items = c.Items(list.Items)
	return list
}

// The choice of fields by the parameter fields.
type (
	// A Choice is the fields that a GET asks for (extensions E3).
	Choice = field.Choice
	// A TextField is a field in one language, such as product@de.
	TextField = field.TextField
)

// encodable is what the list looks like in the body.
func (l List) encodable() any {
	if l.Bare {
		return l.Items
	}
	m := Map{{Name: l.Name, Value: l.Items}}
	switch {
	case l.ParamsBody != nil:
		m = append(m, Member{Name: "params", Value: l.ParamsBody})
	case l.Params != nil:
		m = append(m, Member{Name: "params", Value: l.Params})
	}
	return m
}

// Objects returns the items. ok is false where they are neither a slice nor a [Map].
func (l List) Objects() (objects []any, ok bool) {
	_, objects, ok = field.ItemsOf(l.Items)
	return objects, ok
}

// addDeprecation adds the header Deprecation (RFC 9745) to the response to a list that was
// asked for by a deprecated parameter.
func (e *entry) addDeprecation(r *response.Response, filter url.Values) {
	if header := e.deprecated.Header(filter); header != "" {
		r.Add("Deprecation", header)
	}
}

// Choice returns the fields that the request asks for, nil for all.
func (r *Request) Choice() *Choice { return r.choice }

// choose returns the choice among the fields of an entity that a user sees; nil where none
// of the names is known.
func (e *entry) choose(names []string, user *User) *Choice {
	if len(names) == 0 {
		return nil
	}
	known, fixed := e.fields()
	custom := CustomFieldsFor(user, e.Custom)
	if fixed {
		names = slices.DeleteFunc(names, func(name string) bool {
			return !known[name] && !slices.ContainsFunc(custom, func(f CustomField) bool { return f.Name == name })
		})
	}
	if len(names) == 0 {
		return nil
	}
	return field.NewChoice(e.ObjectIDField(), names, fixed)
}

// fields returns the names of the fields of objects and of items of lists. ok is false
// where they are not known before an object is read.
func (e *entry) fields() (known map[string]bool, ok bool) {
	e.once.Do(func() {
		var more []string
		if e.MoreFields != nil {
			more = e.MoreFields()
		}
		e.known, e.fixed = jsonenc.Known(e.Object, e.Item, more)
	})
	return e.known, e.fixed
}
