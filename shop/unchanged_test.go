package shop_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/blocks"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/languages"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pages"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/taxes"
	"github.com/shopapi/shopapi/users"
	"github.com/shopapi/shopapi/variations"
)

// An updater is the Update method of an entity in Go.
type updater[T any] interface {
	Get(ctx context.Context, id int64) (T, error)
	Update(ctx context.Context, id int64, change func(*T) error) (T, error)
}

// A goDoor updates one object from Go: without a change, to its present values, and to
// others.
type goDoor struct {
	nothing, same, other func(ctx context.Context, id int64) error
}

func doorOf[T any](u updater[T], other func(*T)) goDoor {
	update := func(change func(before T) func(*T) error) func(ctx context.Context, id int64) error {
		return func(ctx context.Context, id int64) error {
			before, err := u.Get(ctx, id)
			if err == nil {
				_, err = u.Update(ctx, id, change(before))
			}
			return err
		}
	}
	return goDoor{
		nothing: update(func(T) func(*T) error { return func(*T) error { return nil } }),
		same:    update(func(before T) func(*T) error { return func(v *T) error { *v = before; return nil } }),
		other:   update(func(T) func(*T) error { return func(v *T) error { other(v); return nil } }),
	}
}

// oneOfEach creates objects of all entities that every edition has, in the order in which
// they refer to one another.
var oneOfEach = []struct{ name, idField, payload string }{
	{"categories", "category_id", `{"category": "Cups", "selected_views": ["grid"]}`},
	{"features", "feature_id", `{"description": "Glaze", "feature_type": "S", "purpose": "group_catalog_item", "variants": [{"variant": "Matt"}, {"variant": "Gloss"}]}`},
	{"products", "product_id", `{"product": "Mug", "category_ids": [1], "price": "9.50", "product_features": {"1": 1}}`},
	{"products", "product_id", `{"product": "Vase", "category_ids": [1], "product_features": {"1": 2}}`},
	{"product_variations_groups", "id", `{"product_ids": [1, 2], "code": "MUGS"}`},
	{"options", "option_id", `{"product_id": 1, "option_name": "Size", "variants": [{"variant_name": "S"}, {"variant_name": "L", "modifier": "1.5"}]}`},
	{"combinations", "combination_hash", `{"product_id": 1, "combination": {"1": 1}}`},
	{"exceptions", "exception_id", `{"product_id": 1, "combination": {"1": 1}}`},
	{"discussions", "post_id", `{"object_type": "P", "object_id": 1, "message": "Holds heat well", "rating_value": 5}`},
	{"call_requests", "request_id", `{"phone": "1", "product_id": 1, "cart_products": [{"product_id": 1, "amount": 2}]}`},
	{"users", "user_id", `{"email": "ana@example.org", "user_type": "C", "password": "long enough"}`},
	{"languages", "lang_id", `{"lang_code": "nb", "name": "Norwegian"}`},
	{"taxes", "tax_id", `{"tax": "VAT", "rates": [{"rate_type": "P", "rate_value": "25.000"}]}`},
	{"payments", "payment_id", `{"payment": "Invoice", "processor_params": {"login": "shop"}, "tax_ids": [1]}`},
	{"shippings", "shipping_id", `{"shipping": "Courier", "tax_ids": [1], "rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": 5}}}}]}`},
	{"orders", "order_id", `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1, "product_options": {"1": 2}}}}`},
	{"shipments", "shipment_id", `{"order_id": 1, "shipping_id": 1, "products": {"2787970629": 1}}`},
	{"statuses", "status_id", `{"description": "Packed", "params": {"notify": "Y"}}`},
	{"pages", "page_id", `{"page": "Delivery", "page_type": "T"}`},
	{"blocks", "block_id", `{"type": "html_block", "name": "Footer", "properties": {"template": "footer.tpl"}, "content": {"content": "<p>Hi</p>"}}`},
	{"usergroups", "usergroup_id", `{"type": "A", "status": "A", "privileges": ["view_catalog"]}`},
}

