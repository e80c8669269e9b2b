package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/webhooks"
)

// newFullShop returns the shop of newShop with objects of every entity, as far as one request
// makes them.
func newFullShop(t *testing.T) *apitest.Shop {
	t.Helper()
	o := everything()
	o.Webhooks = webhooks.Options{On: true}
	s := newShopWith(t, o)
	for _, post := range [][2]string{
		{"taxes", `{"tax": "VAT"}`},
		{"usergroups", `{"usergroup": "Order desk", "type": "A", "status": "A", "privileges": ["view_orders"]}`},
		{"languages", `{"lang_code": "de", "name": "Deutsch", "country_code": "DE"}`},
		{"langvars", `{"name": "print_total", "value": "Grand total", "lang_code": "en"}`},
		{"features", `{"description": "Glaze", "feature_type": "S", "purpose": "group_catalog_item", "variants": [{"variant": "Ash"}, {"variant": "Cobalt"}]}`},
		{"options", `{"product_id": 2, "option_name": "Size", "option_type": "S", "inventory": "Y", "variants": {"1": {"variant_name": "Small"}, "2": {"variant_name": "Large"}}}`},
		{"combinations", `{"product_id": 2, "combination": {"1": 1}, "product_code": "S", "amount": 4}`},
		{"exceptions", `{"product_id": 2, "combination": {"1": 2}}`},
		{"pages", `{"page": "Delivery", "page_type": "T", "description": "<p>Two days.</p>"}`},
		{"blocks", `{"name": "Offers", "type": "html_block", "content": {"content": "<p>Bowls.</p>"}, "properties": {"template": "blocks/html_block.tpl"}}`},
		{"call_requests", `{"name": "Ana", "phone": "+10000000001"}`},
		{"webhooks", `{"url": "https://erp.example.com/in", "events": "orders.*"}`},
		{"shipments", `{"order_id": 1, "shipping_id": 1, "products": {}}`},
	} {
		if a := s.Post("/api/2.0/"+post[0], post[1]); a.Status != 201 && post[0] != "shipments" {
			t.Errorf("POST %s answers %d %s", post[0], a.Status, a.Body)
		}
	}
	for i, id := range []string{"3", "4"} {
		s.Put("/api/2.0/products/"+id, fmt.Sprintf(`{"product_features": {"1": %d}}`, i+1))
	}
	s.Post("/api/2.0/product_variations_groups", `{"product_ids": [3, 4], "features": [{"feature_id": 1, "purpose": "group_catalog_item"}]}`)
	s.Put("/api/2.0/orders/2", `{"status": "P"}`)
	s.Post("/api/2.0/orders/2/issue_invoice", `{}`)
	s.Post("/api/2.0/orders/2/issue_credit_memo", `{}`)
	return s
}

// everyPage returns the addresses of the console's pages: the first page, and each entity's
// list, one object with what lies below it, and the form of a new one.
func everyPage(s *apitest.Shop) []string {
	pages := []string{"#/", "#/products/2/options", "#/products/2/combinations", "#/products/1/discussions", "#/products/1/features", "#/nothing"}
	for _, d := range s.Descriptions() {
		if !slices.Contains(d.Operations, shopapi.OpList) {
			continue
		}
		pages = append(pages, "#/"+d.Name)
		for _, id := range []string{"1", "2", "3"} {
			if slices.Contains(d.Operations, shopapi.OpGet) && s.Get("/api/2.0/"+d.Name+"/"+id).Status == 200 {
				pages = append(pages, "#/"+d.Name+"/"+id)
				break
			}
		}
		if slices.Contains(d.Operations, shopapi.OpCreate) {
			pages = append(pages, "#/"+d.Name+"/new")
		}
	}
	return append(pages, "#/orders/2")
}

