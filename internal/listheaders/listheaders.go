// Package listheaders computes headers of the responses to lists: the Link of a page (RFC
// 8288) and the Deprecation of parameters (RFC 9745).
package listheaders

import (
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/structfields"
)

// maxQuery is how long a query in Link may be, in bytes. Servers and proxies refuse long
// headers.
const maxQuery = 2 << 10

// A Page is a page of a list.
type Page struct {
	Number, Size, Total int64  // Total is the number of items of the whole list
	Fields              string // the chosen fields in their one form, "" for none
}

// Link returns the header Link of a page, which repeats the query for each of its pages.
// It is "" where the query is too long.
func (p Page) Link(u *url.URL) string {
	if len(u.RawQuery) > maxQuery {
		return ""
	}
	size := max(1, p.Size)
	pages := max(1, (p.Total+size-1)/size)
	query := u.Query()
	if p.Fields != "" {
		query.Set("fields", p.Fields)
	}
	for name := range query { // page[]=2 is page=2
		if strings.HasPrefix(name, "page[") || strings.HasPrefix(name, "items_per_page[") {
			query.Del(name)
		}
	}
	query.Set("items_per_page", strconv.FormatInt(p.Size, 10))
	if len(query.Encode()) > maxQuery { // quotes take three times the bytes
		return ""
	}
	var links []string
	link := func(page int64, rel string) {
		query.Set("page", strconv.FormatInt(page, 10))
		to := url.URL{RawQuery: query.Encode()}
		links = append(links, fmt.Sprintf(`<%s>; rel="%s"`, to.String(), rel))
	}
	link(1, "first")
	if p.Number > 1 {
		link(min(p.Number-1, pages), "prev")
	}
	if p.Number < pages {
		link(p.Number+1, "next")
	}
	link(pages, "last")
	return strings.Join(links, ", ")
}

// Deprecations are the times at which parameters of a list were deprecated, by name.
type Deprecations map[string]time.Time

// DeprecationsOf returns the deprecated parameters of a filter, which may be nil: the date
// is in the tag deprecated of their fields.
func DeprecationsOf(filter reflect.Type) (Deprecations, error) {
	if filter == nil {
		return nil, nil
	}
	var list Deprecations
	for _, f := range structfields.Of(filter) {
		tag := f.Tag.Get("deprecated")
		if tag == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, tag)
		if err != nil {
			return nil, fmt.Errorf("the tag deprecated of %s is not a date: %w", f.Name, err)
		}
		if list == nil {
			list = Deprecations{}
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		list[name] = at
	}
	return list, nil
}

// Header returns the header Deprecation of a response to a query: the first time at which
// one of its parameters was deprecated, "" for none.
func (d Deprecations) Header(query url.Values) string {
	var first time.Time
	for name, at := range d {
		if query.Has(name) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if first.IsZero() {
		return ""
	}
	return fmt.Sprintf("@%d", first.Unix())
}
