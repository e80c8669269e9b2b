package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
)

// A kindOfChange is made as often as its weight says.
type kindOfChange struct {
	name   string
	weight int
	make   func(context.Context) error
}

// outside are the changes by SQL of the host.
type outside struct {
	inside, beside, trigger, maintain func(*episode, context.Context) error
}

var (
	outsideSQLite     = outside{(*episode).hostInside, (*episode).hostBeside, (*episode).trigger, (*episode).maintain}
	outsidePostgreSQL = outside{(*episode).pgInside, (*episode).pgBeside, (*episode).pgTrigger, (*episode).pgMaintain}
)

// change makes a random change, and names its kind.
func (e *episode) change(ctx context.Context) (kind string, err error) {
	kinds := []kindOfChange{
		{"requests", 70, e.sendChanges},
		{"request beside", 10, func(ctx context.Context) error { return e.sendChange(ctx, e.beside) }},
		{"batch", 10, e.batch},
		{"matched rows", 4, e.match},
		{"Go", 10, func(ctx context.Context) error { return e.changeByGo(ctx, pick(e, e.caching, e.beside)) }},
		{"rolled back", 5, e.rollBack},
		{"clock", 4, e.tick},
		{"none", 4, func(context.Context) error { return nil }},
		{"several at once", 4, e.several},
	}
	outside := outsideSQLite
	if e.store == "postgres" {
		outside = outsidePostgreSQL
	}
	if e.store != "memory" {
		kinds = append(kinds, []kindOfChange{
			{"SQL in a transaction", 8, func(ctx context.Context) error { return outside.inside(e, ctx) }},
			{"SQL beside", 5, func(ctx context.Context) error { return outside.beside(e, ctx) }},
			{"other process", 4, e.changeByProcess},
			{"migration", 1, e.migrate},
			{"trigger", 1, func(ctx context.Context) error { return outside.trigger(e, ctx) }},
			{"maintenance", 2, func(ctx context.Context) error { return outside.maintain(e, ctx) }},
		}...)
	}
	if len(e.standbys) > 0 {
		kinds = append(kinds, kindOfChange{"replica", 8, e.disturbReplica})
	}
	sum := 0
	for _, k := range kinds {
		sum += k.weight
	}
	at := e.random.IntN(sum)
	for _, k := range kinds {
		if at -= k.weight; at < 0 {
			e.figures.changes[k.name]++
			return k.name, k.make(ctx)
		}
	}
	panic("unreachable")
}

// sendChanges sends requests that change something.
func (e *episode) sendChanges(ctx context.Context) error {
	for range 1 + e.random.IntN(8) {
		if err := e.sendChange(ctx, e.caching); err != nil {
			return err
		}
	}
	return nil
}

// sendChange sends a request that changes something, most of them as the root user.
func (e *episode) sendChange(ctx context.Context, h *handle) error {
	r, entity := e.write()
	return e.send(ctx, h, r, entity)
}

// write returns a random request that changes an object, and the name of its entity.
func (e *episode) write() (request, string) {
	d := e.description()
	who := e.people[0]
	if e.random.IntN(4) == 0 {
		who = e.people[e.random.IntN(len(e.people))]
	}
	r := request{login: who, method: "PUT", address: "/api/2.0/" + d.Name + "/" + e.ids.of(e, d.Name)}
	switch n := e.random.IntN(10); {
	case n < 4:
		r = e.create(d)
		r.login = who
	case n < 9:
		r.body = e.someValues(d)
	default:
		r.method = "DELETE"
	}
	if d.Name == "users" && r.method != "POST" && e.random.IntN(3) > 0 {
		// The staff changes too, and may lose its rights, but the root user stays.
		r.body = pick(e, `{"firstname": "Eva"}`, `{"status": "D"}`, `{"status": "A"}`, `{"phone": "7"}`)
		r.method = "PUT"
	}
	if strings.HasSuffix(r.address, "/users/1") {
		r.method, r.body = "PUT", `{"firstname": "Root"}`
	}
	return r, d.Name
}

