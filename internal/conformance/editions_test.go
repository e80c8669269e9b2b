package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// entityNames are all entities of the interface.
var entityNames = strings.Fields(`auth blocks call_requests carts categories combinations discussions exceptions features
	languages langvars master_product_offers master_products options orders pages payments product_variations
	product_variations_groups products settings shipments shippings statuses stores taxes usergroups users vendors`)

// A possession is an object of company 3 in the tests of vendors of company 2.
type possession struct {
	create string // POST payload; empty if object 1 exists already
	change string // payload of a change
	id     string // the name of the id

	// Expected statuses for the vendor: 0 means 404.
	top     int  // at the entity's own addresses, of lists as well
	writes  int  // of PUT and DELETE there, if different
	deletes int  // of DELETE there, if different again
	common  bool // it belongs to the whole shop and may be read
	each    bool // each storefront has its own object with this id

	below string // the parent, if the entity has no address at the top

	needs map[string]string // payloads of the objects to which it refers, by entity
}

// possessions has an object of each entity. Add new entities here.
var possessions = map[string]possession{
	"categories":                {id: "category_id", create: `{"category": "Theirs", "company_id": 3}`, change: `{"category": "Mine"}`},
	"products":                  {id: "product_id", create: `{"product": "Theirs", "category_ids": [1], "company_id": 3}`, change: `{"product": "Mine"}`},
	"features":                  {id: "feature_id", create: `{"description": "Theirs", "feature_type": "T", "company_id": 3}`, change: `{"description": "Mine"}`},
	"product_variations":        {id: "product_id", create: `{"product": "Theirs", "category_ids": [1], "company_id": 3}`, change: `{"product": "Mine"}`},
	"product_variations_groups": {id: "id", create: `{"product_ids": [1, 2], "code": "THEIRS"}`, change: `{"code": "MINE"}`},
	"exceptions":                {id: "exception_id", create: `{"product_id": 1, "combination": {"1": 1}}`, change: `{"combination": {"1": 2}}`},
	"options":                   {id: "option_id", create: `{"product_id": 1, "option_name": "Theirs", "inventory": "N"}`, change: `{"option_name": "Mine"}`},
	"combinations":              {id: "combination_hash", create: `{"product_id": 1, "combination": {"1": 1}}`, change: `{"amount": 9}`},
	"call_requests":             {id: "request_id", create: `{"phone": "1", "company_id": 3, "product_id": 1}`, change: `{"phone": "2"}`},
	"discussions":               {id: "post_id", create: `{"object_type": "P", "object_id": 1, "message": "Theirs"}`, change: `{"message": "Mine"}`, top: 403},
	"users":                     {id: "user_id", create: `{"email": "theirs@example.com", "user_type": "C", "company_id": 3}`, change: `{"firstname": "Mine"}`},
	"usergroups":                {id: "usergroup_id", create: `{"usergroup": "Ours", "type": "C", "status": "A"}`, change: `{"usergroup": "Mine"}`, top: 403, common: true},
	"languages":                 {id: "lang_id", create: `{"lang_code": "nb", "name": "Ours"}`, change: `{"name": "Mine"}`, top: 403, common: true},
	"langvars":                  {id: "name", create: `{"name": "ours", "value": "Ours"}`, change: `{"value": "Mine"}`, top: 403, common: true},
	"taxes":                     {id: "tax_id", create: `{"tax": "Ours"}`, change: `{"tax": "Mine"}`, top: 403, common: true},
	"payments":                  {id: "payment_id", create: `{"payment": "Theirs", "company_id": 3}`, change: `{"payment": "Mine"}`, writes: 403},
	"statuses":                  {id: "status_id", create: `{"description": "Ours"}`, change: `{"description": "Mine"}`, top: 403, common: true},
	"orders": {id: "order_id", create: `{"company_id": 3, "user_id": 1, "payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1, "product_options": {"1": 2}}}}`,
		change: `{"status": "C"}`, deletes: 403, needs: map[string]string{"payments": `{"payment": "Ours", "company_id": %d}`, "shippings": `{"shipping": "Ours", "company_id": %d}`}},
	"shipments": {id: "shipment_id", create: `{"order_id": 1, "shipping_id": 1, "products": {"2787970629": 1}}`, change: `{"comments": "Mine"}`},
	"carts":     {change: `{"products": {"1": {"amount": 1}}}`, top: 403},
	"vendors": {id: "store_id", create: `{"company": "Theirs", "email": "theirs@example.com", "phone": "1", "address": "Quay 1", "city": "Oslo",
		"country": "NO", "state": "03", "zipcode": "0150"}`, change: `{"company": "Mine"}`, deletes: 403},
	"stores":                {id: "store_id", create: `{"company": "Theirs", "storefront": "theirs.example.com"}`, change: `{"company": "Mine"}`, deletes: 403},
	"pages":                 {id: "page_id", create: `{"page": "Theirs", "page_type": "T", "company_id": 3}`, change: `{"page": "Mine"}`},
	"blocks":                {id: "block_id", create: `{"type": "main", "name": "Theirs", "properties": {"template": "x.tpl"}, "company_id": 3}`, change: `{"name": "Mine"}`, top: 403},
	"settings":              {change: `{"value": "3"}`, top: 403, each: true},
	"shippings":             {id: "shipping_id", create: `{"shipping": "Theirs", "company_id": 3}`, change: `{"shipping": "Mine"}`},
	"master_products":       {id: "product_id", create: `{"product": "Ours", "price": "1"}`, change: `{"product": "Mine"}`, top: 403, common: true},
	"master_product_offers": {id: "product_id", create: `{"company_id": 3, "product_code": "Theirs"}`, change: `{"product_code": "Mine"}`, below: "master_products"},
}

