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
	"github.com/shopapi/shopapi/taxes"
	"github.com/shopapi/shopapi/users"
	"github.com/shopapi/shopapi/variations"
)

// An updater is the Go door of an entity.
type updater[T any] interface {
	Get(ctx context.Context, id int64) (T, error)
	Update(ctx context.Context, id int64, change func(*T) error) (T, error)
}

// A goDoor updates one object from Go: not at all, to what it is, and to something
// else.
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

// TestEntities_UnchangedUpdateReportsNothing, whether it comes over HTTP or from Go,
// and one that changes something reports that once.
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
			for _, d := range s.Descriptions() { // language variables have names: TestLangvars_PutCreates
				if _, ok := doors[d.Name]; !ok && d.Name != "langvars" && slices.Contains(d.Operations, shopapi.OpCreate) && slices.Contains(d.Operations, shopapi.OpUpdate) {
					t.Errorf("the entity %s has no door here", d.Name)
				}
			}
			for _, e := range []struct{ name, idField, payload string }{ // in the order in which they refer to one another
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
			} {
				t.Run(e.name, func(t *testing.T) {
					id := s.Post("/api/2.0/"+e.name, e.payload).Field(e.idField)
					address := "/api/2.0/" + e.name + "/" + id
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
					door := doors[e.name]
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
						{"Update to something else", func() error { return door.other(t.Context(), n) }, []string{"update " + e.name + " " + id}},
						{"PUT of what it was", put(shown), []string{"update " + e.name + " " + id}},
					} {
						if err := c.update(); err != nil {
							t.Errorf("%s: %v", c.name, err)
						}
						var events []string
						for _, event := range s.Events() {
							if e.name == "shipments" && event.Entity == "orders" {
								continue // it is a change of its order too
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
				})
			}
		})
	}
}
