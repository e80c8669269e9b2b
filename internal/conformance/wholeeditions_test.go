package conformance

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
)

// clerkRights are the privileges of an administrator of the dispatch department.
var clerkRights = []string{"view_catalog", "view_orders", "manage_orders", "view_discussions"}

// everyRight returns all privileges of a shop.
func (w *wholeShop) everyRight() (list []string) {
	for _, d := range w.Descriptions() {
		list = append(list, d.Privileges.View, d.Privileges.Manage)
	}
	return list
}

// TestEditions_SingleStore: in a single store users differ only in their privileges.
func TestEditions_SingleStore(t *testing.T) { eachWholeShop(t, shopapi.SingleStore, singleStore) }

func singleStore(t *testing.T, w *wholeShop) {
	t.Helper()
	w.make("cups", "categories", `{"category": "Cups"}`)
	w.make("mug", "products", `{"product": "Mug", "category_ids": [{cups}], "price": "9.50", "amount": 99}`)
	w.make("anna", "users", `{"email": "anna@example.com", "user_type": "C"}`)
	w.make("invoice", "payments", `{"payment": "Invoice"}`)
	w.make("post", "shippings", `{"shipping": "Post"}`)
	w.make("vat", "taxes", `{"tax": "VAT"}`)
	w.make("small", "orders", order("{mug}"))
	w.make("praise", "discussions", `{"object_type": "P", "object_id": {mug}, "message": "Holds heat"}`)
	w.make("call", "call_requests", `{"phone": "1"}`)
	w.make("about", "pages", `{"page": "About", "page_type": "T"}`)

	w.user("keeper", w.User(w.everyRight()...))
	w.user("clerk", w.User(clerkRights...))
	w.user("desk", w.User("view_call_requests", "manage_call_requests", "view_discussions", "manage_discussions"))
	w.user("root", w.Client)

	w.sees(map[string]map[string]string{
		"products":              {"keeper": "mug", "clerk": "mug", "desk": "403", "root": "mug"},
		"categories/1/products": {"keeper": "mug", "clerk": "mug", "desk": "403", "root": "mug"},
		"orders":                {"keeper": "small", "clerk": "small", "desk": "403", "root": "small"},
		"discussions":           {"keeper": "praise", "clerk": "praise", "desk": "praise", "root": "praise"},
		"call_requests":         {"keeper": "call", "clerk": "403", "desk": "call", "root": "call"},
		"users":                 {"keeper": "anna", "clerk": "403", "desk": "403", "root": "anna"},
		"pages":                 {"keeper": "about", "clerk": "403", "desk": "403", "root": "about"},
		"stores":                {"keeper": "-", "clerk": "403", "desk": "403", "root": "-"}, // §27: the only store
		"vendors":               {"keeper": "404", "clerk": "404", "desk": "404", "root": "404"},
		"master_products":       {"keeper": "404", "clerk": "404", "desk": "404", "root": "404"},
	})
	w.tries([]try{
		//                                                                                keeper clerk desk root
		{"GET", "products/{mug}", "", "200 200 403 200"},
		{"PUT", "products/{mug}", `{"product": "Mug of {user}"}`, "200 403 403 200"},
		{"DELETE", "products", `{"product": "Spare", "category_ids": [{cups}]}`, "204 403 403 204"},
		{"GET", "orders/{small}", "", "200 200 403 200"},
		{"PUT", "orders/{small}", `{"details": "{user}"}`, "200 200 403 200"},
		{"DELETE", "orders", order("{mug}"), "204 204 403 204"},
		{"PUT", "discussions/{praise}", `{"message": "Says {user}"}`, "200 403 200 200"},
		{"GET", "products/{mug}/discussions/{praise}", "", "200 200 403 200"},
		{"DELETE", "discussions", `{"object_type": "P", "object_id": {mug}, "message": "Spare"}`, "204 403 204 204"},
		{"PUT", "call_requests/{call}", `{"name": "{user}"}`, "200 403 200 200"},
		{"PUT", "users/{anna}", `{"firstname": "{user}"}`, "200 403 403 200"},
		{"PUT", "taxes/{vat}", `{"tax": "VAT of {user}"}`, "200 403 403 200"},
		{"PUT", "pages/{about}", `{"page": "About {user}"}`, "200 403 403 200"},
		{"GET", "settings", "", "200 403 403 200"},
	})
}