// registered returns the registered entities, at the top or under a parent.
func registered(s *apitest.Shop, under string) (names []string) {
	for _, name := range entityNames {
		if a := s.Get("/api/2.0/" + under + name); !strings.Contains(a.Body, "There is no entity named") {
			names = append(names, name)
		}
	}
	return names
}

// everything returns all that the root user reads of the entities and of an object of
// each, to check that nothing changed.
func everything(s *apitest.Shop, objects map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		b.WriteString(s.Get("/api/2.0/" + name + "?product_id=1&items_per_page=100").Body)
		b.WriteString(s.Get("/api/2.0/" + name + "/" + objects[name]).Body)
	}
	return b.String()
}

// TestEditions_VendorMatrix: a vendor tries every operation of every entity, at the top
// and below every parent, on objects of another company (decisions §11). All are
// refused, and nothing changes.
func TestEditions_VendorMatrix(t *testing.T) { matrix(t, shopapi.MultiVendor) }

// TestEditions_StorefrontMatrix: the same for an administrator of one storefront of
// several.
func TestEditions_StorefrontMatrix(t *testing.T) { matrix(t, shopapi.MultiStorefront) }

func matrix(t *testing.T, edition shopapi.Edition) {
	t.Helper()
	if os.Getenv("SHOPAPI_EDITIONS") != "" { // .ci/long/28-editions tries every store
		eachStore(t, &shop.Options{Options: shopapi.Options{Edition: edition}}, func(t *testing.T, s *apitest.Shop, _ store.Store) { crossings(t, s, edition) })
		return
	}
	crossings(t, documented(t, apitest.NewWithStore(t, memory.New(), &shop.Options{Options: shopapi.Options{Edition: edition}})), edition)
}