// TestEntities_UnchangedUpdateReportsNothing: an update without a difference, over HTTP
// or from Go, causes no event, and a real change causes one.
func TestEntities_UnchangedUpdateReportsNothing(t *testing.T) {
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			s := apitest.NewWithStore(t, open(t), nil)
			doors := map[string]goDoor{
				"categories":    doorOf(s.Categories, func(c *categories.Category) { c.Name = "Bowls" }),
				"products":      doorOf(s.Products, func(p *products.Product) { p.Name = "Bowl" }),
				"features":      doorOf(s.Features, func(f *features.Feature) { f.Variants[1].Name = "Satin" }),
				"exceptions":    doorOf(s.Exceptions, func(x *exceptions.Exception) { x.Combination = exceptions.Combination{1: 2} }),
				"options":       doorOf(s.Options, func(o *options.Option) { o.Variants[1].Modifier = decimal.MustParse("2.50") }),
				"combinations":  doorOf(s.Options.Combinations(), func(c *options.Combination) { c.Amount = 3 }),
				"discussions":   doorOf(s.Discussions, func(p *discussions.Post) { p.Message = "Broke" }),
				"call_requests": doorOf(s.CallRequests, func(r *callrequests.CallRequest) { r.Name = "Zora" }),
				"users":         doorOf(s.Users, func(u *users.User) { u.FirstName = "Zora" }),
				"languages":     doorOf(s.Languages, func(l *languages.Language) { l.Name = "Norsk" }),
				"taxes":         doorOf(s.Taxes, func(x *taxes.Tax) { x.Name = "Sales tax" }),
				"payments":      doorOf(s.Payments, func(p *payments.Payment) { p.Template = "cash.tpl" }),
				"shippings":     doorOf(s.Shippings, func(x *shippings.Shipping) { x.Position = 7 }),
				"orders":        doorOf(s.Orders, func(o *orders.Order) { o.Status = orders.Complete }),
				"shipments":     doorOf(s.Orders.Shipments(), func(x *orders.Shipment) { x.Comments = "Fragile" }),
				"statuses":      doorOf(s.Orders.Statuses(), func(x *orders.Status) { x.Params["notify"] = "N" }),
				"pages":         doorOf(s.Pages, func(p *pages.Page) { p.Name = "Returns" }),
				"blocks":        doorOf(s.Blocks, func(b *blocks.Block) { b.Name = "Header" }),
				"usergroups":    doorOf(s.Users.Groups(), func(g *users.Group) { g.Name = "Packers" }),

				"product_variations":        doorOf(s.Products, func(p *products.Product) { p.Name = "Bowl" }), // reported as products
				"product_variations_groups": doorOf(s.Variations, func(g *variations.Group) { g.Code = "BOWLS" }),
			}
			for _, d := range s.Descriptions() { // the ids of language variables are names: see TestLangvars_PutCreates
				if _, ok := doors[d.Name]; !ok && d.Name != "langvars" && slices.Contains(d.Operations, shopapi.OpCreate) && slices.Contains(d.Operations, shopapi.OpUpdate) {
					t.Errorf("the entity %s has no door here", d.Name)
				}
			}
			for _, e := range oneOfEach {
				t.Run(e.name, func(t *testing.T) {
					unchanged(t, s, e.name, "/api/2.0/"+e.name, s.Post("/api/2.0/"+e.name, e.payload).Field(e.idField), doors[e.name])
				})
			}
		})
	}
}