// TestEditions_Vendors: a vendor manages its own products, orders, discussions and users,
// reads what all vendors share, and reaches no other row.
func TestEditions_Vendors(t *testing.T) { eachWholeShop(t, shopapi.MultiVendor, severalVendors) }

func severalVendors(t *testing.T, w *wholeShop) {
	t.Helper()
	company := func(name string) string {
		return `{"company": "` + name + `", "email": "` + name + `@example.com", "phone": "1", "address": "Quay 1", "city": "Oslo",
			"country": "NO", "state": "03", "zipcode": "0150"}`
	}
	w.make("kiln", "vendors", company("Kiln"))
	w.make("loom", "vendors", company("Loom"))
	w.make("cups", "categories", `{"category": "Cups"}`) // of company 1
	w.make("pots", "categories", `{"category": "Pots", "company_id": {kiln}}`)
	w.make("rugs", "categories", `{"category": "Rugs", "company_id": {loom}}`)
	w.make("mug", "products", `{"product": "Mug", "category_ids": [{pots}], "price": "9.50", "amount": 99, "company_id": {kiln}}`)
	w.make("rug", "products", `{"product": "Rug", "category_ids": [{rugs}], "price": "40", "amount": 99, "company_id": {loom}}`)
	w.make("kettle", "master_products", `{"product": "Kettle", "price": "35"}`)
	w.make("offer", "master_products/{kettle}/master_product_offers", `{"company_id": {kiln}, "price": "33"}`)
	w.name("offer", "products", w.ids["offer"])
	w.make("glaze", "features", `{"description": "Glaze", "feature_type": "T"}`) // of company 1
	w.make("weave", "features", `{"description": "Weave", "feature_type": "T", "company_id": {loom}}`)
	w.make("anna", "users", `{"email": "anna@example.com", "user_type": "C", "company_id": {kiln}}`)
	w.make("berit", "users", `{"email": "berit@example.com", "user_type": "C", "company_id": {loom}}`)
	w.make("invoice", "payments", `{"payment": "Invoice"}`)
	w.make("post", "shippings", `{"shipping": "Post"}`)
	w.make("vat", "taxes", `{"tax": "VAT"}`)
	w.make("staff", "usergroups", `{"usergroup": "Staff", "type": "C", "status": "A"}`)
	w.make("small", "orders", order("{mug}"))
	w.make("both", "orders", order("{mug}", "{rug}"))
	for _, part := range items(t, w.Get("/api/2.0/orders"), "orders") {
		id, of := strings.Trim(string(part["order_id"]), `"`), strings.Trim(string(part["company_id"]), `"`)
		if id != w.ids["small"] {
			w.name(map[string]string{w.ids["kiln"]: "kilnpart", w.ids["loom"]: "loompart"}[of], "orders", id)
		}
	}
	w.make("praise", "discussions", `{"object_type": "P", "object_id": {mug}, "message": "Holds heat"}`)
	w.make("call", "call_requests", `{"phone": "1", "company_id": {kiln}}`)
	w.make("about", "pages", `{"page": "About", "page_type": "T"}`) // of company 1
	w.make("story", "pages", `{"page": "Our story", "page_type": "T", "company_id": {kiln}}`)

	w.user("kiln", w.UserOf(2, w.everyRight()...))
	w.user("loom", w.UserOf(3, w.everyRight()...))
	w.user("packer", w.UserOf(2, "view_orders", "manage_orders"))
	w.user("clerk", w.User(clerkRights...))
	w.user("root", w.Client)

	w.sees(map[string]map[string]string{
		"products":                   {"kiln": "mug offer", "loom": "rug", "packer": "403", "clerk": "mug offer rug", "root": "mug offer rug"},
		"master_products":            {"kiln": "kettle", "loom": "kettle", "packer": "403", "clerk": "kettle", "root": "kettle"},
		"categories":                 {"kiln": "pots", "loom": "rugs", "packer": "403", "clerk": "cups pots rugs", "root": "cups pots rugs"},
		"features":                   {"kiln": "glaze", "loom": "glaze weave", "packer": "403", "clerk": "glaze weave", "root": "glaze weave"},
		"orders":                     {"kiln": "kilnpart small", "loom": "loompart", "packer": "kilnpart small", "clerk": "kilnpart loompart small", "root": "kilnpart loompart small"},
		"users":                      {"kiln": "anna", "loom": "berit", "packer": "403", "clerk": "403", "root": "anna berit"},
		"vendors":                    {"kiln": "kiln", "loom": "loom", "packer": "403", "clerk": "403", "root": "kiln loom"},
		"discussions":                {"kiln": "403", "loom": "403", "packer": "403", "clerk": "praise", "root": "praise"},
		"pages":                      {"kiln": "about story", "loom": "about", "packer": "403", "clerk": "403", "root": "about story"},
		"shippings":                  {"kiln": "post", "loom": "post", "packer": "403", "clerk": "403", "root": "post"},
		"call_requests":              {"kiln": "call", "loom": "-", "packer": "403", "clerk": "403", "root": "call"},
		"vendors/{kiln}/products":    {"kiln": "mug offer", "loom": "404", "packer": "403", "clerk": "403", "root": "mug offer"},
		"vendors/{kiln}/orders":      {"kiln": "kilnpart small", "loom": "404", "packer": "403", "clerk": "403", "root": "kilnpart small"},
		"products/{mug}/discussions": {"kiln": "praise", "loom": "404", "packer": "403", "clerk": "praise", "root": "praise"},
	})
	w.tries([]try{
		//                                                                  kiln loom packer clerk root
		{"GET", "products/{mug}", "", "200 404 403 200 200"},
		{"PUT", "products/{mug}", `{"product": "Mug of {user}"}`, "200 404 403 403 200"},
		{"DELETE", "products", `{"product": "Spare", "category_ids": [{pots}], "company_id": {kiln}}`, "204 404 403 403 204"},
		{"GET", "categories/{cups}", "", "404 404 403 200 200"},
		{"PUT", "categories/{cups}", `{"category": "Cups of {user}"}`, "404 404 403 403 200"},
		{"PUT", "categories/{pots}", `{"category": "Pots of {user}"}`, "200 404 403 403 200"},
		{"PUT", "features/{glaze}", `{"description": "Glaze of {user}"}`, "403 403 403 403 200"},
		{"PUT", "features/{weave}", `{"description": "Weave of {user}"}`, "404 200 403 403 200"},
		{"PUT", "shippings/{post}", `{"shipping": "Post of {user}"}`, "403 403 403 403 200"},
		{"DELETE", "shippings", `{"shipping": "Spare", "company_id": {kiln}}`, "204 404 403 403 204"},
		{"PUT", "pages/{about}", `{"page": "About {user}"}`, "403 403 403 403 200"},
		{"PUT", "pages/{story}", `{"page": "Story of {user}"}`, "200 404 403 403 200"},

		{"GET", "taxes/{vat}", "", "200 200 403 403 200"},
		{"PUT", "taxes/{vat}", `{"tax": "VAT of {user}"}`, "403 403 403 403 200"},
		{"GET", "payments/{invoice}", "", "200 200 403 403 200"},
		{"PUT", "payments/{invoice}", `{"payment": "Invoice of {user}"}`, "403 403 403 403 200"},
		{"GET", "statuses/1", "", "200 200 403 403 200"},
		{"PUT", "statuses/1", `{"description": "Paid says {user}"}`, "403 403 403 403 200"},
		{"GET", "usergroups/{staff}", "", "200 200 403 403 200"},
		{"PUT", "usergroups/{staff}", `{"usergroup": "Staff of {user}"}`, "403 403 403 403 200"},
		{"GET", "languages/1", "", "200 200 403 403 200"},
		{"PUT", "languages/1", `{"name": "English of {user}"}`, "403 403 403 403 200"},

		{"GET", "master_products/{kettle}", "", "200 200 403 200 200"},
		{"PUT", "master_products/{kettle}", `{"product": "Kettle of {user}"}`, "403 403 403 403 200"},
		{"DELETE", "master_products", `{"product": "Spare", "price": "1"}`, "403 403 403 403 204"},
		{"GET", "master_products/{kettle}/master_product_offers/{offer}", "", "200 404 403 200 200"},
		{"PUT", "master_products/{kettle}/master_product_offers/{offer}", `{"product_code": "{user}"}`, "200 404 403 403 200"},

		{"GET", "orders/{small}", "", "200 404 200 200 200"},
		{"PUT", "orders/{small}", `{"details": "{user}"}`, "200 404 200 200 200"},
		{"GET", "orders/{both}", "", "404 404 404 200 200"},
		{"PUT", "orders/{kilnpart}", `{"details": "{user}"}`, "200 404 200 200 200"},
		{"PUT", "orders/{loompart}", `{"details": "{user}"}`, "404 200 404 200 200"},
		{"DELETE", "orders", order("{mug}"), "403 403 403 204 204"},
		{"POST", "orders", order("{mug}"), "403 403 403 201 201"},

		{"PUT", "users/{anna}", `{"firstname": "{user}"}`, "200 404 403 403 200"},
		{"DELETE", "users", `{"email": "spare.{user}@example.com", "user_type": "C", "company_id": {loom}}`, "404 204 403 403 204"},
		{"GET", "discussions/{praise}", "", "403 403 403 200 200"},
		{"PUT", "products/{mug}/discussions/{praise}", `{"message": "Says {user}"}`, "200 404 403 403 200"},
		{"PUT", "call_requests/{call}", `{"name": "{user}"}`, "200 404 403 403 200"},

		{"PUT", "vendors/{kiln}", `{"phone": "{user}"}`, "200 404 403 403 200"},
		{"PUT", "vendors/{kiln}", `{"status": "P"}`, "403 404 403 403 200"},
		{"PUT", "vendors/{kiln}", `{"status": "P"}`, "200 404 403 403 200"}, // which it has
		{"PUT", "vendors/{kiln}", `{"status": "A"}`, "403 404 403 403 200"},
		{"DELETE", "vendors", company("Spare"), "403 403 403 403 204"},
		{"POST", "vendors", company("{user}"), "403 403 403 403 201"},

		{"GET", "settings", "", "403 403 403 403 200"},
		{"GET", "blocks", "", "403 403 403 403 200"},
		{"GET", "carts", "", "403 403 403 200 200"},
		{"GET", "stores", "", "404 404 404 404 404"},
		{"POST", "auth", `{"email": "anna@example.com"}`, "403 403 403 403 201"},
	})
}