// crossings creates objects of company 3, and tries to reach them as a user of company
// 2.
func crossings(t *testing.T, s *apitest.Shop, edition shopapi.Edition) {
	t.Helper()
	status(t, s.Post("/api/2.0/categories", `{"category": "Theirs", "company_id": 3}`), 201)
	status(t, s.Post("/api/2.0/products", `{"product": "Theirs", "category_ids": [1], "company_id": 3}`), 201)
	glaze(t, s)
	vary(t, s)
	entities := slices.DeleteFunc(registered(s, ""), func(name string) bool { return name == "auth" }) // it has no objects
	theirs := map[string]string{}                                                                      // the id of the object of each entity
	for _, name := range slices.Sorted(slices.Values(entities)) {
		p, ok := possessions[name]
		if !ok {
			t.Errorf("the entity %s answers but has no line in possessions", name)
			continue
		}
		if p.create == "" {
			theirs[name] = "1"
			continue
		}
		for entity, create := range p.needs {
			company := 1 // vendors share the methods of company 1
			if edition == shopapi.MultiStorefront {
				company = 3
			}
			status(t, s.Post("/api/2.0/"+entity, fmt.Sprintf(create, company)), 201)
		}
		created := s.Post("/api/2.0/"+name, p.create)
		status(t, created, 201)
		theirs[name] = created.Field(p.id)
	}
	for name, p := range possessions {
		if parent := theirs[p.below]; parent != "" {
			created := s.Post("/api/2.0/"+p.below+"/"+parent+"/"+name, p.create)
			status(t, created, 201)
			theirs[name] = created.Field(p.id)
		}
	}
	if t.Failed() {
		return
	}
	vendor := vendor(s, 2)
	mine := vendor.Post("/api/2.0/categories", `{"category": "Own", "company_id": 3}`)
	status(t, mine, 201)
	same(t, s.Get("/api/2.0/categories/"+mine.Field("category_id")).Field("company_id"), "2")

	before := everything(s, theirs)
	try := func(method, address, payload string, allowed ...int) {
		t.Helper()
		a := vendor.Do(method, address, "application/json", payload)
		if !slices.Contains(allowed, a.Status) {
			t.Errorf("%s %s %s answered %d %s, want %v", method, address, payload, a.Status, a.Body, allowed)
		}
		if strings.Contains(a.Body, "Theirs") || strings.Contains(a.Body, "theirs") {
			t.Errorf("%s %s shows what is another's: %s", method, address, a.Body)
		}
	}
	unchanged := func(by string) {
		t.Helper()
		if after := everything(s, theirs); after != before {
			t.Errorf("what was tried with %s changed something", by)
			before = after
		}
	}
	for name, id := range theirs {
		p := possessions[name]
		refusals, writes := []int{cmp.Or(p.top, 404)}, []int{cmp.Or(p.writes, p.top, 404)}
		if edition == shopapi.MultiStorefront { // the table has the statuses of vendors
			refusals, writes = []int{404, 403}, []int{404, 403}
			if p.each {
				refusals, writes = []int{200}, []int{200}
			}
		}
		deletes := writes
		if p.deletes != 0 && edition == shopapi.MultiVendor {
			deletes = []int{p.deletes}
		}
		if p.create == "" {
			deletes = []int{refusals[0], 405}
		}
		for _, form := range []string{"/api/2.0/", "/api/", "/api.php?_d="} {
			object := form + name + "/" + id
			if !p.common {
				try("GET", object, "", refusals...)
				try("HEAD", object, "", refusals...)
			}
			try("PUT", object, p.change, writes...)
			try("DELETE", object, "", deletes...)
		}
		try("GET", "/api/2.0/"+name+"?product_id=1&company_id=3", "", append([]int{200}, refusals...)...)
		for _, child := range registered(s, name+"/"+id+"/") {
			below := fmt.Sprintf("/api/2.0/%s/%s/%s", name, id, child)
			reads := []int{404, 403, 405}
			if p.common && possessions[child].common {
				reads = append(reads, 200)
			}
			if !p.common {
				try("GET", below, "", reads...)
				try("POST", below, possessions[child].create, 404, 403, 405)
			}
			try("GET", below+"/"+theirs[child], "", reads...)
			try("PUT", below+"/"+theirs[child], possessions[child].change, 404, 403)
			try("DELETE", below+"/"+theirs[child], "", 404, 403, 405)
		}
		unchanged(name)
	}

	// Objects of the vendor keep their company, and cannot refer to other companies.
	own := func(address, create, id string, changes ...string) {
		t.Helper()
		created := vendor.Post(address, create)
		status(t, created, 201)
		object := address + "/" + created.Field(id)
		status(t, vendor.Put(object, `{"company_id": 3}`), 200)
		for _, a := range []*apitest.Answer{s.Get(object), vendor.Get(object)} {
			shown := address != "/api/2.0/exceptions" && address != "/api/2.0/combinations"
			if a.Status != 200 || shown && a.Field("company_id") != "2" {
				t.Errorf("%s is now %d %s", object, a.Status, a.Body)
			}
		}
		before = everything(s, theirs)
		for _, change := range changes {
			try("PUT", object, change, 400)
		}
		unchanged(object)
		status(t, vendor.Delete(object), 204)
	}
	category := mine.Field("category_id")
	product := vendor.Post("/api/2.0/products", `{"product": "Own", "category_ids": [`+category+`]}`).Field("product_id")
	own("/api/2.0/categories", `{"category": "Own"}`, "category_id", `{"parent_id": 1}`)
	own("/api/2.0/products", `{"product": "Own", "category_ids": [`+category+`]}`, "product_id", `{"category_ids": [1]}`)
	ofOwn := func(field string) string { return `{"product_id": ` + product + `, ` + field + `}` }
	option := vendor.Post("/api/2.0/options", ofOwn(`"option_name": "Own", "option_type": "C"`)).Field("option_id")
	combination := `"combination": {"` + option + `": ` + firstVariant(vendor, option) + `}`
	own("/api/2.0/options", ofOwn(`"option_name": "Own", "inventory": "N"`), "option_id")
	own("/api/2.0/combinations", ofOwn(combination), "combination_hash")
	own("/api/2.0/exceptions", ofOwn(combination), "exception_id", `{"product_id": 1}`)
	own("/api/2.0/call_requests", `{"phone": "1"}`, "request_id", `{"product_id": 1}`)
	own("/api/2.0/products/"+product+"/discussions", `{"message": "Own"}`, "post_id", `{"object_id": 1}`, `{"thread_id": 1}`)
	own("/api/2.0/users", `{"email": "own@example.com", "user_type": "C"}`, "user_id")
	before = everything(s, theirs)

	// References to objects of other companies are refused like references to missing
	// ones.
	for _, r := range []struct{ entity, payload string }{
		{"categories", `{"category": "Own", "parent_id": 1}`},
		{"products", `{"product": "Own", "category_ids": [1]}`},
		{"options", `{"product_id": 1, "option_name": "Own"}`},
		{"combinations", `{"product_id": 1, "combination": {"1": 8}}`},
		{"exceptions", `{"product_id": 1, "combination": {"1": 8}}`},
		{"call_requests", `{"phone": "1", "product_id": 1}`},
		{"call_requests", `{"phone": "1", "user_id": 1}`},
	} {
		try("POST", "/api/2.0/"+r.entity, r.payload, 400)
	}
	unchanged("references to it")
}

