package e2e

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/webhooks"
)

// scripted are the texts that scriptedShop stores, by their numbers.
type scripted map[string]string

// text returns an element with a script, which says the number of what it is stored as. It is short
// enough for a postal code.
func (m scripted) text(of string) string {
	n := fmt.Sprint(100 + len(m))
	m[n] = of
	return `\"><img src=x onerror=ran=` + n + `>`
}

// scriptedShop returns a shop with scripts as texts, also in the parts of objects: variants, addresses,
// lines, papers, notes, histories, words for print, fields of the host.
func scriptedShop(t *testing.T) (*apitest.Shop, scripted) {
	t.Helper()
	o := everything()
	o.Webhooks = webhooks.Options{On: true}
	o.CustomFields = map[string][]shopapi.CustomField{
		"products": {{Name: "x_care", Type: shopapi.CustomText}}, "orders": {{Name: "x_door", Type: shopapi.CustomText}}, "users": {{Name: "x_rank", Type: shopapi.CustomText}},
	}
	o.CustomerFields = []shopapi.CustomField{{Name: "b_floor", Type: shopapi.CustomText}}
	s := newShopWith(t, o)
	m := scripted{}
	send := func(method, address, body string) {
		t.Helper()
		// $name in a body is a script that is stored as name.
		body = regexp.MustCompile(`\$(\w+)`).ReplaceAllStringFunc(body, func(name string) string { return m.text(address + " " + name[1:]) })
		if a := s.Do(method, "/api/2.0/"+address, "application/json", body); a.Status >= 300 {
			t.Errorf("%s %s %s answers %d %s", method, address, body, a.Status, a.Body)
		}
	}
	address := func(prefix string) string {
		var b strings.Builder
		for _, name := range []string{"firstname", "lastname", "address", "address_2", "city", "zipcode", "phone"} {
			fmt.Fprintf(&b, `, "%s%s": "$%[1]s%[2]s"`, prefix, name)
		}
		return b.String() + `, "` + prefix + `country": "NO"`
	}
	for _, r := range [][3]string{
		{"POST", "languages", `{"lang_code": "de", "name": "$name", "country_code": "DE"}`},
		{"POST", "taxes", `{"tax": "$tax", "regnumber": "$regnumber"}`},
		{"PUT", "payments/1", `{"payment": "$payment", "description": "$description", "instructions": "$instructions"}`},
		{"PUT", "shippings/1", `{"shipping": "$shipping", "delivery_time": "$delivery_time"}`},
		{"PUT", "statuses/1", `{"description": "$description"}`},
		{"POST", "usergroups", `{"usergroup": "$usergroup", "type": "A", "status": "A", "privileges": ["view_orders"]}`},
		{"PUT", "categories/2", `{"category": "$category", "description": "$description", "page_title": "$page_title"}`},
		{"POST", "features", `{"description": "$description", "feature_type": "S", "purpose": "group_catalog_item", "prefix": "$prefix", "suffix": "$suffix", "variants": [{"variant": "$variant"}, {"variant": "$other"}]}`},
		{"POST", "options", `{"product_id": 2, "option_name": "$option_name", "option_type": "S", "inventory": "Y", "description": "$description", "comment": "$comment", "variants": {"1": {"variant_name": "$variant_name"}}}`},
		{"POST", "options", `{"product_id": 2, "option_name": "$text", "option_type": "I"}`},
		{"POST", "combinations", `{"product_id": 2, "combination": {"1": 1}, "product_code": "$product_code", "amount": 40}`},
		{"PUT", "products/2", `{"product": "$product", "product_code": "$product_code", "full_description": "<p>$full_description</p>", "x_care": "$x_care", "search_words": "$search_words",
			"main_pair": {"detailed": {"image_path": "/drawing.svg", "alt": "$alt"}}}`},
		{"PUT", "products/2?sl=de", `{"product": "$german"}`},
		{"PUT", "products/3", `{"product_features": {"1": 1}}`},
		{"PUT", "products/4", `{"product_features": {"1": 2}, "main_pair": {"detailed": {"image_path": "https://elsewhere.example/a.png", "alt": "$link"}}}`},
		{"POST", "product_variations_groups", `{"code": "G1", "product_ids": [3, 4], "features": [{"feature_id": 1, "purpose": "group_catalog_item"}]}`},
		{"POST", "pages", `{"page": "$page", "page_type": "T", "description": "$description"}`},
		{"POST", "blocks", `{"name": "$name", "type": "html_block", "content": {"content": "$content"}, "properties": {"template": "blocks/html_block.tpl"}}`},
		{"POST", "call_requests", `{"name": "$name", "phone": "$phone", "notes": "$notes"}`},
		{"POST", "webhooks", `{"url": "https://erp.example.com/in", "events": "orders.*", "description": "$description"}`},
		{"PUT", "discussions/1", `{"name": "$name", "message": "$message"}`},
		{"POST", "users/1/keys", `{"note": "$note"}`},
		{"PUT", "users/1", `{"firstname": "$firstname", "lastname": "$lastname"}`},
		{"POST", "users", `{"user_type": "C", "email": "lee@example.org", "firstname": "$firstname", "lastname": "$lastname", "company": "$company", "phone": "$phone", "x_rank": "$x_rank", "b_floor": "$b_floor"` +
			address("b_") + address("s_") + `}`},
		{"POST", "orders", `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "notes": "$notes", "x_door": "$x_door", "products": {"1": {"product_id": 2, "amount": 2, "product_options": {"1": 1, "2": "$chosen"}}}}`},
		{"POST", "langvars", `{"name": "print_invoice", "value": "$invoice", "lang_code": "en"}`},
		{"POST", "langvars", `{"name": "print_product", "value": "$product", "lang_code": "en"}`},
	} {
		send(r[0], r[1], r[2])
	}
	for _, name := range []string{"company_name", "company_address", "company_city"} {
		send("PUT", "settings/"+settingID(s, name), `{"value": "$`+name+`"}`)
	}
	order := "orders/" + orderOfLee(s)
	send("PUT", order, `{"status": "P", "details": "$details"}`)
	line := regexp.MustCompile(`"item_id":"(\d+)"`).FindStringSubmatch(s.Get("/api/2.0/" + order).Body)
	if line == nil {
		t.Fatalf("the order has no line: %s", s.Get("/api/2.0/"+order).Body)
	}
	send("POST", "shipments", `{"order_id": `+strings.TrimPrefix(order, "orders/")+`, "shipping_id": 1, "products": {"`+line[1]+`": 1}, "tracking_number": "$tracking_number", "carrier": "$carrier", "comments": "$comments"}`)
	send("POST", order+"/issue_invoice", `{}`)
	send("POST", order+"/issue_credit_memo", `{"total": "5.00"}`)
	return s, m
}