// TestEditions_Storefronts: an administrator of one storefront manages its rows, and
// reads the rows that all storefronts share.
func TestEditions_Storefronts(t *testing.T) {
	eachWholeShop(t, shopapi.MultiStorefront, severalStorefronts)
}

func severalStorefronts(t *testing.T, w *wholeShop) {
	t.Helper()
	w.make("north", "stores", `{"company": "North", "storefront": "north.example.com"}`)
	w.make("south", "stores", `{"company": "South", "storefront": "south.example.com"}`)
	w.make("cups", "categories", `{"category": "Cups", "company_id": {north}}`)
	w.make("rugs", "categories", `{"category": "Rugs", "company_id": {south}}`)
	w.make("mug", "products", `{"product": "Mug", "category_ids": [{cups}], "price": "9.50", "amount": 99, "company_id": {north}}`)
	w.make("rug", "products", `{"product": "Rug", "category_ids": [{rugs}], "price": "40", "amount": 99, "company_id": {south}}`)
	w.make("glaze", "features", `{"description": "Glaze", "feature_type": "T", "company_id": {north}}`)
	w.make("weave", "features", `{"description": "Weave", "feature_type": "T", "company_id": {south}}`)
	w.make("anna", "users", `{"email": "anna@example.com", "user_type": "C", "company_id": {north}}`)
	w.make("berit", "users", `{"email": "berit@example.com", "user_type": "C", "company_id": {south}}`)
	w.make("invoice", "payments", `{"payment": "Invoice", "company_id": {north}}`)
	w.make("post", "shippings", `{"shipping": "Post", "company_id": {north}}`)
	w.make("vat", "taxes", `{"tax": "VAT"}`)
	w.make("staff", "usergroups", `{"usergroup": "Staff", "type": "C", "status": "A"}`)
	ofNorth := strings.Replace(order("{mug}"), "{", `{"company_id": {north}, `, 1)
	w.make("small", "orders", ofNorth)
	w.make("praise", "discussions", `{"object_type": "P", "object_id": {mug}, "message": "Holds heat"}`)
	w.make("call", "call_requests", `{"phone": "1", "company_id": {north}}`)
	w.make("about", "pages", `{"page": "About", "page_type": "T", "company_id": {north}}`)
	w.make("first", "pages", `{"page": "First", "page_type": "T", "company_id": 1}`)
	w.make("van", "shippings", `{"shipping": "Van", "company_id": 1}`) // the first storefront shares nothing with others
	w.make("banner", "blocks", `{"type": "main", "name": "Banner", "properties": {"template": "x.tpl"}, "company_id": {north}}`)

	w.user("north", w.UserOf(2, w.everyRight()...))
	w.user("south", w.UserOf(3, w.everyRight()...))
	w.user("packer", w.UserOf(2, "view_orders", "manage_orders"))
	w.user("clerk", w.User(clerkRights...)) // of all storefronts
	w.user("root", w.Client)

	w.sees(map[string]map[string]string{
		"products":                {"north": "mug", "south": "rug", "packer": "403", "clerk": "mug rug", "root": "mug rug"},
		"categories":              {"north": "cups", "south": "rugs", "packer": "403", "clerk": "cups rugs", "root": "cups rugs"},
		"features":                {"north": "glaze", "south": "weave", "packer": "403", "clerk": "glaze weave", "root": "glaze weave"},
		"orders":                  {"north": "small", "south": "-", "packer": "small", "clerk": "small", "root": "small"},
		"users":                   {"north": "anna", "south": "berit", "packer": "403", "clerk": "403", "root": "anna berit"},
		"stores":                  {"north": "north", "south": "south", "packer": "403", "clerk": "403", "root": "north south"},
		"discussions":             {"north": "praise", "south": "-", "packer": "403", "clerk": "praise", "root": "praise"},
		"pages":                   {"north": "about", "south": "-", "packer": "403", "clerk": "403", "root": "about first"},
		"shippings":               {"north": "post", "south": "-", "packer": "403", "clerk": "403", "root": "post van"},
		"call_requests":           {"north": "call", "south": "-", "packer": "403", "clerk": "403", "root": "call"},
		"stores/{north}/products": {"north": "mug", "south": "404", "packer": "403", "clerk": "403", "root": "mug"},
		"stores/{north}/orders":   {"north": "small", "south": "404", "packer": "403", "clerk": "403", "root": "small"},
		"stores/{south}/orders":   {"north": "404", "south": "-", "packer": "403", "clerk": "403", "root": "-"},
		"vendors":                 {"north": "404", "south": "404", "packer": "404", "clerk": "404", "root": "404"},
		"master_products":         {"north": "404", "south": "404", "packer": "404", "clerk": "404", "root": "404"},
	})
	w.tries([]try{
		//                                                                   north south packer clerk root
		{"GET", "products/{mug}", "", "200 404 403 200 200"},
		{"PUT", "products/{mug}", `{"product": "Mug of {user}"}`, "200 404 403 403 200"},
		{"DELETE", "products", `{"product": "Spare", "category_ids": [{cups}], "company_id": {north}}`, "204 404 403 403 204"},
		{"PUT", "categories/{cups}", `{"category": "Cups of {user}"}`, "200 404 403 403 200"},
		{"PUT", "features/{glaze}", `{"description": "Glaze of {user}"}`, "200 404 403 403 200"},
		{"PUT", "shippings/{post}", `{"shipping": "Post of {user}"}`, "200 404 403 403 200"},
		{"PUT", "pages/{about}", `{"page": "About {user}"}`, "200 404 403 403 200"},
		{"GET", "pages/{first}", "", "404 404 403 403 200"},
		{"PUT", "pages/{first}", `{"page": "First of {user}"}`, "404 404 403 403 200"},
		{"PUT", "shippings/{van}", `{"shipping": "Van of {user}"}`, "404 404 403 403 200"},
		{"PUT", "blocks/{banner}", `{"name": "Banner of {user}"}`, "200 404 403 403 200"},

		{"GET", "taxes/{vat}", "", "200 200 403 403 200"},
		{"PUT", "taxes/{vat}", `{"tax": "VAT of {user}"}`, "403 403 403 403 200"},
		{"GET", "payments/{invoice}", "", "200 404 403 403 200"},
		{"PUT", "payments/{invoice}", `{"payment": "Invoice of {user}"}`, "403 403 403 403 200"},
		{"PUT", "statuses/1", `{"description": "Paid says {user}"}`, "403 403 403 403 200"},
		{"PUT", "stores/{north}/statuses/1", `{"email_subj": "Paid at {user}"}`, "200 404 403 403 200"},
		{"GET", "usergroups/{staff}", "", "200 200 403 403 200"},
		{"PUT", "usergroups/{staff}", `{"usergroup": "Staff of {user}"}`, "403 403 403 403 200"},
		{"PUT", "languages/1", `{"name": "English of {user}"}`, "403 403 403 403 200"},

		{"GET", "orders/{small}", "", "200 404 200 200 200"},
		{"PUT", "orders/{small}", `{"details": "{user}"}`, "200 404 200 200 200"},
		{"PUT", "stores/{north}/orders/{small}", `{"details": "Below {user}"}`, "200 404 403 403 200"},
		{"GET", "stores/{south}/orders/{small}", "", "404 404 403 403 404"},
		{"DELETE", "orders", ofNorth, "204 404 204 204 204"},
		{"POST", "orders", ofNorth, "201 400 201 201 201"},

		{"PUT", "users/{anna}", `{"firstname": "{user}"}`, "200 404 403 403 200"},
		{"PUT", "discussions/{praise}", `{"message": "Says {user}"}`, "200 404 403 403 200"},
		{"PUT", "call_requests/{call}", `{"name": "{user}"}`, "200 404 403 403 200"},

		{"PUT", "stores/{north}", `{"company": "North of {user}"}`, "200 404 403 403 200"},
		{"DELETE", "stores", `{"company": "Spare", "storefront": "spare.{user}.example.com"}`, "403 403 403 403 204"},
		{"POST", "stores", `{"company": "{user}", "storefront": "{user}.example.com"}`, "403 403 403 403 201"},
		{"GET", "settings", "", "200 200 403 403 200"},
		{"POST", "auth", `{"email": "anna@example.com"}`, "201 404 403 403 201"},
	})

	// A storefront's administrator changes only the storefront's value of a setting.
	before := w.Get("/api/2.0/settings/1").Field("value")
	status(t, w.users["north"].Put("/api/2.0/settings/1", `{"value": "7"}`), 200)
	for column, want := range map[string]string{"north": "7", "south": before, "root": before} {
		same(t, w.users[column].Get("/api/2.0/settings/1").Field("value"), want)
	}
}