// send sends a change. A refused one must change nothing, which the comparison shows; a
// status of 500 or more is an error.
func (e *episode) send(ctx context.Context, h *handle, r request, entity string) error {
	w := h.send(ctx, r)
	if w.Code >= 500 {
		return fmt.Errorf("%s: %d %s", r, w.Code, w.Body)
	}
	if w.Code < 300 {
		e.figures.accepted++
	}
	if w.Code == 201 {
		e.ids.add(entity, createdID(w, e.idField(entity)))
	}
	return nil
}

func (e *episode) idField(entity string) string {
	for _, d := range e.caching.Descriptions() {
		if d.Name == entity {
			return d.IDField
		}
	}
	return ""
}

func createdID(w *httptest.ResponseRecorder, field string) string {
	var reply map[string]any
	if json.Unmarshal(w.Body.Bytes(), &reply) != nil || reply[field] == nil {
		return ""
	}
	return fmt.Sprint(reply[field])
}

// payloads make objects. {entity} is replaced by an id, WORD by a word, NUMBER by a number
// and COMPANY by a company.
var payloads = map[string]string{
	"blocks":                    `{"type": "html_block", "name": "WORD", "properties": {"template": "WORD.tpl"}}`,
	"call_requests":             `{"phone": "NUMBER", "company_id": COMPANY, "product_id": {products}, "user_id": {users}}`,
	"carts":                     ``,
	"categories":                `{"category": "WORD", "parent_id": {categories}, "company_id": COMPANY, "position": NUMBER}`,
	"combinations":              `{"product_id": {products}, "combination": {"{options}": "NUMBER"}, "amount": NUMBER}`,
	"discussions":               `{"object_type": "P", "object_id": {products}, "message": "WORD", "rating_value": 3, "name": "WORD"}`,
	"exceptions":                `{"product_id": {products}, "combination": {"{options}": "NUMBER"}}`,
	"features":                  `{"description": "WORD", "feature_type": "S", "company_id": COMPANY, "purpose": "group_catalog_item", "variants": [{"variant": "WORD"}, {"variant": "b"}]}`,
	"languages":                 `{"lang_code": "CODE", "name": "WORD"}`,
	"langvars":                  `{"name": "wordNUMBER", "value": "WORD"}`,
	"master_products":           `{"product": "WORD", "category_ids": [{categories}], "price": "NUMBER"}`,
	"options":                   `{"product_id": {products}, "option_name": "WORD", "inventory": "Y", "company_id": COMPANY, "variants": [{"variant_name": "WORD"}, {"variant_name": "b"}]}`,
	"orders":                    `{"user_id": {users}, "company_id": COMPANY, "notes": "WORD", "payment_id": {payments}, "shipping_id": {shippings}, "products": {"{products}": {"amount": 1}}}`,
	"pages":                     `{"page": "WORD", "page_type": "T", "parent_id": {pages}, "company_id": COMPANY}`,
	"payments":                  `{"payment": "WORD"}`,
	"product_variations_groups": `{"code": "MUGS-NUMBER", "product_ids": [{products}, {products2}]}`,
	"products":                  `{"product": "WORD", "product_code": "MUG-NUMBER", "category_ids": [{categories}], "company_id": COMPANY, "price": "NUMBER.50", "amount": 50, "product_features": {"{features}": "NUMBER"}}`,
	"shipments":                 `{"order_id": {orders}, "shipping_id": {shippings}, "tracking_number": "NUMBER"}`,
	"shippings":                 `{"shipping": "WORD", "rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": NUMBER}}}}]}`,
	"statuses":                  `{"description": "WORD", "type": "O"}`,
	"stores":                    `{"company": "WORD", "storefront": "sNUMBER.example.org"}`,
	"taxes":                     `{"tax": "WORD", "status": "A", "rates": {"1": {"rate_value": NUMBER, "rate_type": "P"}}}`,
	"usergroups":                `{"usergroup": "WORD", "type": "A", "status": "A", "privileges": ["view_catalog", "manage_users"]}`,
	"users":                     `{"email": "personNUMBER@example.org", "user_type": "C", "firstname": "WORD", "company_id": COMPANY}`,
	"vendors":                   `{"company": "WORD", "email": "vNUMBER@example.org", "phone": "1", "address": "Quay 1", "city": "Oslo", "country": "NO", "zipcode": "1"}`,
}

