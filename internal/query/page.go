package query

import (
	"net/url"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/plain"
)

// A Page is the part of a list that its parameters ask for, and its order (§6).
type Page struct {
	Number, Size int64
	SortBy       string
	Descending   bool
}

// A PageReader reads the parameters of pages.
type PageReader struct {
	Sorts  []string                   // the values of sort_by
	Live   bool                       // read sort_by as in the live dialect (§27)
	Refuse func(name, problem string) // is called for each invalid parameter
}

// Read sets what page, items_per_page, sort_by and sort_order ask for.
func (r *PageReader) Read(filter url.Values, p *Page) {
	r.positive("page", filter, &p.Number)
	r.positive("items_per_page", filter, &p.Size)
	if s := Last(filter["sort_by"]); s != "" {
		if p.SortBy = r.sortKey(s); p.SortBy == "" {
			r.Refuse("sort_by", "must be one of "+strings.Join(r.Sorts, ", ")+", not "+plain.Quoted(s))
		}
	}
	switch s := Last(filter["sort_order"]); s {
	case "":
	case "asc", "desc":
		p.Descending = s == "desc"
	default:
		r.Refuse("sort_order", "must be asc or desc, not "+plain.Quoted(s))
	}
}

func (r *PageReader) positive(name string, filter url.Values, into *int64) {
	s := Last(filter[name])
	if s == "" {
		return
	}
	n, problem := Positive(s)
	if problem != "" {
		r.Refuse(name, problem)
		return
	}
	*into = n
}

// sortKey is the one of the sort keys that sort_by asks for, "" for none. In the live dialect
// timestamp is date, updated_timestamp is updated, and an unknown key is the default.
func (r *PageReader) sortKey(asked string) string {
	switch {
	case slices.Contains(r.Sorts, asked):
		return asked
	case !r.Live:
		return ""
	case asked == "timestamp" && slices.Contains(r.Sorts, "date"):
		return "date"
	case asked == "updated_timestamp" && slices.Contains(r.Sorts, "updated"):
		return "updated"
	}
	return r.Sorts[0]
}