// vary makes product 1, and a new product 2, of company 3, vary by the feature 1.
func vary(t *testing.T, s *apitest.Shop) {
	t.Helper()
	status(t, s.Post("/api/2.0/features", `{"description": "Theirs", "feature_type": "S", "purpose": "group_catalog_item", "company_id": 3,
		"variants": [{"variant": "Matt"}, {"variant": "Gloss"}]}`), 201)
	status(t, s.Put("/api/2.0/products/1", `{"product_features": {"1": 1}}`), 200)
	status(t, s.Post("/api/2.0/products", `{"product": "Theirs", "category_ids": [1], "company_id": 3, "product_features": {"1": 2}}`), 201)
}

// firstVariant returns the least id of an option's variants.
func firstVariant(c *apitest.Client, option string) string {
	var o struct{ Variants map[string]any }
	c.Get("/api/2.0/options/" + option).Decode(&o)
	return slices.Min(slices.Collect(maps.Keys(o.Variants)))
}

// TestEditions_VendorsTotals count only the rows that the vendor sees, also right after
// a request of root.
func TestEditions_VendorsTotals(t *testing.T) {
	live := shopapi.Options{Edition: shopapi.MultiVendor, Dialect: shopapi.DialectLive}
	eachStore(t, &shop.Options{Options: live}, func(t *testing.T, s *apitest.Shop, _ store.Store) {
		stock(t, s)
		vendor := vendor(s, 2)
		status(t, s.Post("/api/call_requests", `{"phone": "1", "company_id": 1}`), 201)
		for entity, theirs := range map[string]string{"categories": "1", "products": "1", "call_requests": "1", "users": "2"} {
			want := "0"
			if entity == "users" {
				want = "1" // the user
			}
			for range 2 {
				same(t, total(s.Client, entity), theirs)
				same(t, total(vendor, entity), want)
			}
		}
	})
}

func total(c *apitest.Client, entity string) string {
	var list struct {
		Params struct {
			TotalItems string `json:"total_items"`
		}
	}
	c.Get("/api/" + entity).Decode(&list)
	return list.Params.TotalItems
}
