package pull

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/wire"
)

// An item is an object as a list shows it.
type item struct {
	id      string
	path    string // of the object, such as products/41
	members map[string]json.RawMessage
}

func isRefusal(err error) bool {
	var r *refusal
	return errors.As(err, &r)
}

// A listing is a list that is read to its end.
type listing struct {
	path     string     // such as products
	query    url.Values // what chooses the items
	key      string     // the field that is the id
	envelope string     // the key of the items, if it differs from the path
	brief    []string   // the members that are needed of an item; nil are all
}

// maxPasses is how often a list is read that shifts meanwhile.
const maxPasses = 4

// list reads a list to its end. A list that shifts while it is read is read again, until
// all that it counts was seen. complete is false where something stayed missing.
func (p *puller) list(ctx context.Context, l listing) (items []item, complete bool, err error) {
	seen := map[string]bool{}
	for range maxPasses {
		var total int64
		var shifted bool
		items, total, shifted, err = p.pass(ctx, l, items, seen)
		if err != nil {
			return nil, false, err
		}
		if !shifted && (total < 0 || int64(len(items)) >= total) {
			return items, true, nil
		}
	}
	return items, false, nil
}

// pass reads the pages of a list once. total is the total in the list, -1 if it has none.
func (p *puller) pass(ctx context.Context, l listing, items []item, seen map[string]bool) (_ []item, total int64, shifted bool, err error) {
	total = -1
	inPass := map[string]bool{}
	for page := 1; ; page++ {
		query := cloneQuery(l.query)
		query.Set("page", strconv.Itoa(page))
		if p.pageSize > 0 {
			query.Set("items_per_page", strconv.Itoa(p.pageSize))
		}
		raw, err := p.client.get(ctx, l.path, query)
		if isStatus(err, http.StatusBadRequest) && p.pageSize > 0 {
			p.pageSize -= p.pageSize % 100 // 250, 200, none
			if p.pageSize -= 100; p.pageSize < 100 {
				p.pageSize = 0
			}
			page--
			continue
		}
		if err != nil {
			return nil, 0, false, err
		}
		found, counted, err := l.parse(raw)
		if err != nil {
			return nil, 0, false, err
		}
		shifted = shifted || total >= 0 && counted != total
		total = counted
		fresh := 0
		for _, it := range found {
			if inPass[it.id] {
				continue
			}
			inPass[it.id] = true
			fresh++
			if !seen[it.id] {
				seen[it.id] = true
				items = append(items, it)
			}
		}
		shifted = shifted || fresh > 0 && fresh < len(found)
		if fresh == 0 || total >= 0 && int64(len(inPass)) >= total {
			return items, total, shifted, nil
		}
	}
}

// parse reads a page: an array, an object of objects by their ids, or either below a name
// beside params.
func (l *listing) parse(raw json.RawMessage) (items []item, total int64, err error) {
	total = -1
	if members, ok := parseObject(raw); ok {
		for _, name := range []string{"params", "search"} {
			if params, ok := parseObject(members[name]); ok && params["total_items"] != nil {
				if n, ok := wholeNumber(params["total_items"]); ok {
					total = n
				}
			}
		}
		name := l.envelope
		if name == "" {
			name = l.path
		}
		if inner, ok := members[name]; ok {
			raw = inner
		}
	}
	list, err := entries.Parse(raw)
	if err != nil {
		return nil, 0, &refusal{http.StatusOK, "with no list"}
	}
	for _, e := range list {
		members, ok := parseObject(e.Value)
		if !ok || len(members) == 0 {
			continue // such as params beside items by their ids
		}
		id, _ := wire.Text(members[l.key])
		if id == "" && !e.Index {
			id = e.Key
		}
		if id == "" {
			return nil, 0, &refusal{http.StatusOK, "with items without " + l.key}
		}
		if l.brief != nil {
			brief := map[string]json.RawMessage{}
			for _, name := range l.brief {
				if value, ok := members[name]; ok {
					brief[name] = append(json.RawMessage(nil), value...)
				}
			}
			members = brief
		}
		items = append(items, item{id: id, path: l.path + "/" + url.PathEscape(id), members: members})
	}
	return items, total, nil
}
