package shopapi

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/structfields"
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
		s := last(r.Filter[name])
		if s == "" {
			return
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 1 || s[0] == '+' {
			problems.Add(name, "must be a whole number from 1, not %s", quoted(s))
			return
		}
		*into = n
	}
	positive("page", &p.Number)
	positive("items_per_page", &p.Size)
	p.Size = min(p.Size, int64(limits.MaxItemsPerPage))
	if s := last(r.Filter["sort_by"]); s != "" {
		if p.SortBy = r.sortKey(s, sorts); p.SortBy == "" {
			problems.Add("sort_by", "must be one of %s, not %s", strings.Join(sorts, ", "), quoted(s))
		}
	}
	switch s := last(r.Filter["sort_order"]); s {
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

// maxLinkQuery is how long a query in Link may be, in bytes. Servers and proxies refuse
// long headers.
const maxLinkQuery = 2 << 10

// addHeaders adds the headers of a page whose body is a bare array (§7, RFC 8288).
func (p *Params) addHeaders(a *response, u *url.URL) {
	a.add("X-Total-Count", strconv.FormatInt(p.TotalItems, 10))
	if len(u.RawQuery) > maxLinkQuery {
		return
	}
	size := max(1, p.ItemsPerPage)
	pages := max(1, (p.TotalItems+size-1)/size)
	query := u.Query()
	if names := fieldNames(query["fields"]); len(names) > 0 {
		query.Set("fields", strings.Join(names, ",")) // equal choices share a cached response
	}
	query.Set("items_per_page", strconv.FormatInt(p.ItemsPerPage, 10))
	if len(query.Encode()) > maxLinkQuery { // quotes take three times the bytes
		return
	}
	var links []string
	link := func(page int64, rel string) {
		query.Set("page", strconv.FormatInt(page, 10))
		to := url.URL{RawQuery: query.Encode()}
		links = append(links, fmt.Sprintf(`<%s>; rel="%s"`, to.String(), rel))
	}
	link(1, "first")
	if p.Page > 1 {
		link(min(p.Page-1, pages), "prev")
	}
	if p.Page < pages {
		link(p.Page+1, "next")
	}
	link(pages, "last")
	a.add("Link", strings.Join(links, ", "))
}

// encodable is what the list looks like in the body.
func (l List) encodable() any {
	if l.Bare {
		return l.Items
	}
	m := Map{{l.Name, l.Items}}
	switch {
	case l.ParamsBody != nil:
		m = append(m, Member{"params", l.ParamsBody})
	case l.Params != nil:
		m = append(m, Member{"params", l.Params})
	}
	return m
}

// deprecations returns when the parameters of a filter were deprecated, by name: the date
// in the tag deprecated of their fields.
func deprecations(filter reflect.Type) (map[string]time.Time, error) {
	if filter == nil {
		return nil, nil
	}
	var list map[string]time.Time
	for _, f := range structfields.Of(filter) {
		tag := f.Tag.Get("deprecated")
		if tag == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, tag)
		if err != nil {
			return nil, fmt.Errorf("shopapi: the tag deprecated of %s is not a date: %w", f.Name, err)
		}
		if list == nil {
			list = map[string]time.Time{}
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		list[name] = at
	}
	return list, nil
}

// addDeprecation adds the header Deprecation (RFC 9745) to the response to a list that was
// asked for by a deprecated parameter.
func (e *entry) addDeprecation(resp *response, filter url.Values) {
	var first time.Time
	for name, at := range e.deprecated {
		if filter.Has(name) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if !first.IsZero() {
		resp.add("Deprecation", fmt.Sprintf("@%d", first.Unix()))
	}
}
