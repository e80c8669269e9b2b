package entitytest

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

var addressChecks = []check{
	{"IDs", gets, idSpellings, opened},
	{"Forms", reads, addressForms, opened},
	{"Methods", gets, methods, opened},
}

// badIDs are invalid ids, escaped as in an address: a whole number above 0 has one
// spelling (§5).
var badIDs = []string{
	"0", "-1", "01", "+1", "1.0", "1.", "1e3", "0x1", "1_0", "x", "null",
	"2147483648000000", "9223372036854775808", "99999999999999999999999",
	"%201", "1%20", "1%09", "%2B1", "1%2C2", "1%2F2", "1%3F", "%2531", "1%00", "%FF", "%C2%B2", "%D9%A1",
}

// idSpellings: an invalid id is 404 for every method (§5).
func idSpellings(w *world) {
	ids := w.stocked(1)
	w.unchanged(ids, "requests for ids that are none", func() {
		for _, base := range []string{w.base, "/api.php?_d=" + strings.TrimPrefix(w.base, "/api/2.0/")} {
			for _, bad := range badIDs {
				address := base + "/" + bad
				for _, a := range []attempt{
					{shopapi.OpGet, "GET", address, ""},
					{shopapi.OpUpdate, "PUT", address, w.change()},
					{shopapi.OpDelete, "DELETE", address, ""},
				} {
					if w.offers(a.op) {
						w.want(a.by(w.Client), 404, a.method+" "+address+", which no object has (§5)")
					}
				}
			}
		}
	})
}

// formsOf returns all spellings of an address (§1).
func formsOf(address string) []string {
	path, query, filtered := strings.Cut(strings.TrimPrefix(address, "/api/2.0/"), "?")
	if filtered {
		query = "?" + query
	}
	script := strings.Replace(query, "?", "&", 1)
	return []string{
		"/api/2.0/" + path + query, "/api/" + path + query, "/api/2/" + path + query, "/api/2.0/" + path + "/" + query,
		"/api.php?_d=" + path + script, "/api.php?_d=2.0/" + path + script, "/api.php?_d=" + path + "/" + script,
	}
}

// addressForms: every form of an address is the same resource (§1).
func addressForms(w *world) {
	ids := w.stocked(2)
	escaped := w.base + "/%3" + ids[0][:1] + ids[0][1:] // segments are decoded once
	for address, forms := range map[string][]string{
		w.list():     formsOf(w.list()),
		w.at(ids[0]): append(formsOf(w.at(ids[0])), escaped),
	} {
		want := w.want(w.Get(address), 200, "GET "+address)
		for _, form := range forms {
			got := w.Get(form)
			if diff := cmp.Diff(want.Body, got.Body); diff != "" || got.Status != want.Status || got.Header.Get("Etag") != want.Header.Get("Etag") {
				w.t.Errorf("GET %s and %s answer %d and %d, alike they should be (§1) (-%s +%s):\n%s", address, form, want.Status, got.Status, address, form, diff)
			}
		}
	}
	status := map[shopapi.Operation]int{shopapi.OpCreate: 201, shopapi.OpUpdate: 200, shopapi.OpDelete: 204}
	for i := range formsOf(w.base) {
		id := w.add()
		for _, a := range w.attempts(id) {
			if a.reads() {
				continue
			}
			a.address = formsOf(a.address)[i]
			w.want(a.by(w.Client), status[a.op], a.method+" "+a.address+", a form of "+w.base+" (§1)")
			if a.op == shopapi.OpCreate {
				w.made++
			}
		}
	}
}

// methods: a method that an address lacks is 405, with its methods in Allow (§2).
func methods(w *world) {
	ids := w.stocked(1)
	has := func(op shopapi.Operation, names ...string) []string {
		if !w.offers(op) {
			return nil
		}
		return names
	}
	onList := slices.Concat(has(shopapi.OpList, "GET", "HEAD"), has(shopapi.OpCreate, "POST"))
	onObject := slices.Concat(has(shopapi.OpGet, "GET", "HEAD"), has(shopapi.OpUpdate, "PUT"), has(shopapi.OpDelete, "DELETE"))
	w.unchanged(ids, "requests with methods that there are none", func() {
		for address, allowed := range map[string][]string{w.base: onList, w.at(ids[0]): onObject} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
				if slices.Contains(allowed, method) {
					continue
				}
				answer := w.Do(method, address, "application/json", w.payload(w.made+1))
				w.notAllowed(answer, method+" "+address, allowed)
			}
		}
	})
}

// notAllowed expects a 405 with the methods in Allow.
func (w *world) notAllowed(a *apitest.Answer, rule string, allowed []string) {
	w.t.Helper()
	w.want(a, 405, rule+" (§2)")
	got := strings.Split(a.Header.Get("Allow"), ", ")
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(slices.Values(allowed)), got); diff != "" {
		w.t.Errorf("%s: the header Allow (-want +got):\n%s", rule, diff)
	}
}
