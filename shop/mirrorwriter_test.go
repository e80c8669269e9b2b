package shop_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"sync"

	"github.com/shopapi/shopapi/apitest"
)

// A mirrorWriter changes a shop at random.
type mirrorWriter struct {
	*apitest.Client
	rnd    *rand.Rand
	known  *ids
	breaks bool         // processes of the shop are killed, so that requests may fail
	inGo   func() error // a change from Go; nil without one
}

// ids are the ids of the objects that the writers made, by entity.
type ids struct {
	mu sync.Mutex
	of map[string][]string
}

func (i *ids) add(entity, id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.of[entity] = append(i.of[entity], id)
}

func (i *ids) pick(rnd *rand.Rand, entity string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.of[entity]) == 0 {
		return "1"
	}
	of := i.of[entity]
	return of[max(0, len(of)-1-rnd.IntN(6))] // one of the newest, which is rarely deleted
}

// pick returns the id of an object that a writer made, which may be deleted meanwhile.
func (w *mirrorWriter) pick(entity string) string { return w.known.pick(w.rnd, entity) }

// A mirrorChange is a request that writers make: {n} is a random number, {company} one of two
// companies, and {products} the id of a product.
type mirrorChange struct{ method, address, body string }

// mirrorChanges are changes of each entity that a mirror has.
var mirrorChanges = []mirrorChange{
	{"POST", "categories", `{"category": "C{n}", "parent_id": {categories}, "company_id": {company}}`},
	{"POST", "categories", `{"category": "R{n}", "company_id": {company}}`},
	{"PUT", "categories/{categories}", `{"parent_id": {categories}}`},
	{"PUT", "categories/{categories}", `{"category": "N{n}", "company_id": {company}}`},
	{"DELETE", "categories/{categories}", ""},
	{"POST", "products", `{"product": "P{n}", "price": "{n}", "amount": 50, "category_ids": [{categories}, {categories}], "company_id": {company}, "tax_ids": ["{taxes}"]}`},
	{"POST", "products", `{"product": "F{n}", "price": "1", "amount": 50, "category_ids": [{categories}], "company_id": {company}, "product_features": {"1": {digit}}}`},
	{"PUT", "products/{products}", `{"price": "{n}", "amount": 20}`},
	{"PUT", "products/{products}", `{"company_id": {company}}`},
	{"PUT", "products/{products}", `{"product_features": {"1": {digit}}}`},
	{"PUT", "products/{products}?sl=en", `{"full_description": "D{n}"}`},
	{"DELETE", "products/{products}", ""},
	{"POST", "product_variations_groups", `{"product_ids": [{products}, {products}], "code": "G{n}"}`},
	{"PUT", "product_variations_groups/{product_variations_groups}", `{"code": "N{n}"}`},
	{"DELETE", "product_variations_groups/{product_variations_groups}", ""},
	{"POST", "pages", `{"page": "P{n}", "page_type": "T", "company_id": {company}}`},
	{"PUT", "pages/{pages}", `{"status": "H", "usergroup_ids": "{usergroups}"}`},
	{"PUT", "pages/{pages}", `{"company_id": {company}}`},
	{"POST", "users", `{"email": "u{n}@example.org", "user_type": "C", "company_id": {company}}`},
	{"PUT", "users/{users}", `{"firstname": "F{n}"}`},
	{"PUT", "users/{users}/usergroups/{usergroups}", `{"status": "A"}`},
	{"DELETE", "users/{users}", ""},
	{"POST", "usergroups", `{"usergroup": "G{n}", "type": "C", "status": "A"}`},
	{"DELETE", "usergroups/{usergroups}", ""},
	{"POST", "taxes", `{"tax": "T{n}"}`},
	{"DELETE", "taxes/{taxes}", ""},
	{"POST", "discussions", `{"object_type": "P", "object_id": {products}, "name": "N{n}", "message": "M", "rating_value": "{digit}"}`},
	{"PUT", "discussions/{discussions}", `{"status": "D"}`},
	{"POST", "orders", `{"company_id": {company}, "user_id": {users}, "payment_id": 1, "shipping_id": 1, "products": {"{products}": {"amount": 1}, "{products}": {"amount": 2}}}`},
	{"PUT", "orders/{orders}", `{"status": "{status}"}`},
	{"DELETE", "orders/{orders}", ""},
	{"POST", "options", `{"product_id": {products}, "option_name": "O{n}", "option_type": "S", "variants": [{"variant_name": "a"}]}`},
	{"PUT", "options/{options}", `{"option_name": "N{n}"}`},
	{"DELETE", "options/{options}", ""},
	{"PUT", "features/1", `{"description": "Size {n}"}`},
	{"POST", "features", `{"description": "F{n}", "feature_type": "T"}`},
	{"DELETE", "features/{features}", ""},
	{"POST", "statuses", `{"description": "S{n}"}`},
	{"PUT", "statuses/{statuses}", `{"description": "N{n}"}`},
	{"DELETE", "statuses/{statuses}", ""},
	{"POST", "blocks", `{"type": "html_block", "name": "B{n}", "properties": {"template": "a.tpl"}, "content": {"content": "{n}"}, "company_id": {company}}`},
	{"DELETE", "blocks/{blocks}", ""},
	{"POST", "call_requests", `{"phone": "{n}", "product_id": {products}, "company_id": {company}}`},
	{"PUT", "call_requests/{call_requests}", `{"status": "completed"}`},
	{"DELETE", "call_requests/{call_requests}", ""},
	{"PUT", "langvars/text_{digit}", `{"value": "V{n}"}`},
	{"PUT", "carts/{users}", `{"products": {"{products}": {"amount": {digit}}}}`},
	{"DELETE", "carts/{users}", ""},
	{"PUT", "settings/{digit}", `{"value": "{digit}"}`},
	{"PUT", "vendors/2", `{"city": "C{n}"}`},
	{"PUT", "stores/2", `{"city": "C{n}"}`},
	{"POST", "master_products", `{"product": "M{n}", "price": "3"}`},
	{"POST", "master_products/{master_products}/master_product_offers", `{"company_id": {company}, "price": "{n}"}`},
	{"PUT", "master_products/{master_products}", `{"product": "N{n}"}`},
	{"DELETE", "master_products/{master_products}", ""},
	{"POST", "batch", `{"requests": [{"method": "POST", "url": "pages", "body": {"page": "B{n}", "page_type": "T"}},
		{"method": "PUT", "url": "products/{products}", "body": {"status": "H"}}, {"method": "DELETE", "url": "pages/{pages}"}]}`},
}

