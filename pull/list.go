package pull

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/wire"
)

// An item is an object as a list shows it. Runs hold one for each object of an entity, so it
// is small.
type item struct {
	id      string
	list    string                     // its path, such as products
	members map[string]json.RawMessage // nil where the listing is brief
	brief   []briefMember
	digest  digest // of what lists show of the object, where it is known
}

// A briefMember is a member of an item of a brief listing.
type briefMember struct {
	name  string
	value json.RawMessage
}

// path is the path of the object, such as products/41.
func (it *item) path() string { return it.list + "/" + url.PathEscape(it.id) }

// member is a member that is known, nil for another one.
func (it *item) member(name string) json.RawMessage {
	for _, m := range it.brief {
		if m.name == name {
			return m.value
		}
	}
	return it.members[name]
}

// all are the members that are known.
func (it *item) all() map[string]json.RawMessage {
	if it.members != nil {
		return it.members
	}
	members := make(map[string]json.RawMessage, len(it.brief))
	for _, m := range it.brief {
		members[m.name] = m.value
	}
	return members
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
	digests  bool       // items have a digest
	tabs     bool       // items may be below the names of tabs
	counted  bool       // its total counts for the progress
}

// maxPasses is how often a list is read that shifts meanwhile.
const maxPasses = 4

// list reads a list to its end: see stream.
func (p *puller) list(ctx context.Context, l listing) (items []item, complete bool, err error) {
	complete, err = p.stream(ctx, l, func(page []item) error {
		items = append(items, page...)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return slices.Clip(items), complete, nil
}

// stream reads a list to its end, and calls each with the items of each page that were not
// seen before. A list that shifts while it is read is read again, until all that it counts
// was seen. complete is false where something stayed missing.
func (p *puller) stream(ctx context.Context, l listing, each func(page []item) error) (complete bool, err error) {
	seen := map[string]bool{}
	for range maxPasses {
		total, shifted, err := p.pass(ctx, l, seen, each)
		if err != nil {
			return false, err
		}
		if !shifted && (total < 0 || int64(len(seen)) >= total) {
			return true, nil
		}
	}
	return false, nil
}

// pass reads the pages of a list once. total is the total in the list, -1 if it has none.
func (p *puller) pass(ctx context.Context, l listing, seen map[string]bool, each func(page []item) error) (total int64, shifted bool, err error) {
	total = -1
	inPass := map[string]bool{}
	for page := 1; ; page++ {
		query := cloneQuery(l.query)
		query.Set("page", strconv.Itoa(page))
		if p.pageSize > 0 {
			query.Set("items_per_page", strconv.Itoa(p.pageSize))
		}
		raw, err := p.old.get(ctx, l.path, query)
		if isStatus(err, http.StatusBadRequest) && p.pageSize > 0 {
			p.pageSize -= p.pageSize % 100 // 250, 200, none
			if p.pageSize -= 100; p.pageSize < 100 {
				p.pageSize = 0
			}
			page--
			continue
		}
		if err != nil {
			return 0, false, err
		}
		found, counted, err := l.parse(raw)
		if err != nil {
			return 0, false, err
		}
		shifted = shifted || total >= 0 && counted != total
		total = counted
		if l.counted {
			p.listed = max(total, 0)
		}
		fresh, different := 0, map[string]bool{} // of this page, which may have an id twice
		var unseen []item
		for _, it := range found {
			different[it.id] = true
			if inPass[it.id] {
				continue
			}
			inPass[it.id] = true
			fresh++
			if !seen[it.id] {
				seen[it.id] = true
				unseen = append(unseen, it)
			}
		}
		if err := each(unseen); err != nil {
			return 0, false, err
		}
		shifted = shifted || fresh > 0 && fresh < len(different)
		// A total below the number of items that were read is wrong: the list ends with its last page.
		if fresh == 0 || int64(len(inPass)) == total {
			return total, shifted, nil
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
		return nil, 0, &refusal{status: http.StatusOK, text: "with no list"}
	}
	if l.tabs {
		list = l.withoutTabs(list)
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
			return nil, 0, &refusal{status: http.StatusOK, text: "with items without " + l.key}
		}
		made := item{id: strings.Clone(id), list: l.path}
		if l.digests {
			made.digest = digestOf(string(e.Value))
		}
		if l.brief == nil {
			made.members = members
		}
		for _, name := range l.brief {
			if value, ok := members[name]; ok {
				made.brief = append(made.brief, briefMember{name, bytes.Clone(value)})
			}
		}
		items = append(items, made)
	}
	return items, total, nil
}

// withoutTabs returns the items of a list of which some are below the names of tabs.
func (l *listing) withoutTabs(list []entries.Entry) (items []entries.Entry) {
	for _, e := range list {
		members, _ := parseObject(e.Value)
		below, err := entries.Parse(e.Value)
		if e.Index || members[l.key] != nil || err != nil {
			items = append(items, e)
			continue
		}
		for _, one := range below {
			if bytes.HasPrefix(bytes.TrimSpace(one.Value), []byte("{")) {
				items = append(items, one)
			}
		}
	}
	return items
}