// TestEditions_EveryEntityAnswers: each entity of the specification's list exists in its
// editions only.
func TestEditions_EveryEntityAnswers(t *testing.T) {
	below := map[string]string{"master_product_offers": "master_products/1/"} // entities without an address of their own
	only := map[string]shopapi.Edition{
		"stores": shopapi.MultiStorefront, "vendors": shopapi.MultiVendor,
		"master_products": shopapi.MultiVendor, "master_product_offers": shopapi.MultiVendor,
	}
	same(t, len(entityNames), 29)
	for _, edition := range []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor} {
		eachWholeShop(t, edition, func(t *testing.T, w *wholeShop) {
			w.make("cups", "categories", `{"category": "Cups", "company_id": 1}`)
			w.make("mug", "products", `{"product": "Mug", "category_ids": [1], "company_id": 1}`)
			if edition == shopapi.MultiVendor {
				w.make("kettle", "master_products", `{"product": "Kettle", "price": "35"}`)
				below["master_product_offers"] = "master_products/2/"
			}
			for _, name := range entityNames {
				want := 200
				if e, limited := only[name]; limited && e != edition && (name != "stores" || edition != shopapi.SingleStore) { // §27: the only store
					want = 404
				}
				a := w.Get("/api/2.0/" + below[name] + name + "?product_id=1")
				if name == "auth" { // it has no objects
					a, want = w.Post("/api/2.0/auth", `{"email": "root@example.com"}`), 201
				}
				if a.Status != want {
					t.Errorf("edition %v: %s answered %d %s, want %d", edition, name, a.Status, a.Body, want)
				}
			}
		})
	}
}