// TestE12_Axe: axe finds no violation of WCAG 2.2 AA or of its best practices on a page, nor in a
// state of it: dialogs, forms that are open, papers, problems. Every page, also in the dark and on a
// phone, is looked at where SHOPAPI_EVERY_PAGE is set.
func TestE12_Axe(t *testing.T) {
	t.Parallel()
	needsNode(t)
	chromium(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/axe")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	axe, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	s := newStaffShop(t)
	check := func(b *browser, page string) {
		b.t.Helper()
		b.do(chromedp.Evaluate(`document.getAnimations().forEach(a => a.finish()); document.querySelectorAll("details").forEach(d => { d.open = true; })`, nil))
		var found []struct{ ID, Help, HTML string }
		b.do(chromedp.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => ({id: v.id, help: v.help, html: v.nodes.map(n => n.html.slice(0, 160)).slice(0, 3).join("\n")})))`, &found,
			func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
		for _, v := range found {
			b.t.Errorf("%s: %s (%s):\n%s", page, v.ID, v.Help, v.HTML)
		}
	}
	pages := []string{"#/products/new", "#/product_variations/3", "#/product_variations_groups/1", "#/products/2/combinations", "#/shipments", "#/nothing"}
	if os.Getenv("SHOPAPI_EVERY_PAGE") != "" {
		pages = everyPage(s)
	}
	all := states(s)
	for name, c := range map[string]struct {
		scheme string
		width  int64
	}{"light": {"light", desk}, "dark": {"dark", desk}, "phone": {"light", phone}} {
		if name != "light" && os.Getenv("SHOPAPI_EVERY_PAGE") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := open(t, s, desk, tall)
			b.scheme = c.scheme
			b.emulates("")
			b.do(chromedp.EmulateViewport(c.width, tall))
			b.goTo("")
			b.sees("label", "API key")
			b.do(chromedp.Evaluate(string(axe), nil))
			check(b, "signing in")
			b.signIn(s.Email, s.Key)
			b.sees("figcaption", "Orders per day")
			b.do(chromedp.Evaluate(string(axe), nil))
			for _, page := range pages {
				b.visit(page)
				check(b, page)
			}
			for _, st := range all {
				b.opens(st)
				check(b, st.name)
			}
		})
	}
}

// TestE12_StoredScripts: markup and scripts in every text field that the API stores are shown as
// text: no page runs them, or has an element of them.
func TestE12_StoredScripts(t *testing.T) {
	t.Parallel()
	const script = `"'><script>window.ran = 1</script><img src=x onerror="window.ran = 1"><svg onload="window.ran = 1">`
	s := newFullShop(t)
	fields, entities := 0, map[string]bool{}
	for _, page := range everyPage(s) {
		address := "/api/2.0/" + strings.TrimPrefix(page, "#/")
		var object map[string]any
		if a := s.Get(address); strings.HasPrefix(page, "#/settings") || a.Status != 200 || json.Unmarshal([]byte(a.Body), &object) != nil || object["params"] != nil {
			continue
		}
		for name, v := range object {
			old, isText := v.(string)
			if !isText || name == "status" || name == "email" {
				continue
			}
			value := script
			if strings.HasPrefix(old, "https://") {
				value = "javascript:window.ran=1"
			}
			body, err := json.Marshal(map[string]string{name: value})
			if err != nil {
				t.Fatal(err)
			}
			if s.Put(address, string(body)).Status == 200 && strings.Contains(s.Get(address).Body, "window.ran") {
				fields++
				entities[strings.Split(address, "/")[3]] = true
			}
		}
	}
	t.Logf("%d fields of %d entities have a script", fields, len(entities))
	if fields < 50 || len(entities) < 12 {
		t.Errorf("only %d fields of %d entities took a script", fields, len(entities))
	}
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	shown := 0
	for _, page := range everyPage(s) {
		if strings.HasSuffix(page, "/new") { // which shows nothing that is stored
			continue
		}
		b.visit(page)
		if evaluate[bool](b, `"ran" in window || document.querySelector("img[src=x], svg[onload], #page script, a[href^='javascript:' i]") !== null`) {
			t.Errorf("%s runs a stored script, or has an element of it", page)
		}
		if strings.Contains(evaluate[string](b, `document.querySelector("#page").textContent + [...document.querySelectorAll("#page input, #page textarea")].map(e => e.value).join()`), "window.ran") {
			shown++
		}
	}
	t.Logf("%d pages show a script as text", shown)
	if shown < 20 {
		t.Errorf("only %d pages show a script", shown)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
