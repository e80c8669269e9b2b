package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// An episode of random requests is about a new shop, so that a shop does not grow too much.
const episode = 2000

// grammarRequests is how many random requests each store gets.
func grammarRequests(t *testing.T) int {
	text := os.Getenv("SHOPAPI_GRAMMAR")
	if text == "" {
		return 400
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestGrammar_RandomRequests sends requests that the OpenAPI document describes, with random
// values and some that it forbids, to shops of all editions over all stores. No response is a
// 5xx, each is as the document says, and a refused change leaves its object as it was.
func TestGrammar_RandomRequests(t *testing.T) {
	editions := []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor}
	first, total := uint64(1), grammarRequests(t)
	if text := os.Getenv("SHOPAPI_GRAMMAR_SEED"); text != "" {
		var err error
		if first, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n < total; n += episode {
		seed := first + uint64(n/episode)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			o := &shop.Options{}
			o.Edition = editions[seed%uint64(len(editions))]
			eachStore(t, o, func(t *testing.T, s *apitest.Shop, _ store.Store) {
				stock(t, s)
				newGrammar(t, s, seed).run(min(episode, total-n))
			})
		})
	}
}

// TestGrammar_Notices: a server error, a response that the document does not have, and a
// refused change that changes something are found.
func TestGrammar_Notices(t *testing.T) {
	for name, c := range map[string]struct {
		wrong func(w http.ResponseWriter, r *http.Request, next http.Handler)
		want  string
	}{
		"nothing": {func(w http.ResponseWriter, r *http.Request, next http.Handler) { next.ServeHTTP(w, r) }, ""},
		"a server error": {func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method == "DELETE" {
				w.WriteHeader(500)
				return
			}
			next.ServeHTTP(w, r)
		}, "answered 500"},
		"a refused change": {func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method == "DELETE" || r.Method == "PUT" {
				w = &refusing{w}
			}
			next.ServeHTTP(w, r)
		}, "refused, and changed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := apitest.New(t, nil)
			stock(t, s)
			next := s.Handler
			s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.wrong(w, r, next) })
			g := newGrammar(t, s, 1)
			found := ""
			g.fail = func(format string, args ...any) { found += fmt.Sprintf(format, args...) + "\n" }
			g.run(1500)
			if c.want == "" && found != "" || !strings.Contains(found, c.want) {
				t.Errorf("found %.500q, want %q", found, c.want)
			}
		})
	}
}

// refusing sends 400 for what succeeds.
type refusing struct{ http.ResponseWriter }

func (r *refusing) WriteHeader(status int) {
	r.ResponseWriter.WriteHeader(max(status, 400))
}

// run sends requests.
func (g *grammar) run(requests int) {
	for range requests {
		if g.t.Failed() {
			return // the first one is what to look at
		}
		g.send(g.request())
	}
}

// send sends a request and checks its response.
func (g *grammar) send(r randomRequest) {
	checked := r.method != "GET" && r.look != "" && g.random.IntN(4) == 0
	if _, seen := g.seen[r.look]; checked && !seen {
		g.seen[r.look] = g.shop.Get(r.look).Body
	}
	a := g.shop.Do(r.method, r.address, r.contentType, r.body)
	switch {
	case a.Status >= 500:
		g.fail("%v is answered %d %s", r, a.Status, a.Body)
	case a.Status < 300:
		g.accepted++
		if r.method != "GET" {
			clear(g.seen)
		}
		g.learn(r, a.Body)
	case checked && a.Status >= 400:
		g.compared++
		if before, after := g.seen[r.look], g.shop.Get(r.look).Body; after != before {
			g.fail("%v is refused, and changed %s, or a refused request before it did, from\n%s\nto\n%s", r, r.look, before, after)
		}
	}
	if g.sent++; a.Status < 300 && r.method != "GET" || g.sent%50 == 0 { // what locks root out lasts
		if a := g.shop.Get("/api/2.0/categories?items_per_page=1"); a.Status != 200 {
			g.t.Fatalf("after %v, or a refused request before it, root is answered %d %s", r, a.Status, a.Body)
		}
	}
}

// learn notes the ids in the response to a create, and in that to a list.
func (g *grammar) learn(r randomRequest, body string) {
	var created map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &created) != nil {
		return
	}
	if r.method == "POST" {
		for name, raw := range created {
			if id := strings.Trim(string(raw), `"`); strings.HasSuffix(name, "_id") || name == "combination_hash" {
				g.addID(r.entity, id)
			}
		}
		return
	}
	var items []map[string]json.RawMessage
	if json.Unmarshal(created[r.entity], &items) != nil {
		return
	}
	for _, item := range items {
		for _, d := range g.shop.Descriptions() {
			if d.Name == r.entity {
				g.addID(r.entity, strings.Trim(string(item[d.IDField]), `"`))
			}
		}
	}
}

// addID keeps the last ids of an entity.
func (g *grammar) addID(entity, id string) {
	if id == "" {
		return
	}
	if g.ids[entity] = append(g.ids[entity], id); len(g.ids[entity]) > 20 {
		g.ids[entity] = g.ids[entity][1:]
	}
}

func newGrammar(t *testing.T, s *apitest.Shop, seed uint64) *grammar {
	t.Helper()
	data, err := apidoc.JSON(t.Context(), s.API, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := readGrammar(t, data, seed)
	g.shop, g.seen = s, map[string]string{}
	g.fail = t.Errorf
	t.Cleanup(func() {
		t.Logf("%d requests were accepted, %d refused changes compared", g.accepted, g.compared)
		if g.accepted == 0 {
			t.Error("no request was accepted")
		}
	})
	return g
}
