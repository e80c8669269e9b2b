package entitytest

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/store"
)

// listFilters: an empty filter counts as omitted (§4), an invalid one is a 400 that
// names it (§5), and a filter with the name of an item's field lists the matching items
// (§6).
func listFilters(w *world) {
	filter := w.description.Filter
	if filter == nil || filter.Kind() != reflect.Struct {
		w.t.Skipf("the description of %s does not tell the filters of its lists", w.config.Entity)
	}
	w.stocked(listedObjects)
	whole := w.want(w.Get(w.all()), 200, "GET of the list").Body
	for _, f := range structfields.Of(filter) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" || name == "-" || strings.Contains(w.sample.Query, name+"=") {
			continue
		}
		if w.config.Except["Lists/Filters/"+name] != "" {
			continue
		}
		if diff := cmp.Diff(whole, w.Get(w.all(name+"=")).Body); diff != "" {
			w.t.Errorf("GET of the list with an empty %s, which counts as not sent (§4) (-without +with):\n%s", name, diff)
		}
		if !takesAnyText(f.Type) {
			w.refused(w.Get(w.all(name+"=junk")), "GET of the list with "+name+"=junk", name)
		}
		w.matches(name, w.itemsIn(whole))
	}
}

// takesAnyText reports whether every text is valid for a filter of the type.
func takesAnyText(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.String
}

// matches filters by a value of the last item, and expects it among items that all have
// the value, or a text that contains it.
func (w *world) matches(name string, items []map[string]any) {
	w.t.Helper()
	if len(items) == 0 {
		return
	}
	last := items[len(items)-1]
	value, scalar := last[name].(string)
	if !scalar || value == "" {
		return
	}
	rule := fmt.Sprintf("GET of the list with %s=%s", name, value)
	body := w.want(w.Get(w.all(name+"="+url.QueryEscape(value))), 200, rule).Body
	for _, item := range w.itemsIn(body) {
		if has := fmt.Sprint(item[name]); !strings.Contains(store.Fold(has), store.Fold(value)) {
			w.t.Errorf("%s shows object %v, which has %s (§6)", rule, item[w.itemID()], has)
		}
	}
	if id := fmt.Sprint(last[w.itemID()]); !slices.Contains(w.idsIn(body), id) {
		w.t.Errorf("%s lacks object %s, which has it (§6)", rule, id)
	}
}
