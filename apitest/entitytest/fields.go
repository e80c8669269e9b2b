package entitytest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/structfields"
)

var fieldChecks = []check{
	{"Declared", reads, declaredFields, opened},
	{"Covered", writes, coveredFields, opened},
	{"RoundTrip", writes, roundTrip, opened},
	{"Partial", updates, partialUpdate, opened},
	{"Unchanged", updates, unchangedUpdate, opened},
	{"Amounts", updates, amounts, opened},
}

// writableFields returns the fields of a Go type that payloads set. known is false
// without a struct.
func writableFields(t reflect.Type) (names []string, known bool) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, false
	}
	for _, f := range structfields.Of(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "" && name != "-" && f.Tag.Get("bind") != "-" {
			names = append(names, name)
		}
	}
	return names, true
}

// declaredFields: responses contain every field of the types in the description, except
// omitempty ones.
func declaredFields(w *world) {
	ids := w.stocked(1)
	object := w.object(ids[0])
	for _, name := range shownFields(w.description.Object) {
		if _, shown := object[name]; !shown && w.config.Except["Fields/Declared/"+name] == "" {
			w.t.Errorf("GET of an object lacks %s, which %v has", name, w.description.Object)
		}
	}
	for _, item := range w.itemsIn(w.Get(w.list()).Body) {
		for _, name := range shownFields(w.description.Item) {
			if _, shown := item[name]; !shown {
				w.t.Errorf("an item of the list lacks %s, which %v has", name, w.description.Item)
			}
		}
	}
}

// shownFields returns the fields that the JSON of a Go type always contains.
func shownFields(t reflect.Type) (names []string) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range structfields.Of(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "" && name != "-" && !strings.Contains(options, "omit") {
			names = append(names, name)
		}
	}
	return names
}

// coveredFields: the sample sets every writable field to a value other than its default.
// Otherwise the other checks prove little.
func coveredFields(w *world) {
	if w.description.Object == nil {
		w.t.Skipf("the description of %s does not tell the type of its objects", w.config.Entity)
	}
	full := w.stocked(1)[0]
	payload := members(w.t, w.sample.Payload(2))
	least := map[string]any{}
	for _, entry := range w.config.Required {
		for name := range strings.FieldsSeq(entry) {
			least[name] = payload[name]
		}
	}
	plain := w.object(w.create(w.Client, w.base, encode(w.t, least)))
	before := w.object(full)
	w.want(w.Put(w.at(full), w.change()), 200, "PUT of Change")
	after := w.object(full)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		_, excepted := w.config.Except["Fields/Covered/"+name]
		_, required := least[name]
		if w.isReadOnly(name) || w.namesLanguage(name) || excepted || required {
			continue
		}
		if value, shown := plain[name]; shown && alike(value, before[name]) && alike(value, after[name]) {
			w.t.Errorf("neither Payload nor Change gives %s a value other than %#v, which a new object has by itself; or name it in Except as Fields/Covered/%s", name, value, name)
		}
	}
}

// roundTrip: POST of a GET response creates an object with the same GET response.
func roundTrip(w *world) {
	ids := w.stocked(1)
	w.want(w.Put(w.at(ids[0]), w.change()), 200, "PUT of Change")
	want := w.object(ids[0])
	payload, second := maps.Clone(want), members(w.t, w.sample.Payload(2))
	for _, name := range w.config.Unique {
		payload[name] = second[name]
	}
	got := w.object(w.create(w.Client, w.base, encode(w.t, payload)))
	for _, name := range slices.Sorted(maps.Keys(want)) {
		_, excepted := w.config.Except["Fields/RoundTrip/"+name]
		if excepted || w.isReadOnly(name) || slices.Contains(w.config.Unique, name) {
			continue
		}
		if diff := cmp.Diff(want[name], got[name]); diff != "" {
			w.t.Errorf("%s is lost when what GET shows is sent as a POST (-shown +shown of the new one):\n%s", name, diff)
		}
	}
}

// partialUpdate: PUT does not change the fields that it lacks (§4).
func partialUpdate(w *world) {
	ids := w.stocked(1)
	change := members(w.t, w.change())
	w.changes(ids[0], change)
	for _, name := range slices.Sorted(maps.Keys(change)) {
		if _, excepted := w.config.Except["Fields/Partial/"+name]; !excepted {
			w.changes(w.add(), map[string]any{name: members(w.t, w.change())[name]})
		}
	}
}

// changes checks that PUT of some fields changes only these.
func (w *world) changes(id string, change map[string]any) {
	w.t.Helper()
	before := w.object(id)
	w.want(w.Put(w.at(id), encode(w.t, change)), 200, "PUT of some fields")
	after := w.object(id)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		value, sent := change[name]
		switch {
		case sent && !alike(value, after[name]):
			w.t.Errorf("PUT %v: %s is now %v", change, name, after[name])
		case sent && alike(before[name], after[name]):
			w.t.Errorf("PUT %v: %s had this value before, so that nothing is shown by it: Change is to give it another", change, name)
		case !sent && !slices.Contains(w.config.Follows, name) && !cmp.Equal(before[name], after[name]):
			w.t.Errorf("PUT %v: %s, which was not sent, was %v and is %v; or name it in Follows", change, name, before[name], after[name])
		}
	}
}

// unchangedUpdate: PUT of a GET response is 200, changes nothing and causes no event
// (§5), in each format.
func unchangedUpdate(w *world) {
	ids := w.stocked(2)
	w.want(w.Put(w.at(ids[1]), w.change()), 200, "PUT of Change")
	w.Clock.Advance(time.Hour)
	for _, id := range ids {
		body := w.Get(w.at(id)).Body
		w.unchanged(ids, "PUT of what GET answered (§5)", func() {
			w.want(w.Put(w.at(id), body), 200, "PUT of what GET answered")
		})
		asForm := form(w.t, body)
		w.unchanged(ids, "PUT of what GET answered, as a form (§5)", func() {
			w.want(w.PutForm(w.at(id), asForm), 200, "PUT of what GET answered, as a form")
		})
		for name, value := range rawMembers(w.t, body) {
			if w.config.Except["Fields/Unchanged/"+name] != "" {
				continue
			}
			one := encode(w.t, map[string]any{name: value})
			w.unchanged(ids, "PUT of one field as it is, "+one, func() {
				w.want(w.Put(w.at(id), one), 200, "PUT of one field as it is, "+one+" (§5)")
			})
		}
	}
	w.want(w.Put(w.at(ids[0]), w.change()), 200, "PUT of Change")
	if events := w.Events(); len(events) == 0 {
		w.t.Errorf("PUT of Change changes something, but the observer is told of nothing")
	}
}
