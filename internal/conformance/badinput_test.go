package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// rowCounts counts the rows of each table.
func rowCounts(t *testing.T, st store.Store) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		for _, table := range shop.Schemas() {
			n, err := tx.Count(table, nil)
			if err != nil {
				return err
			}
			counts[table.Name] = n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

// TestBadInput_CompaniesAndContent: each of these is refused with the invalid field, and
// changes nothing (decisions §5, §21, §23).
func TestBadInput_CompaniesAndContent(t *testing.T) {
	eachWholeShop(t, shopapi.MultiVendor, func(t *testing.T, w *wholeShop) {
		company := `"email": "a@example.com", "phone": "1", "address": "Quay 1", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"`
		w.make("kiln", "vendors", `{"company": "Kiln", `+company+`}`)
		w.make("loom", "vendors", `{"company": "Loom", `+company+`}`)
		w.make("cups", "categories", `{"category": "Cups"}`)
		w.make("pots", "categories", `{"category": "Pots", "company_id": {kiln}}`)
		w.make("mug", "products", `{"product": "Mug", "category_ids": [{pots}], "price": "9.50", "amount": 99, "company_id": {kiln}}`)
		w.make("kettle", "master_products", `{"product": "Kettle", "price": "35"}`)
		w.make("anna", "users", `{"email": "anna@example.com", "user_type": "C"}`)
		w.make("invoice", "payments", `{"payment": "Invoice"}`)
		w.make("post", "shippings", `{"shipping": "Post"}`)
		w.make("small", "orders", order("{mug}"))
		w.make("about", "pages", `{"page": "About", "page_type": "T"}`)
		w.make("team", "pages", `{"page": "Team", "page_type": "T", "parent_id": {about}}`)
		w.make("jobs", "pages", `{"page": "Jobs", "page_type": "T", "parent_id": {team}}`)
		w.make("banner", "blocks", `{"type": "main", "name": "Banner", "properties": {"template": "x.tpl"}}`)
		for _, setting := range items(t, w.Get("/api/2.0/settings?items_per_page=100"), "settings") {
			w.ids[strings.Trim(string(setting["name"]), `"`)] = strings.Trim(string(setting["object_id"]), `"`)
		}
		vendor := w.UserOf(2, w.everyRight()...)

		for _, x := range []struct {
			by                       *apitest.Client
			method, address, payload string
			status                   int
			says                     string // in the response: for a 400, the invalid field
		}{
			{w.Client, "DELETE", "vendors/{kiln}", "", 400, "belong to it"},
			{w.Client, "DELETE", "vendors/1", "", 400, "cannot be deleted"},
			{vendor, "DELETE", "vendors/{kiln}", "", 403, "administrators"},
			{vendor, "POST", "vendors", `{"company": "Mine", ` + company + `}`, 403, "administrators"},
			{vendor, "POST", "master_products", `{"product": "Mine", "price": "1"}`, 403, "Vendors"},
			{vendor, "PUT", "master_products/{kettle}", `{"product": "Mine"}`, 403, "Vendors"},
			{vendor, "DELETE", "master_products/{kettle}", "", 403, "Vendors"},
			{vendor, "GET", "vendors/{loom}", "", 404, ""},
			{vendor, "POST", "vendors/{loom}/products", `{"product": "Mine", "category_ids": [{pots}]}`, 404, ""},
			{w.Client, "PUT", "products/{mug}", `{"company_id": 99}`, 400, `"company_id"`},
			{w.Client, "POST", "master_products/{kettle}/master_product_offers", `{"company_id": 99}`, 400, `"company_id"`},
			{w.Client, "POST", "master_products/{kettle}/master_product_offers", `{"price": 1}`, 400, `"company_id"`},
			{w.Client, "POST", "orders", order("{mug}", "{kettle}"), 400, `"products[{kettle}]"`},
			{w.Client, "PUT", "orders/{small}", `{"products": {"{kettle}": {"amount": 1}}}`, 400, `"products[{kettle}]"`},

			{w.Client, "PUT", "settings/{items_per_page}", `{"value": "many"}`, 400, `"value"`},
			{w.Client, "PUT", "settings/{items_per_page}", `{"value": ["7"]}`, 400, `"value"`},
			{w.Client, "PUT", "settings/{items_per_page}", `{"value": 0}`, 400, `"value"`},
			{w.Client, "PUT", "settings/{allow_negative_amount}", `{"value": "perhaps"}`, 400, `"value"`},
			{w.Client, "PUT", "settings/{timezone}", `{"value": "../../etc/passwd"}`, 400, `"value"`},
			{w.Client, "PUT", "settings/{currency}", `{"value": {"code": "EUR"}}`, 400, `"value"`},
			{w.Client, "POST", "settings", `{"name": "mine", "value": "1"}`, 405, ""},
			{w.Client, "DELETE", "settings/{currency}", "", 405, ""},

			{w.Client, "PUT", "pages/{about}", `{"parent_id": {about}}`, 400, `"parent_id"`},
			{w.Client, "PUT", "pages/{about}", `{"parent_id": {team}}`, 400, `"parent_id"`},
			{w.Client, "PUT", "pages/{about}", `{"parent_id": {jobs}, "page": "Changed"}`, 400, `"parent_id"`},
			{w.Client, "PUT", "pages/{jobs}", `{"parent_id": 99}`, 400, `"parent_id"`},
			{w.Client, "PUT", "blocks/{banner}", `{"properties": {"text": "no template"}, "name": "Changed"}`, 400, `"properties"`},
			{w.Client, "PUT", "blocks/{banner}", `{"type": "no_such_type"}`, 400, `"type"`},

			{w.Client, "POST", "auth", `{"email": "anna@example.com", "redirect_url": "https://evil.example/"}`, 400, `"redirect_url"`},
			{w.Client, "POST", "auth", `{"email": "anna@example.com", "redirect_url": "//evil.example"}`, 400, `"redirect_url"`},
			{w.Client, "POST", "auth", `{"email": "anna@example.com", "redirect_url": "/\\evil.example"}`, 400, `"redirect_url"`},
			{w.Client, "POST", "auth", `{"email": "anna@example.com", "redirect_url": "javascript:alert(1)"}`, 400, `"redirect_url"`},
			{w.Client, "POST", "auth", `{"email": "anna@example.com", "redirect_url": "https://shop.example.com.evil.example/in"}`, 400, `"redirect_url"`},
			{w.Client, "POST", "auth", `{"redirect_url": "/orders"}`, 400, `"email"`},
			{w.Client, "POST", "auth", `{"email": "nobody@example.com"}`, 404, ""},
			{vendor, "POST", "auth", `{"email": "anna@example.com"}`, 403, ""},
		} {
			rule := x.method + " " + x.address + " " + x.payload
			stored, seen := rowCounts(t, w.store), w.everything()
			w.Events()
			a := x.by.Do(x.method, "/api/2.0/"+w.named(x.address), "application/json", w.named(x.payload))
			if a.Status != x.status || !strings.Contains(a.Body, w.named(x.says)) {
				t.Errorf("%s is answered %d %s, want %d and %s", rule, a.Status, a.Body, x.status, x.says)
			}
			if events := w.Events(); len(events) > 0 {
				t.Errorf("%s: the observer is told of %v", rule, events)
			}
			same(t, rowCounts(t, w.store), stored)
			same(t, w.everything(), seen)
		}

		// A vendor creates only its own objects, whichever company the payload names.
		made := vendor.Post("/api/2.0/products", w.named(`{"product": "Jug", "category_ids": [{pots}], "company_id": {loom}}`))
		status(t, made, 201)
		same(t, w.Get("/api/2.0/products/"+made.Field("product_id")).Field("company_id"), w.ids["kiln"])
	})
}

// everything returns the named objects as root sees them.
func (w *wholeShop) everything() string {
	var b strings.Builder
	for _, object := range slices.Sorted(maps.Keys(w.names)) {
		b.WriteString(w.Get("/api/2.0/"+object).Body + "\n")
	}
	b.WriteString(w.Get("/api/2.0/settings?items_per_page=100").Body)
	return b.String()
}

// TestBadInput_FlagsSayWhatIsAllowed: the error of a flag names the allowed values (decisions §5).
func TestBadInput_FlagsSayWhatIsAllowed(t *testing.T) {
	s := apitest.New(t, nil)
	for address, payload := range map[string]string{
		"users": `{"email": "anna@example.com", "user_type": "C", "tax_exempt": %q}`,
		"taxes": `{"tax": "VAT", "price_includes_tax": %q}`,
	} {
		for _, value := range []string{"", " ", "yes"} {
			a := s.Post("/api/2.0/"+address, fmt.Sprintf(payload, value))
			if status(t, a, 400); !strings.Contains(a.Body, `must be Y or N`) {
				t.Errorf("POST %s with %q: %s", address, value, a.Body)
			}
		}
	}
}

// TestBadInput_Markup: HTML and scripts are stored unchanged, and are data in responses:
// JSON that no browser interprets as a page.
func TestBadInput_Markup(t *testing.T) {
	const markup = `<script>alert("1")</script><img src=x onerror='alert(2)'>{{ .Secret }}${7*7}<!--#exec cmd=\"ls\"--> & <b>bold</b>`
	eachStore(t, &shop.Options{}, func(t *testing.T, s *apitest.Shop, _ store.Store) {
		stock(t, s)
		quoted := fmt.Sprintf("%q", markup)
		for _, x := range []struct{ entity, id, field, payload string }{
			{"pages", "page_id", "description", `{"page": ` + quoted + `, "page_type": "T", "description": ` + quoted + `}`},
			{"pages", "page_id", "page", `{"page": ` + quoted + `, "page_type": "B"}`},
			{"blocks", "block_id", "name", `{"name": ` + quoted + `, "type": "html_block", "properties": {"template": "x.tpl"}}`},
			{"products", "product_id", "full_description", `{"product": "Bowl", "category_ids": [1], "full_description": ` + quoted + `}`},
			{"categories", "category_id", "description", `{"category": "Bowls", "description": ` + quoted + `}`},
			{"discussions", "post_id", "message", `{"object_type": "P", "object_id": 1, "message": ` + quoted + `}`},
		} {
			created := s.Post("/api/2.0/"+x.entity, x.payload)
			status(t, created, 201)
			a := s.Get("/api/2.0/" + x.entity + "/" + created.Field(x.id))
			same(t, a.Field(x.field), markup)
			same(t, a.Header.Get("Content-Type"), "application/json")
			same(t, a.Header.Get("X-Content-Type-Options"), "nosniff")
		}
		created := s.Post("/api/2.0/blocks", `{"name": "Note", "type": "html_block", "properties": {"template": "x.tpl", "text": `+quoted+`}, "content": {"content": `+quoted+`}}`)
		var block struct {
			Properties struct{ Text string }
			Content    struct{ Content string }
		}
		s.Get("/api/2.0/blocks/" + created.Field("block_id")).Decode(&block)
		same(t, block.Properties.Text, markup)
		same(t, block.Content.Content, markup)
	})
}

// TestBadInput_OneTimeLinks: a key is valid once and for ten minutes, and only a few
// links are valid at the same time.
func TestBadInput_OneTimeLinks(t *testing.T) {
	eachStore(t, &shop.Options{}, func(t *testing.T, s *apitest.Shop, st store.Store) {
		status(t, s.Post("/api/2.0/users", `{"email": "anna@example.com", "user_type": "C"}`), 201)
		link := func() string {
			a := s.Post("/api/2.0/auth", `{"email": "anna@example.com"}`)
			if a.Status != 201 {
				t.Fatalf("POST auth is answered %d %s", a.Status, a.Body)
			}
			return a.Field("key")
		}
		redeemed := func(key string) bool {
			t.Helper()
			user, _, err := s.Users.RedeemLink(t.Context(), key)
			if err != nil && !errors.Is(err, users.ErrLink) {
				t.Fatal(err)
			}
			return err == nil && user.Email == "anna@example.com"
		}
		key := link()
		same(t, redeemed(key), true)
		same(t, redeemed(key), false)
		key = link()
		s.Clock.Advance(users.LinkAge)
		same(t, redeemed(key), false)
		asked := 50
		if strings.HasSuffix(t.Name(), "/memory") {
			asked = 1000
		}
		first := link()
		for range asked {
			key = link()
		}
		same(t, redeemed(first), false)
		if n := rowCounts(t, st)["sign_in_links"]; n > 5 {
			t.Errorf("%d links are stored of one user, after %d were asked for", n, asked)
		}
		s.Clock.Advance(users.LinkAge - time.Second)
		same(t, redeemed(key), true)
	})
}
