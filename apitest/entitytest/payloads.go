package entitytest

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

var payloadChecks = []check{
	{"Empty", updates, emptyPayloads, opened},
	{"UnknownFields", updates, unknownFields, opened},
	{"ReadOnlyFields", updates, readOnlyFields, opened},
	{"RequiredFields", creates, requiredFields, opened},
	{"Form", creates, formPayload, opened},
	{"IdempotencyKey", creates, idempotencyKey, opened},
}

// emptyPayloads: POST and PUT without fields are 405 (specification, generic
// rules).
func emptyPayloads(w *world) {
	ids := w.stocked(1)
	w.unchanged(ids, "empty payloads", func() {
		for _, contentType := range []string{"application/json", "application/x-www-form-urlencoded", ""} {
			for _, body := range []string{"", "{}", "[]", "null", " \t\r\n", "  {} "} {
				post, put := w.Do("POST", w.base, contentType, body), w.Do("PUT", w.at(ids[0]), contentType, body)
				for method, answer := range map[string]struct {
					status int
					allow  string
				}{"POST": {post.Status, post.Header.Get("Allow")}, "PUT": {put.Status, put.Header.Get("Allow")}} {
					if method == "POST" && !w.offers(shopapi.OpCreate) {
						continue
					}
					if answer.status != 405 || !slices.Contains(strings.Split(answer.allow, ", "), method) {
						w.t.Errorf("%s of the empty payload %q as %q: %d with Allow %q, want 405 with %s in Allow (§4)", method, body, contentType, answer.status, answer.allow, method)
					}
				}
			}
		}
	})
}

// addWith creates an object from a payload with further members, if the entity has POST.
func (w *world) addWith(more map[string]any) (id string) {
	w.t.Helper()
	if !w.offers(shopapi.OpCreate) {
		return w.add()
	}
	w.made++
	return w.create(w.Client, w.base, with(w.t, w.sample.Payload(w.made), more))
}

// unknownFields are ignored (§4).
func unknownFields(w *world) {
	ids := w.stocked(1)
	unknown := map[string]any{"no_such_field": "x", "no_such_list": []any{"1"}, "no_such_object": map[string]any{"a": nil}}
	id := w.addWith(unknown)
	for name := range unknown {
		if _, shown := w.object(id)[name]; shown {
			w.t.Errorf("GET shows %s, which the entity does not know", name)
		}
	}
	w.Events()
	w.unchanged(append(ids, id), "PUT of unknown fields alone", func() {
		w.want(w.Put(w.at(ids[0]), encode(w.t, unknown)), 200, "PUT of unknown fields alone (§4)")
		w.want(w.PutForm(w.at(ids[0]), "no_such_field=x"), 200, "PUT of an unknown field alone as a form (§4)")
	})
}

// readOnlyFields are ignored like unknown ones (§4).
func readOnlyFields(w *world) {
	ids := w.stocked(1)
	junk := map[string]any{}
	for name := range w.object(ids[0]) {
		if w.isReadOnly(name) {
			junk[name] = "987654"
		}
	}
	id := w.addWith(junk)
	for name, value := range w.object(id) {
		if w.isReadOnly(name) && alike(value, junk[name]) {
			w.t.Errorf("POST wrote %s, which is read-only (§4)", name)
		}
	}
	w.Events()
	w.unchanged(append(ids, id), "PUT of read-only fields alone", func() {
		w.want(w.Put(w.at(ids[0]), encode(w.t, junk)), 200, "PUT of read-only fields alone (§4)")
	})
}

// isReadOnly reports whether no payload sets a field of responses.
func (w *world) isReadOnly(name string) bool {
	if name == w.itemID() || slices.Contains(w.config.ReadOnly, name) {
		return true
	}
	for _, entry := range w.config.Required {
		if slices.Contains(strings.Fields(entry), name) {
			return false
		}
	}
	bound := w.description.Payload
	if bound == nil {
		bound = w.description.Object
	}
	writable, known := writableFields(bound)
	return known && !slices.Contains(writable, name)
}

// requiredFields: POST without one is a 400 that names it (§5).
func requiredFields(w *world) {
	ids := w.stocked(1)
	payload := w.sample.Payload(2)
	w.unchanged(ids, "POST without a required field", func() {
		for _, entry := range w.config.Required {
			fields := strings.Fields(entry)
			w.refused(w.Post(w.base, without(w.t, payload, fields...)), "POST without "+entry, fields...)
		}
	})
}

// formPayload: a form has the same effect as JSON of the same tree (§4).
func formPayload(w *world) {
	w.stocked(0)
	payload := w.sample.Payload(1)
	byJSON := w.Get(w.at(w.create(w.Client, w.base, payload))).Body
	other := *w
	other.start(shopapi.Options{}).stocked(0)
	created := w.want(other.PostForm(other.base, form(w.t, payload)), 201, "POST of a form (§4)")
	if diff := cmp.Diff(byJSON, other.Get(other.at(created.Field(w.description.IDField))).Body); diff != "" {
		w.t.Errorf("a form makes another object than the same fields in JSON (-JSON +form):\n%s", diff)
	}
}

// idempotencyKey: a repeated POST creates once (§25).
func idempotencyKey(w *world) {
	ids := w.stocked(1)
	payload := w.sample.Payload(2)
	post := func(key, payload string) *apitest.Answer {
		return w.sendWith("POST", w.base, payload, "Idempotency-Key", key)
	}
	first := w.want(post("a", payload), 201, "POST with an Idempotency-Key (§25)")
	ids = append(ids, first.Field(w.description.IDField))
	w.Events()
	w.unchanged(ids, "a POST that is sent again with its Idempotency-Key", func() {
		if again := post("a", payload); again.Status != 201 || again.Body != first.Body {
			w.t.Errorf("POST sent again with its Idempotency-Key is answered %d %s, want the first answer, %s (§25)", again.Status, again.Body, first.Body)
		}
		w.want(post("a", w.sample.Payload(3)), 422, "POST of another body with the same Idempotency-Key (§25)")
	})
	other := w.want(post("b", w.sample.Payload(3)), 201, "POST with another Idempotency-Key (§25)")
	if other.Body == first.Body {
		w.t.Errorf("POST with another Idempotency-Key is answered %s as the first (§25)", other.Body)
	}
}
