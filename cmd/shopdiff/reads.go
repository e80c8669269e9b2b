package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
)

// read returns a request for a random list or object.
func (e *episode) read() request {
	d := e.description()
	r := request{login: e.people[e.random.IntN(len(e.people))], method: "GET", accept: pick(e, "", "application/json", "application/json", "text/plain")}
	if e.random.IntN(15) == 0 {
		r.method = "HEAD"
	}
	path := d.Name
	if len(d.Parents) > 0 && e.random.IntN(4) == 0 {
		parent := d.Parents[e.random.IntN(len(d.Parents))]
		path = parent + "/" + e.ids.of(e, parent) + "/" + path
	}
	query := url.Values{}
	if e.random.IntN(3) == 0 {
		path += "/" + e.ids.of(e, d.Name)
	} else {
		e.addList(d, query)
	}
	if d.Item != nil && e.random.IntN(4) == 0 {
		query.Set("fields", e.someFields(d))
	}
	if len(d.Translated) > 0 && e.random.IntN(4) == 0 {
		query.Set("sl", pick(e, "en", "de", "de", "fr"))
	}
	r.address = "/api/2.0/" + path
	switch {
	case e.random.IntN(20) == 0:
		r.address = "/api/2.0/" + pick(e, "access", "reports/orders", "reports/orders?time_from=2023-12-01")
		return r
	case e.random.IntN(5) == 0:
		query.Set("_d", path)
		r.address = "/api.php"
	case e.random.IntN(4) == 0:
		r.address = "/api/" + path
	}
	if len(query) > 0 {
		r.address += "?" + query.Encode()
	}
	return r
}

// description returns an entity, mostly one of the entities that the episode is about.
func (e *episode) description() shopapi.Description {
	if e.random.IntN(4) > 0 {
		return pick(e, e.about...)
	}
	return pick(e, e.caching.Descriptions()...)
}

func pick[T any](e *episode, list ...T) T { return list[e.random.IntN(len(list))] }

// addList adds page, order and filter of a list.
func (e *episode) addList(d shopapi.Description, query url.Values) {
	if e.random.IntN(3) == 0 {
		query.Set("page", strconv.Itoa(1+e.random.IntN(3)))
		query.Set("items_per_page", strconv.Itoa(1+e.random.IntN(6)))
	}
	if len(d.Sorts) > 0 && e.random.IntN(2) == 0 {
		query.Set("sort_by", pick(e, d.Sorts...))
		query.Set("sort_order", pick(e, "asc", "desc"))
	}
	if d.Filter == nil {
		return
	}
	fields := bind.Fields(d.Filter)
	for range min(e.random.IntN(3), len(fields)) {
		f := fields[e.random.IntN(len(fields))]
		query.Set(f.Name, e.filterValue(d, f))
	}
}

// filterValue is a value of a parameter, most of them such that the request is not refused.
func (e *episode) filterValue(d shopapi.Description, f bind.Field) string {
	for _, rule := range d.FilterRules {
		if rule.Field == f.Name && len(rule.OneOf) > 0 {
			return pick(e, rule.OneOf...)
		}
	}
	switch {
	case strings.HasPrefix(f.Name, "time_") || strings.HasPrefix(f.Name, "updated_"):
		return strconv.FormatInt(start.Unix()+int64(e.random.IntN(5)-2)*40_000, 10)
	case f.Name == "period":
		return pick(e, "A", "D", "W", "M", "HH", "LD")
	case f.Kind == bind.Number || f.Kind == bind.Numbers || f.Kind == bind.Amount:
		return strconv.Itoa(e.random.IntN(8))
	case f.Kind == bind.Flag:
		return pick(e, "Y", "N")
	case f.Name == "status":
		return pick(e, "A", "D", "H", "O", "P")
	case strings.HasSuffix(f.Name, "code"):
		return pick(e, codes...)
	case strings.HasSuffix(f.Name, "_ids") || f.Name == "cid":
		return pick(e, "1", "2", "1,2", "3")
	}
	return pick(e, words...)
}

// words are in texts and in searches.
var (
	words = []string{"mug", "Clay", "blue mug", "straße", "ash", "1", "a", "example"}
	codes = []string{"MUG-1", "MUG-2", "CUP-1", "MUG", ""}
)

// someFields chooses fields of list items.
func (e *episode) someFields(d shopapi.Description) string {
	names := []string{d.IDField}
	fields := bind.Fields(d.Item)
	for range min(1+e.random.IntN(4), len(fields)) {
		names = append(names, fields[e.random.IntN(len(fields))].Name)
	}
	return strings.Join(slices.Compact(names), ",")
}

// ids are ids of objects by entity, some of which may be gone.
type ids map[string][]string

// mostIDs is the number of ids of an entity that an episode remembers.
const mostIDs = 12

func (l ids) add(entity, id string) {
	if id == "" || slices.Contains(l[entity], id) {
		return
	}
	if l[entity] = append(l[entity], id); len(l[entity]) > mostIDs {
		l[entity] = l[entity][1:]
	}
}

// of is an id of an object, or one of none.
func (l ids) of(e *episode, entity string) string {
	if list := l[entity]; len(list) > 0 && e.random.IntN(10) > 0 {
		return list[e.random.IntN(len(list))]
	}
	return strconv.Itoa(1 + e.random.IntN(8))
}

// learn adds the ids in the response to a list.
func (l ids) learn(r request, body string) {
	entity, _, _ := strings.Cut(strings.TrimPrefix(r.address, "/api/2.0/"), "?")
	field := idFields[entity]
	var items []map[string]any
	var envelope map[string]json.RawMessage
	if field == "" || json.Unmarshal([]byte(body), &envelope) != nil || json.Unmarshal(envelope[entity], &items) != nil {
		return
	}
	for _, item := range items {
		if id, ok := item[field]; ok {
			l.add(entity, fmt.Sprint(id))
		}
	}
}

// idFields are the ids of objects that were there before the first request.
var idFields = map[string]string{"settings": "object_id", "statuses": "status_id", "languages": "lang_id"}