// TestE12_DeepScripts: scripts in the parts of objects never run, and become no element, on any page
// that shows them: lists, forms, tables, pickers, the search, and papers.
func TestE12_DeepScripts(t *testing.T) {
	t.Parallel()
	s, stored := scriptedShop(t)
	order := "#/orders/" + orderOfLee(s)
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	shown := map[string]bool{}
	numbers := regexp.MustCompile(`onerror=ran=(\d+)`)
	look := func(at string) {
		t.Helper()
		if evaluate[bool](b, `"ran" in window || document.querySelector("img[src=x], #page script, a[href^='javascript:' i]") !== null`) {
			t.Errorf("%s runs a stored script, or has an element of it", at)
		}
		text := evaluate[string](b, `document.documentElement.textContent + [...document.querySelectorAll("input, textarea, [aria-label], [alt], [title]")].map(e => [e.value, e.ariaLabel, e.alt, e.title].join()).join()`)
		for _, n := range numbers.FindAllStringSubmatch(text, -1) {
			shown[n[1]] = true
		}
	}
	pages := append(everyPage(s), order, order+"/history", "#/categories/2", "#/products/2?sl=de", "#/products/2/options/1", "#/features/1/variants", "#/users/2", "#/products/new", "#/orders/new")
	for _, page := range slices.Compact(pages) {
		if strings.HasSuffix(page, "/new") && page != "#/orders/new" && page != "#/users/new" && page != "#/products/new" {
			continue
		}
		b.visit(page)
		b.do(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => { d.open = true; })`, nil))
		look(page)
	}

	h := b.task(t)
	b.visit(order)
	b.do(chromedp.Evaluate(`window.print = () => {}`, nil))
	for _, button := range []string{"li:first-child button", "li:last-child button", ".actions button"} {
		h.click("section[aria-labelledby=papers] "+button, "")
		h.waits(`document.querySelector("#paper td") !== null`, "a paper")
		look("the paper of " + button)
		b.do(chromedp.Evaluate(`document.querySelector("#paper").remove()`, nil))
	}
	b.visit("#/taxes")
	for _, text := range []string{"lee@", `"><img src`} {
		h.click("site-search input", "")
		h.types(text)
		h.waits(`document.querySelector("site-search [role=listbox]") !== null`, "what the search finds")
		look("the search for " + text)
		b.do(chromedp.Evaluate(`document.querySelector("site-search input").value = ""`, nil))
	}
	b.visit("#/orders/new")
	h.click("object-picker[entity=users] input", "")
	h.types("lee@")
	h.waits(`document.querySelector("object-picker [role=option]") !== null`, "the customer")
	look("the picker of customers")
	b.visit("#/products/2")
	h.click("object-picker[name=category_ids] .tree-button", "")
	h.waits(`document.querySelector("tree-picker [role=treeitem]") !== null`, "the tree")
	look("the tree of categories")
	h.click("button[aria-keyshortcuts]", "⌘")
	h.waits(`document.querySelector("command-palette [role=option]") !== null`, "the commands")
	look("the commands")

	for _, n := range slices.Sorted(maps.Keys(stored)) {
		if !shown[n] {
			t.Errorf("no page shows %s: the test does not know whether it would run", stored[n])
		}
	}
	t.Logf("%d texts were shown, each with a script", len(shown))
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
