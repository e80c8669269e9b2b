package entitytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

var listChecks = []check{
	{"Items", reads, listItems, opened},
	{"Sorts", reads, sortKeys, opened},
	{"Parameters", reads, listParameters, opened},
	{"Filters", reads, listFilters, opened},
	{"MaximumPage", reads, maximumPage, opens},
	{"PastTheEnd", reads, pastTheEnd, opened},
}

// listedObjects is the number of objects for the checks of lists.
const listedObjects = 8

// itemsIn returns the objects of a list of any shape, in order (§4, §6).
func (w *world) itemsIn(body string) (items []map[string]any) {
	w.t.Helper()
	add := func(v any) {
		item, ok := v.(map[string]any)
		if !ok {
			w.t.Fatalf("the list %.500s holds %v, which is no object", body, v)
		}
		items = append(items, item)
	}
	switch list := decode(w.t, body).(type) {
	case []any:
		for _, v := range list {
			add(v)
		}
	case map[string]any:
		key := cmp.Or(w.description.ListKey, w.config.Entity)
		switch enveloped := list[key].(type) {
		case []any:
			for _, v := range enveloped {
				add(v)
			}
			return items
		case map[string]any:
			list, body = enveloped, rawMember(w, body, key)
		}
		for _, id := range orderedNames(w, body) {
			add(list[id])
		}
	}
	return items
}

// rawMember returns a member of an object as sent.
func rawMember(w *world, body, name string) string {
	w.t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		w.t.Fatal(err)
	}
	return string(members[name])
}

// orderedNames returns the names of an object's members in their order.
func orderedNames(w *world, body string) (names []string) {
	w.t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	next(w.t, d)
	for d.More() {
		names = append(names, fmt.Sprint(next(w.t, d)))
		var member json.RawMessage
		if err := d.Decode(&member); err != nil {
			w.t.Fatal(err)
		}
	}
	return names
}

func (w *world) idsIn(body string) (ids []string) {
	w.t.Helper()
	for _, item := range w.itemsIn(body) {
		ids = append(ids, fmt.Sprint(item[w.itemID()]))
	}
	return ids
}

// listItems: a list shows each object once, with the same fields as GET.
func listItems(w *world) {
	ids := w.stocked(listedObjects)
	items := w.itemsIn(w.want(w.Get(w.all()), 200, "GET of the list").Body)
	found := map[string]int{}
	for _, item := range items {
		id := fmt.Sprint(item[w.itemID()])
		found[id]++
		if !slices.Contains(ids, id) {
			continue
		}
		object := w.object(id)
		for name, value := range item {
			_, excepted := w.config.Except["Lists/Items/"+name]
			if shown, both := object[name]; both && !excepted && !gocmp.Equal(shown, value) {
				w.t.Errorf("the list shows %s of object %s as %v, GET of the object as %v", name, id, value, shown)
			}
		}
	}
	for _, id := range ids {
		if found[id] != 1 {
			w.t.Errorf("the list shows object %s %d times, want once", id, found[id])
		}
	}
}

// sortKeys: each key sorts all objects, ties are broken by id, and pages neither repeat
// nor skip (§6).
func sortKeys(w *world) {
	w.stocked(listedObjects)
	want := slices.Sorted(slices.Values(w.idsIn(w.Get(w.all()).Body)))
	for _, key := range w.description.Sorts {
		w.t.Run(key, func(t *testing.T) {
			w.config.skipExcepted(t, "Lists/Sorts/"+key)
			ascending, descending := w.in(t).sorted(key, "asc", want), w.in(t).sorted(key, "desc", want)
			slices.Reverse(descending)
			if diff := gocmp.Diff(ascending, descending); diff != "" {
				t.Errorf("sort_by=%s: one direction is not the other reversed, ties by id included (§6) (-asc +desc reversed):\n%s", key, diff)
			}
		})
	}
}

// sorted checks one sort order and returns the ids.
func (w *world) sorted(key, order string, want []string) []string {
	w.t.Helper()
	parameters := []string{"sort_by=" + key, "sort_order=" + order}
	rule := "GET of the list with " + strings.Join(parameters, " and ")
	body := w.want(w.Get(w.all(parameters...)), 200, rule).Body
	ids := w.idsIn(body)
	if diff := gocmp.Diff(want, slices.Sorted(slices.Values(ids))); diff != "" {
		w.t.Errorf("%s shows other objects than the list without (§6) (-without +with):\n%s", rule, diff)
	}
	if order == "asc" {
		w.inOrder(key, w.itemsIn(body))
	}
	const size = 3
	var paged []string
	for page := 1; page <= len(ids)/size+1; page++ {
		part := w.idsIn(w.Get(w.list(append(parameters, fmt.Sprintf("items_per_page=%d", size), fmt.Sprintf("page=%d", page))...)).Body)
		if len(part) > size {
			w.t.Errorf("%s: page %d has %d objects, want %d at most", rule, page, len(part), size)
		}
		paged = append(paged, part...)
	}
	if diff := gocmp.Diff(ids, paged); diff != "" {
		w.t.Errorf("%s: its pages repeat or skip objects (§6) (-whole +pages):\n%s", rule, diff)
	}
	return ids
}