// run makes changes: first a new object of each entity, then any.
func (w *mirrorWriter) run(steps int) {
	for _, c := range mirrorChanges {
		if c.method == "POST" {
			w.make(c)
			steps--
		}
	}
	for range steps {
		w.step()
	}
}

// step makes one change: a request, or a call from Go.
func (w *mirrorWriter) step() {
	if i := w.rnd.IntN(len(mirrorChanges) + 1); i < len(mirrorChanges) {
		w.make(mirrorChanges[i])
	} else if w.inGo != nil {
		if err := w.inGo(); err != nil {
			w.T.Error(err)
		}
	}
}

// make makes one request. A change of an object that another writer has deleted is refused, which
// is not a failure.
func (w *mirrorWriter) make(c mirrorChange) {
	a := w.send(c.method, w.filled(c.address), w.filled(c.body))
	if idField := mirrored[c.address]; a.Status == http.StatusCreated && idField != "" {
		w.known.add(c.address, a.Field(idField))
	}
}

// filled replaces the words in braces of a request.
func (w *mirrorWriter) filled(text string) string {
	return braces.ReplaceAllStringFunc(text, func(word string) string {
		switch word = word[1 : len(word)-1]; word {
		case "n":
			return fmt.Sprint(w.rnd.IntN(1_000_000))
		case "digit":
			return fmt.Sprint(1 + w.rnd.IntN(5))
		case "company":
			return fmt.Sprint(1 + w.rnd.IntN(2))
		case "status":
			return "OPCI"[w.rnd.IntN(4):][:1]
		}
		return w.pick(word)
	})
}

var braces = regexp.MustCompile(`\{[a-z_]+\}`)

func (w *mirrorWriter) send(method, address, body string) *apitest.Answer {
	a := w.Do(method, "/api/2.0/"+address, "application/json", body)
	if a.Status >= http.StatusInternalServerError && !(w.breaks && a.Status == http.StatusServiceUnavailable) {
		w.T.Errorf("%s %s %s: %d %s", method, address, body, a.Status, a.Body)
	}
	return a
}