// Entities whose objects exist without a POST, and entities of an edition.
func TestEntities_UnchangedUpdateReportsNothingInEachEdition(t *testing.T) {
	const company = `"company": "Kiln", "storefront": "kiln.example.org", "email": "a@b.c", "phone": "1", "address": "Quay 1", "city": "Oslo", "country": "NO",
		"state": "03", "zipcode": "0150"`
	inEdition := func(t *testing.T, open func(*testing.T) store.Store, edition shopapi.Edition) *apitest.Shop {
		return apitest.NewWithStore(t, open(t), &shop.Options{Options: shopapi.Options{Edition: edition}})
	}
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			s := inEdition(t, open, shopapi.SingleStore)
			unchanged(t, s, "settings", "/api/2.0/settings", "1", overHTTP(s, "/api/2.0/settings/", `{"value": "17"}`))
			s.Post("/api/2.0/categories", `{"category": "Cups"}`)
			s.Post("/api/2.0/products", `{"product": "Mug", "category_ids": [1], "price": "9.50"}`)
			s.Put("/api/2.0/carts/1", `{"products": {"1": {"amount": 2}}}`)
			unchanged(t, s, "carts", "/api/2.0/carts", "1", overHTTP(s, "/api/2.0/carts/", `{"products": {"1": {"amount": 3}}}`))

			s = inEdition(t, open, shopapi.MultiStorefront)
			unchanged(t, s, "stores", "/api/2.0/stores", s.Post("/api/2.0/stores", `{`+company+`, "countries_list": ["NO"]}`).Field("store_id"),
				doorOf(s.Companies, func(c *companies.Company) { c.Name = "Loom" }))

			s = inEdition(t, open, shopapi.MultiVendor)
			s.Post("/api/2.0/shippings", `{"shipping": "Post"}`)
			unchanged(t, s, "vendors", "/api/2.0/vendors", s.Post("/api/2.0/vendors", `{`+company+`, "commission": "2.50", "shippings": {"1": "Y"}}`).Field("store_id"),
				doorOf(s.Companies, func(c *companies.Company) { c.City = "Bergen" }))
			masters := "/api/2.0/master_products"
			master := s.Post(masters, `{"product": "Kettle", "price": "35.00"}`).Field("product_id")
			unchanged(t, s, "master_products", masters, master, doorOf(s.MasterProducts, func(p *products.Product) { p.Name = "Pan" }))
			offers := masters + "/" + master + "/master_product_offers"
			unchanged(t, s, "products", offers, s.Post(offers, `{"company_id": 2, "price": "33.00"}`).Field("product_id"),
				doorOf(s.Products, func(p *products.Product) { p.Amount = 3 }))
		})
	}
}

// overHTTP is the goDoor of an entity without Update in Go.
func overHTTP(s *apitest.Shop, base, other string) goDoor {
	nothing := func(context.Context, int64) error { return nil }
	return goDoor{nothing: nothing, same: nothing, other: func(_ context.Context, id int64) error {
		if answer := s.Put(base+shopapi.FormatID(id), other); answer.Status != 200 {
			return fmt.Errorf("PUT %s is answered %d %s", other, answer.Status, answer.Body)
		}
		return nil
	}}
}

// unchanged updates an object in every way, and compares the events.
func unchanged(t *testing.T, s *apitest.Shop, entity, base, id string, door goDoor) {
	t.Helper()
	address := base + "/" + id
	s.Clock.Advance(time.Hour)
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	put := func(body string) func() error {
		return func() error {
			if answer := s.Put(address, body); answer.Status != 200 {
				return fmt.Errorf("PUT %s is answered %d %s", body, answer.Status, answer.Body)
			}
			return nil
		}
	}
	shown := s.Get(address).Body
	s.Events()
	for _, c := range []struct {
		name   string
		update func() error
		events []string
	}{
		{"PUT of what GET shows", put(shown), nil},
		{"PUT of an unknown field", put(`{"no_such_field": 1}`), nil},
		{"Update that does nothing", func() error { return door.nothing(t.Context(), n) }, nil},
		{"Update to the same", func() error { return door.same(t.Context(), n) }, nil},
		{"Update to something else", func() error { return door.other(t.Context(), n) }, []string{"update " + entity + " " + id}},
		{"PUT of what it was", put(shown), []string{"update " + entity + " " + id}},
	} {
		if err := c.update(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var events []string
		for _, event := range s.Events() {
			if entity == "shipments" && event.Entity == "orders" {
				continue // it changes its order too
			}
			events = append(events, fmt.Sprintf("%s %s %s", event.Operation, event.Entity, event.ID))
		}
		if diff := cmp.Diff(c.events, events); diff != "" {
			t.Errorf("%s: the observer is told otherwise (-want +got):\n%s", c.name, diff)
		}
		if len(c.events) == 0 && s.Get(address).Body != shown {
			t.Errorf("%s: the object was %s and is %s", c.name, shown, s.Get(address).Body)
		}
	}
}