// create returns the request that makes an object.
func (e *episode) create(d shopapi.Description) request {
	body := payloads[d.Name]
	for _, name := range slices.Sorted(maps.Keys(payloads)) {
		body = strings.ReplaceAll(body, "{"+name+"}", e.ids.of(e, name))
	}
	body = strings.NewReplacer("{products2}", e.ids.of(e, "products"), "WORD", pick(e, words...), "NUMBER", fmt.Sprint(e.random.IntN(40)),
		"COMPANY", pick(e, "1", "2"), "CODE", pick(e, "de", "fr", "nl")).Replace(body)
	return request{login: e.people[0], method: "POST", address: "/api/2.0/" + d.Name, body: body}
}

// someValues returns a body with values of one or two fields.
func (e *episode) someValues(d shopapi.Description) string {
	t := d.Payload
	if t == nil {
		t = d.Object
	}
	if d.Name == "settings" || e.random.IntN(3) == 0 {
		return fmt.Sprintf(`{"value": "%d", "status": %q, "position": %[1]d, "amount": %[1]d}`, 1+e.random.IntN(9), pick(e, "A", "D", "H", "C", "P"))
	}
	if d.Name == "carts" {
		return fmt.Sprintf(`{"products": {%q: {"amount": %d}}}`, e.ids.of(e, "products"), 1+e.random.IntN(4))
	}
	values := map[string]any{}
	fields := bind.Fields(t)
	for range min(1+e.random.IntN(2), len(fields)) {
		f := fields[e.random.IntN(len(fields))]
		if v := e.value(d, f); v != nil {
			values[f.Name] = v
		}
	}
	body, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return string(body)
}

// value is a value of a field, nil where there is none to choose.
func (e *episode) value(d shopapi.Description, f bind.Field) any {
	for _, rule := range d.Rules {
		if rule.Field == f.Name && len(rule.OneOf) > 0 {
			return pick(e, rule.OneOf...)
		}
	}
	switch f.Kind {
	case bind.Text, bind.Texts, bind.Scalar:
		return pick(e, words...)
	case bind.Number:
		for _, entity := range []string{"products", "categories", "users", "pages", "features"} {
			if strings.HasPrefix(f.Name, strings.TrimSuffix(entity, "s")+"_id") {
				return e.ids.of(e, entity)
			}
		}
		return e.random.IntN(8)
	case bind.Amount:
		return fmt.Sprintf("%d.25", e.random.IntN(30))
	case bind.Flag:
		return pick(e, "Y", "N")
	case bind.Numbers:
		return []string{e.ids.of(e, "categories"), e.ids.of(e, "categories")}
	}
	return nil
}

// batch sends several changes at once. In some batches a member fails.
func (e *episode) batch(ctx context.Context) error {
	type member struct {
		Method string          `json:"method"`
		URL    string          `json:"url"`
		Body   json.RawMessage `json:"body,omitempty"`
	}
	batch := struct {
		Atomic   bool     `json:"atomic"`
		Requests []member `json:"requests"`
	}{Atomic: e.random.IntN(2) == 0}
	for range 1 + e.random.IntN(4) {
		r, _ := e.write()
		batch.Requests = append(batch.Requests, member{r.method, strings.TrimPrefix(r.address, "/api/2.0/"), json.RawMessage(r.body)})
	}
	if e.random.IntN(2) == 0 {
		batch.Requests = append(batch.Requests, member{Method: "DELETE", URL: "products/999999"})
	}
	body, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	return e.send(ctx, e.caching, request{login: e.people[0], method: "POST", address: "/api/2.0/batch", body: string(body)}, "")
}

// match changes the stock of products that are named by their codes.
func (e *episode) match(ctx context.Context) error {
	body := fmt.Sprintf(`[{"product_code": "MUG-%d", "amount": %d}, {"product_code": "MUG-%d", "price": "3.75"}]`,
		e.random.IntN(40), e.random.IntN(9), e.random.IntN(40))
	return e.send(ctx, e.caching, request{login: e.people[0], method: "PUT", address: "/api/2.0/products?match=product_code", body: body}, "")
}

// several makes some changes with no response between them.
func (e *episode) several(ctx context.Context) error {
	for range 2 + e.random.IntN(5) {
		if _, err := e.change(ctx); err != nil {
			return err
		}
	}
	return nil
}