// inOrder checks that items ascend by the field of a sort key, and then by id.
func (w *world) inOrder(key string, items []map[string]any) {
	w.t.Helper()
	field, told := w.config.SortFields[key]
	if !told {
		field = key
	}
	if field == "" || len(items) == 0 {
		return
	}
	if _, shown := items[0][field]; !shown {
		w.t.Errorf("the items of the list have no field %s: SortFields is to tell which one sort_by=%s orders by", field, key)
		return
	}
	id := w.itemID()
	for i := 1; i < len(items); i++ {
		a, b := items[i-1], items[i]
		if order := compare(a[field], b[field]); order > 0 || order == 0 && compare(a[id], b[id]) >= 0 {
			w.t.Errorf("sort_by=%s shows object %v with %s %v before object %v with %v (§6)", key, a[id], field, a[field], b[id], b[field])
		}
	}
}

// compare orders values of responses: null first, numbers by size, texts without regard
// to case.
func compare(a, b any) int {
	if a == nil || b == nil {
		return strings.Compare(fmt.Sprint(a != nil), fmt.Sprint(b != nil))
	}
	x, y := fmt.Sprint(a), fmt.Sprint(b)
	m, isNumber := new(big.Rat).SetString(x)
	n, both := new(big.Rat).SetString(y)
	if isNumber && both {
		return m.Cmp(n)
	}
	return strings.Compare(store.Fold(x), store.Fold(y))
}

// listParameters: an invalid one is a 400 that names it (§5, §6).
func listParameters(w *world) {
	w.stocked(1)
	for field, values := range map[string][]string{
		"sort_by":        {"no_such_key", "%00", "1"},
		"sort_order":     {"up", "ASC", "1"},
		"page":           {"0", "-1", "x", "1.5", "+1", "99999999999999999999"},
		"items_per_page": {"0", "-1", "x", "1.5", "+1", "99999999999999999999"},
	} {
		for _, value := range values {
			w.refused(w.Get(w.list(field+"="+value)), "GET of the list with "+field+"="+value, field)
		}
		w.want(w.Get(w.list(field+"=")), 200, "GET of the list with an empty "+field+", which counts as not sent (§4)")
	}
	w.want(w.Get(w.list("no_such_parameter=1", "ajax_custom=1")), 200, "GET of the list with unknown parameters, which are ignored (§1)")
}

// maximumPage: a page size above the maximum becomes the maximum, which the response
// shows (§6).
func maximumPage(w *world) {
	w.start(shopapi.Options{Limits: shopapi.Limits{MaxItemsPerPage: 2}}).stocked(3)
	answer := w.want(w.Get(w.list("items_per_page=1000", "page=1")), 200, "GET of a page larger than the maximum (§6)")
	if n := len(w.itemsIn(answer.Body)); n != 2 {
		w.t.Errorf("a page larger than the maximum of 2 has %d objects (§6)", n)
	}
	told := answer.Header.Get("Link")
	if params := w.params(answer.Body); params != nil {
		told = fmt.Sprintf("items_per_page=%v", params["items_per_page"])
	}
	if !strings.Contains(told, "items_per_page=2") {
		w.t.Errorf("a page larger than the maximum of 2 tells its size as %q (§6)", told)
	}
}

// params returns the parameters in an envelope, nil if the list has none.
func (w *world) params(body string) map[string]any {
	w.t.Helper()
	envelope, _ := decode(w.t, body).(map[string]any)
	params, _ := envelope["params"].(map[string]any)
	return params
}

// pastTheEnd: such a page is empty and has the true total (§6).
func pastTheEnd(w *world) {
	w.stocked(3)
	total := fmt.Sprint(len(w.idsIn(w.Get(w.all()).Body)))
	for _, page := range []string{"page=1000", "page=9223372036854775807"} {
		answer := w.want(w.Get(w.list(page, "items_per_page=2")), 200, "GET of a page past the end (§6)")
		if ids := w.idsIn(answer.Body); len(ids) > 0 {
			w.t.Errorf("a page past the end shows %v (§6)", ids)
		}
		told := answer.Header.Get("X-Total-Count")
		if params := w.params(answer.Body); params != nil {
			told = fmt.Sprint(params["total_items"])
			want := []string{"items_per_page", "page", "sort_by", "sort_order", "sort_order_rev", "total_items"}
			if w.description.Params != nil { // more follow
				maps.DeleteFunc(params, func(name string, _ any) bool { return !slices.Contains(want, name) })
			}
			if diff := gocmp.Diff(want, slices.Sorted(maps.Keys(params))); diff != "" {
				w.t.Errorf("the params of a list (§6) (-want +got):\n%s", diff)
			}
		}
		if told != total {
			w.t.Errorf("a page past the end tells %q objects, want %s (§6)", told, total)
		}
	}
}
