package shop_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/apitest/entitytest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/doccheck"
	"github.com/shopapi/shopapi/settings"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// The tests of this file run the conformance suite of entities on each entity of the
// library.

// openShop opens the shops of the suite.
func openShop(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
	s, err := shop.New(ctx, st, &shop.Options{Options: *o, Changes: changes.Options{Mode: changes.On}})
	if err != nil {
		return nil, err
	}
	logs.Store(s.API, loggedShop{s.API, st, s.Changes})
	return s.API, nil
}

// openShopOf opens shops of an edition; the checks of editions set their own.
func openShopOf(edition shopapi.Edition) func(context.Context, store.Store, *shopapi.Options) (*shopapi.API, error) {
	return func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
		options := *o
		if options.Edition == shopapi.SingleStore {
			options.Edition = edition
		}
		return openShop(ctx, st, &options)
	}
}

// inMemory is the only store for entities whose table another entity tests over all
// stores: vendors with stores, common products and offers with products.
var inMemory = map[string]func(testing.TB) store.Store{"memory": func(testing.TB) store.Store { return memory.New() }}

// overSQLite are the entities that a short run tests over SQLite too: differences
// between stores affect each entity alike. SHOPAPI_ENTITIES=long runs all over SQLite.
var overSQLite = []string{"products", "orders", "pages", "blocks"}

// runEntity runs the suite on an entity, and compares its responses with the shop's
// OpenAPI document, over one store only. A short run does not compare the many responses of the
// checks of the cache.
func runEntity(t *testing.T, c entitytest.Config) {
	t.Helper()
	if !slices.Contains(overSQLite, c.Entity) && os.Getenv("SHOPAPI_ENTITIES") != "long" {
		c.Stores = inMemory
	}
	if c.Stores == nil {
		c.Stores = map[string]func(testing.TB) store.Store{"memory": inMemory["memory"], "sqlite": openEmptyShop}
	}
	c.Handler = func(t testing.TB, api *shopapi.API) http.Handler {
		logged, ok := logs.LoadAndDelete(api)
		long := os.Getenv("SHOPAPI_ENTITIES") == "long"
		if strings.Contains(t.Name(), "/sqlite") || strings.Contains(t.Name(), "/Cache/") && !long {
			return api
		}
		h := doccheck.Handler(t, api)
		if t, is := t.(*testing.T); is && ok && (strings.Contains(t.Name(), "/Events") || long) {
			h = compareWithTables(t, logged.(loggedShop), h)
		}
		return h
	}
	entitytest.Run(t, c)
}

// oneCompany is the reason why the suite cannot give objects another company: only the
// checks of editions have several.
const oneCompany = "a single store has one company"

// ownPairs is the reason why the image pairs of another object have other ids.
const ownPairs = "each object has image pairs of its own, with ids of their own"

// aCategory creates a category and returns its id.
func aCategory(t testing.TB, c *apitest.Client) string {
	t.Helper()
	return c.Post("/api/2.0/categories", `{"category": "All", "company_id": 1}`).Field("category_id")
}

// aProduct creates a product of a category and returns its id.
func aProduct(t testing.TB, c *apitest.Client, category string) string {
	t.Helper()
	return c.Post("/api/2.0/products", `{"product": "Mug", "category_ids": [`+category+`]}`).Field("product_id")
}

// aTax creates a tax and returns its id, or "" if the client may not.
func aTax(t testing.TB, c *apitest.Client) string {
	t.Helper()
	created := c.Post("/api/2.0/taxes", `{"tax": "VAT"}`)
	if created.Status == 403 || created.Status == 404 { // not allowed, or not at this address
		return ""
	}
	return created.Field("tax_id")
}

// anOrder places an order for a product and returns its id, 0 if the client may place
// none or cannot choose the payment method.
func anOrder(t testing.TB, c *apitest.Client, product, customer string) string {
	t.Helper()
	payment := c.Post("/api/2.0/payments", `{"payment": "Invoice", "company_id": 1}`)
	shipping := c.Post("/api/2.0/shippings", `{"shipping": "Post", "company_id": 1}`)
	if payment.Status != 201 || shipping.Status != 201 {
		return "0"
	}
	c.Put("/api/2.0/products/"+product, `{"amount": 1000}`)
	return c.Post("/api/2.0/orders", fmt.Sprintf(`{"user_id": %s, "payment_id": %s, "shipping_id": %s, "products": {"%s": {"amount": 1}}}`,
		customer, payment.Field("payment_id"), shipping.Field("shipping_id"), product)).Field("order_id")
}

// always is a change that suits all objects.
func always(change string) func(int) string { return func(int) string { return change } }

func TestEntities_Categories(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "categories",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			parent := aCategory(t, c)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"category": "Cups %d", "parent_id": %s, "position": %d, "status": "H", "usergroup_ids": "1,2",
						"timestamp": %d, "is_op": "Y", "localization": "NO", "age_verification": "Y", "age_limit": 18,
						"parent_age_verification": "Y", "parent_age_limit": 16, "selected_views": ["list", "grid"],
						"default_view": "list", "product_details_view": "large", "product_columns": 3,
						"description": "<p>Clay & glass</p>", "meta_keywords": "cups", "meta_description": "Cups of clay",
						"page_title": "All cups", "age_warning_message": "Grown-ups only",
						"main_pair": {"detailed": {"alt": "A cup", "image_path": "https://example.org/cup.png"}}}`,
						n, parent, n%3, 1_600_000_000+n)
				},
				Change: always(`{"category": "Mugs", "status": "D", "age_limit": "21"}`),
			}
		},
		Required:   []string{"category"},
		SortFields: map[string]string{"position": ""}, // tree order
		Except: map[string]string{
			"Fields/Covered/company_id":  oneCompany,
			"Fields/RoundTrip/main_pair": ownPairs,
		},
	})
}

func TestEntities_Products(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "products",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			first, second := aCategory(t, c), aCategory(t, c)
			feature := c.Post("/api/2.0/features", `{"description": "Material", "feature_type": "T", "company_id": 1}`).Field("feature_id")
			tax := aTax(t, c)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"product": "Mug %d", "category_ids": [%s, %s], "main_category": %[3]s,
						"product_code": "MUG-%[4]d", "status": "H", "price": "%[5]d.50", "list_price": "19.90", "amount": %[6]d,
						"seo_name": "mug", "weight": "0.350", "length": 1, "width": 2, "height": 3, "shipping_freight": "2.50",
						"free_shipping": "Y", "timestamp": %[7]d, "avail_since": 1600000001, "usergroup_ids": "1,2", "tax_ids": "%[9]s",
						"localization": "NO", "details_layout": "wide", "is_edp": "Y", "edp_shipping": "Y", "unlimited_download": "Y",
						"tracking": "D", "low_avail_limit": 4, "out_of_stock_actions": "B", "zero_price_action": "A",
						"exceptions_type": "A", "options_type": "S", "min_qty": 2, "max_qty": 8, "qty_step": 2, "list_qty_count": 5,
						"is_returnable": "N", "return_period": 14, "age_verification": "Y", "age_limit": 18,
						"product_features": {"%[8]s": {"feature_type": "T", "value": "Clay"}},
						"main_pair": {"detailed": {"alt": "A mug", "image_path": "https://example.org/mug.png"}},
						"image_pairs": {"1": {"detailed": {"alt": "Its back", "image_path": "https://example.org/back.png"}}},
						"shortname": "Mug", "short_description": "A mug", "full_description": "<p>A mug & no cup</p>",
						"meta_keywords": "mug", "meta_description": "Mugs", "search_words": "mug cup", "page_title": "The mug",
						"promo_text": "New", "age_warning_message": "Grown-ups only", "point_price": 7, "feature_comparison": "Y",
						"box_length": 10, "box_width": 11, "box_height": 12, "min_items_in_box": 1, "max_items_in_box": 6}`,
						n%5, first, second, n%4, 5+n%3, 3+n%2, 1_600_000_000+n/3, feature, tax)
				},
				Change: always(`{"product": "Bowl", "price": "12.00", "status": "D"}`),
				Above:  map[string]string{"categories": first},
			}
		},
		Required:   []string{"product", "category_ids"},
		SortFields: map[string]string{"date": "timestamp", "code": "product_code", "updated": "updated_timestamp", "updated_at": "updated_timestamp", "id": "product_id"},
		Follows:    []string{"updated_timestamp", "base_price", "list_discount", "list_discount_prc"},
		Except: map[string]string{
			"Fields/Covered/company_id":     oneCompany,
			"Fields/Unchanged/category_ids": "without main_category the first of them becomes the main one",
			"Fields/RoundTrip/main_pair":    ownPairs,
			"Fields/RoundTrip/image_pairs":  ownPairs,
		},
	})
}

func TestEntities_Features(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "features",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			category := aCategory(t, c)
			group := c.Post("/api/2.0/features", `{"description": "Make", "feature_type": "G"}`).Field("feature_id")
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"description": "Glaze %d", "feature_type": "S", "feature_code": "GL-%d", "parent_id": %s,
						"display_on_product": "Y", "display_on_catalog": "Y", "display_on_header": "Y", "prefix": "a ", "suffix": " one",
						"categories_path": "%s", "full_description": "<p>How it shines</p>", "status": "H", "comparison": "Y",
						"position": %d, "purpose": "describe_product", "feature_style": "dropdown_labels", "filter_style": "color",
						"lang_code": "nb", "variants": {"a": {"variant": "Matt", "color": "#a0522d"}, "b": {"variant": "Gloss"}}}`, n, n, group, category, 1+n%3)
				},
				Change: always(`{"description": "Surface", "status": "D", "prefix": "", "position": "7"}`),
			}
		},
		Required:   []string{"description", "feature_type"},
		SortFields: map[string]string{"id": "feature_id", "name": "description"},
		Except: map[string]string{
			"Fields/Covered/company_id": oneCompany,
			"Fields/RoundTrip/variants": "variants have ids of their own",
		},
	})
}

// anOption creates a select box of a product with a number of variants, and returns the
// ids.
func anOption(t testing.TB, c *apitest.Client, product string, variants int) (id string, of []string) {
	t.Helper()
	names := make([]string, variants)
	for i := range names {
		names[i] = fmt.Sprintf(`{"variant_name": "V%d"}`, i)
	}
	id = c.Post("/api/2.0/options", `{"product_id": `+product+`, "option_name": "Glaze", "variants": [`+strings.Join(names, ",")+`]}`).Field("option_id")
	var option struct{ Variants map[string]any }
	c.Get("/api/2.0/options/" + id).Decode(&option)
	return id, inOrder(option.Variants)
}

// inOrder returns the ids among the members of an object, in ascending order.
func inOrder(object map[string]any) []string {
	return slices.SortedFunc(maps.Keys(object), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// aGlaze creates a feature by whose variants products vary, and returns its id and
// theirs.
func aGlaze(t testing.TB, c *apitest.Client, variants int) (id string, of []string) {
	t.Helper()
	names := make([]string, variants)
	for i := range names {
		names[i] = fmt.Sprintf(`{"variant": "Glaze %02d"}`, i)
	}
	id = c.Post("/api/2.0/features", `{"description": "Glaze", "feature_type": "S", "purpose": "group_catalog_item", "company_id": 1,
		"variants": [`+strings.Join(names, ",")+`]}`).Field("feature_id")
	var feature struct{ Variants map[string]any }
	c.Get("/api/2.0/features/" + id).Decode(&feature)
	return id, inOrder(feature.Variants)
}

// glazed creates a product with a variant of a feature, and returns its id.
func glazed(t testing.TB, c *apitest.Client, category, feature, variant string) string {
	t.Helper()
	return c.Post("/api/2.0/products", fmt.Sprintf(`{"product": "Mug", "category_ids": [%s], "product_features": {"%s": %s}}`,
		category, feature, variant)).Field("product_id")
}

func TestEntities_ProductVariations(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "product_variations",
		Stores: inMemory,
		Events: "products",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			category := aCategory(t, c)
			feature, of := aGlaze(t, c, 40)
			first, second := glazed(t, c, category, feature, of[0]), glazed(t, c, category, feature, of[1])
			group := c.Post("/api/2.0/product_variations_groups", `{"code": "MUGS-`+feature+`", "product_ids": [`+first+`, `+second+`]}`).Field("id")
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"product": "Mug %d", "category_ids": [%s], "price": "%d.50", "amount": %d, "product_code": "MUG-%[4]d",
						"status": "H", "timestamp": %[5]d, "product_features": {"%[6]s": %[7]s}, "variation_group_id": %[8]s}`,
						n%5, category, 5+n%3, n%4, 1_600_000_000+n/3, feature, of[n+1], group)
				},
				Change: always(`{"product": "Bowl", "price": "12.00", "status": "D"}`),
				Above:  map[string]string{"product_variations_groups": group},
			}
		},
		Required:   []string{"product", "category_ids"},
		SortFields: map[string]string{"date": "timestamp", "code": "product_code", "updated": "updated_timestamp", "updated_at": "updated_timestamp", "id": "product_id"},
		Follows:    []string{"updated_timestamp", "base_price", "list_discount", "list_discount_prc"},
		Except: map[string]string{
			"Fields/Covered":                 "products have the same fields, and cover them",
			"Fields/RoundTrip":               "no two products of a group have the same values: TestGroups_BadInput",
			"Lists/Items/variation_features": "lists show them where get_variation_info asks for them",
		},
	})
}

func TestEntities_ProductVariationsGroups(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "product_variations_groups",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			category := aCategory(t, c)
			feature, of := aGlaze(t, c, 2)
			pairs := make([]string, 20) // a product is in one group
			for n := range pairs {
				pairs[n] = glazed(t, c, category, feature, of[0]) + ", " + glazed(t, c, category, feature, of[1])
			}
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"code": "MUGS-%d-%s", "product_ids": [%s], "features": [{"feature_id": %[2]s, "purpose": "group_variation_catalog_item"}]}`,
						n, feature, pairs[n])
				},
				Change: func(n int) string { return fmt.Sprintf(`{"code": "BOWLS-%d-%s"}`, n, feature) },
			}
		},
		Required: []string{"product_ids"},
		Unique:   []string{"code"},
		Except:   map[string]string{"Fields/RoundTrip": "GET shows products, POST takes their ids, and a product is in one group"},
	})
}

// many is more than the number of objects that a check creates.
const many = 200

func TestEntities_Exceptions(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "exceptions",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			product := aProduct(t, c, aCategory(t, c))
			first, of := anOption(t, c, product, many)
			second, _ := anOption(t, c, product, 1)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"product_id": %s, "combination": {"%s": "%s", "%s": "-1"}}`, product, first, of[n], second)
				},
				Change: func(n int) string {
					return fmt.Sprintf(`{"combination": {"%s": "%s", "%s": "-2"}}`, first, of[n], second)
				},
				Query: "product_id=" + product,
				Above: map[string]string{"products": product},
			}
		},
		Required:   []string{"product_id", "combination"},
		Unique:     []string{"combination"},
		SortFields: map[string]string{"id": "exception_id"},
	})
}

func TestEntities_Options(t *testing.T) {
	runEntity(t, entitytest.Config{
		Entity: "options",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			product := aProduct(t, c, aCategory(t, c))
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"product_id": %s, "option_name": "Size %d", "option_type": "R", "inventory": "N", "required": "Y",
						"regexp": "^[a-z]+$", "incorrect_message": "Letters", "multiupload": "Y", "allowed_extensions": "jpg,png",
						"max_file_size": "512", "missing_variants_handling": "H", "status": "D", "position": "%d", "description": "<p>a</p>",
						"inner_hint": "hint", "comment": "more", "variants": {"a": {"variant_name": "S", "position": "7", "modifier": "1.5",
						"modifier_type": "P", "weight_modifier": "-0.125", "weight_modifier_type": "P", "point_modifier": "3",
						"point_modifier_type": "P"}, "b": {"variant_name": "L"}}}`, product, n%3, 1+n%4)
				},
				Change: always(`{"option_name": "Glaze", "status": "A", "comment": "less", "required": "N"}`),
				Query:  "product_id=" + product,
				Above:  map[string]string{"products": product},
			}
		},
		Required:   []string{"product_id", "option_name"},
		SortFields: map[string]string{"id": "option_id", "name": "option_name"},
		Except:     map[string]string{"Fields/RoundTrip/variants": "variants have ids of their own"},
	})
}

func TestEntities_Combinations(t *testing.T) {
	runEntity(t, entitytest.Config{
		Entity: "combinations",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			product := aProduct(t, c, aCategory(t, c))
			option, of := anOption(t, c, product, many)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"product_id": %s, "combination": {"%s": "%s"}, "product_code": "M-%d", "amount": "%d", "position": "%d",
						"image_pairs": {"detailed": {"alt": "The large one", "image_path": "https://example.org/large.png"}}}`,
						product, option, of[n], n, 5+n, 1+n%3)
				},
				Change: always(`{"product_code": "L", "amount": "3"}`),
				Query:  "product_id=" + product,
				Above:  map[string]string{"products": product},
			}
		},
		Required:   []string{"product_id", "combination"},
		Unique:     []string{"combination"},
		SortFields: map[string]string{"id": "combination_hash"},
		Except:     map[string]string{"Fields/RoundTrip/image_pairs": ownPairs},
	})
}

func TestEntities_CallRequests(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "call_requests",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			product := aProduct(t, c, aCategory(t, c))
			officer := c.Post("/api/2.0/users", `{"email": "officer`+product+`@example.org", "user_type": "C", "firstname": "Zora"}`).Field("user_id")
			order := anOrder(t, c, product, officer)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"phone": "+47 %d", "name": "Customer %d", "product_id": %s, "email": "c@example.org",
						"user_id": %s, "order_id": %s, "timestamp": %d, "time_from": "10:00", "time_to": "12:00",
						"cart_products": [{"product_id": "1", "amount": "2", "price": "9.50", "product": "Mug"}]}`,
						n%5, n%3, product, officer, order, 1_600_000_000+n/2)
				},
				Change: always(`{"status": "completed", "notes": "Rang twice", "name": "Ana"}`),
			}
		},
		Required:   []string{"phone email"},
		SortFields: map[string]string{"id": "request_id", "date": "timestamp", "user": "", "order": "order_id"},
		Except:     map[string]string{"Fields/Covered/company_id": oneCompany},
	})
}

func TestEntities_Discussions(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "discussions",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			product := aProduct(t, c, aCategory(t, c))
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"object_type": "P", "object_id": %s, "name": "Ana %d", "message": "Holds heat\nwell & long",
						"rating_value": "5", "timestamp": %d, "status": "D"}`, product, n%3, 1_600_000_000+n/2)
				},
				Change: always(`{"name": "Zora", "message": "Broke", "rating_value": "1", "status": "A"}`),
				Above:  map[string]string{"products": product},
			}
		},
		Required: []string{"object_type", "object_id"},
		Except: map[string]string{
			"Parents/Declared/categories": "the posts of the sample are about a product",
			"Parents/Declared/orders":     "the posts of the sample are about a product",
			"Parents/Declared/pages":      "the posts of the sample are about a product",
			"Fields/Covered/thread_id":    "a thread has its id by itself",
		},
	})
}

// anAddress has a value for every field of an address.
func anAddress(prefix string) string {
	return strings.ReplaceAll(`"_firstname": "Ana", "_lastname": "Petrov", "_address": "Ringveien 1", "_address_2": "3rd floor", "_city": "Oslo",
		"_county": "Akershus", "_state": "03", "_country": "NO", "_zipcode": "0155", "_phone": "+47 3"`, `"_`, `"`+prefix)
}

func TestEntities_Users(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "users",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			category := aCategory(t, c) // whose id no other sample has
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"email": "ana%d.%s@example.org", "user_type": "C", "user_login": "ana%d", "status": "D",
						"firstname": "Ana %d", "lastname": "Petrov", "company": "Pottery & Co", "phone": "+47 1", "fax": "+47 2",
						"url": "https://ana.example.org", "tax_exempt": "Y", "lang_code": "nb", "birthday": "1990-02-28",
						%s, %s}`, n, category, n%3, n%2, anAddress("b_"), anAddress("s_"))
				},
				Change: always(`{"firstname": "Zora", "status": "A", "user_login": "zora"}`),
			}
		},
		Required:   []string{"email", "user_type"},
		Unique:     []string{"email"},
		SortFields: map[string]string{"id": "user_id", "name": "", "date": "timestamp"},
		Except: map[string]string{
			"Fields/Covered/company_id": oneCompany,
			"Fields/Declared/password":  "passwords are written and never shown",
			"Lists/Filters/company":     "the filter is by the id of the company, the field what the user says of it",
		},
	})
}

func TestEntities_Usergroups(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "usergroups",
		New:    openShop,
		Sample: entitytest.Payloads(`{"usergroup": "Packers", "status": "A", "privileges": ["view_catalog", "view_users"]}`, func(n int) string {
			return fmt.Sprintf(`{"type": "A", "status": "H", "usergroup": "Desk %d", "privileges": ["manage_catalog"]}`, n)
		}),
		Required:   []string{"type", "status"},
		SortFields: map[string]string{"id": "usergroup_id", "name": "usergroup"},
		Except: map[string]string{
			"Privileges/ManageAlone": "the privileges of a group are written by root alone",
			"Editions/Vendors":       "groups are the whole shop's",
		},
	})
}

func TestEntities_Taxes(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "taxes",
		New:    openShop,
		Sample: func(testing.TB, *apitest.Client) entitytest.Sample {
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"tax": "VAT %d", "address_type": "B", "status": "H", "price_includes_tax": "Y",
						"display_including_tax": "Y", "display_info": "with VAT", "regnumber": "TX-%d", "priority": %d,
						"rates": [{"country": "NO", "state": "", "zipcode": "", "rate_type": "P", "rate_value": "25.000", "apply_to": "P"}]}`, n, n, n%3)
				},
				Change: always(`{"tax": "Sales tax", "status": "D", "priority": "7"}`),
			}
		},
		Required: []string{"tax"},
		Except:   map[string]string{"Editions/Vendors": "vendors may only read: TestTaxes_Vendors"},
	})
}

func TestEntities_Payments(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "payments",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			tax := aTax(t, c)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"payment": "Invoice %d", "company_id": 1, "usergroup_ids": "1,2", "position": %d, "status": "H",
						"template": "phone.tpl", "processor_id": 3, "processor_params": {"login": "shop"}, "a_surcharge": "1.250",
						"p_surcharge": "2.500", "tax_ids": "%s", "localization": "NO", "payment_category": "tab3",
						"description": "Pay later", "instructions": "Within 14 days", "surcharge_title": "Fee"}`, n, n%3, tax)
				},
				Change: always(`{"payment": "Cash", "status": "D", "a_surcharge": "2.000"}`),
			}
		},
		Required: []string{"payment"},
		Except: map[string]string{
			"Fields/Covered/company_id": oneCompany,
			"Lists/Items/tax_ids":       "a text with commas in lists, an array on one object",
			"Editions/Vendors":          "vendors may only read: TestPayments_Vendors",
		},
	})
}

func TestEntities_Shippings(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "shippings",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			tax := aTax(t, c)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"shipping": "Courier %d", "company_id": 1, "usergroup_ids": "1,2", "position": %d, "status": "H",
						"delivery_time": "same day", "min_weight": "0.50", "max_weight": "15.00", "rate_calculation": "R", "service_id": 4,
						"service_params": {"speed": "fast"}, "localization": "NO", "tax_ids": "%s"}`, n, n%3, tax)
				},
				Change: always(`{"shipping": "Bike", "status": "D", "max_weight": "20.00"}`),
			}
		},
		Required: []string{"shipping"},
		Except: map[string]string{
			"Fields/Covered/company_id": oneCompany,
			"Lists/Items/tax_ids":       "a text with commas in lists, an array on one object",
			"Fields/Covered/rates":      "they nest deeper than a form may: TestShippings_Rates",
		},
	})
}

func TestEntities_Statuses(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "statuses",
		New:    openShop,
		Sample: entitytest.Payloads(`{"description": "Shipped", "params": {"inventory": "I", "notify": "N"}}`, func(n int) string {
			return fmt.Sprintf(`{"description": "Packed %d", "email_subj": "is packed", "email_header": "Your parcel & more", "lang_code": "nb",
				"params": {"inventory": "D", "notify": "Y"}}`, n)
		}),
		Required: []string{"description"},
		Except: map[string]string{
			"Fields/Covered/type":       "all are of orders",
			"Fields/Covered/is_default": "a default one cannot be deleted: TestStatuses_Delete",
			"Editions/Vendors":          "vendors may only read: TestStatuses_Vendors",
		},
	})
}

// orderSample creates the objects to which orders refer: a product, a customer and
// methods.
func orderSample(t testing.TB, c *apitest.Client) entitytest.Sample {
	product := c.Post("/api/2.0/products", `{"product": "Mug", "category_ids": [`+aCategory(t, c)+`], "price": "10.00", "amount": 100000}`).Field("product_id")
	users := make([]string, 3)
	for i := range users {
		users[i] = c.Post("/api/2.0/users", fmt.Sprintf(`{"email": "%s%d@example.org", "user_type": "C", "firstname": "Ana", "lastname": "Berg %d",
			"b_city": "Oslo", "b_country": "NO", "company_id": 1}`, product, i, i)).Field("user_id")
	}
	payment := func() string {
		return c.Post("/api/2.0/payments", `{"payment": "Invoice", "company_id": 1}`).Field("payment_id")
	}
	shipping := c.Post("/api/2.0/shippings", `{"shipping": "Post"}`).Field("shipping_id")
	first, second := payment(), payment()
	return entitytest.Sample{
		Payload: func(n int) string {
			return fmt.Sprintf(`{"user_id": %s, "payment_id": %s, "shipping_id": %s, "notes": "Ring twice", "details": "Fragile",
				"subtotal_discount": "1.50", "products": {"%s": {"amount": "%d"}}}`, users[n%2], first, shipping, product, n%5+1)
		},
		Change: func(n int) string {
			return fmt.Sprintf(`{"user_id": "%s", "status": "P", "payment_id": "%s", "total": "%d.25", "subtotal_discount": "2.50",
				"notes": "Do not ring", "details": "Packed", "repaid": "0.25", "payment_info": {"transaction_id": "T-1"}, "invoice_id": "I-%d", "credit_memo_id": "M-%d"}`, users[2], second, n, n, n)
		},
	}
}

func TestEntities_Orders(t *testing.T) {
	t.Parallel()
	readOnly := strings.Fields(`subtotal display_subtotal display_shipping_cost tax_subtotal promotion_ids shipment_ids profile_id localization_id
		validation_code s_address_type promotions doc_ids fields payment_method taxes shipping need_shipping need_shipment product_groups`)
	for name := range strings.FieldsSeq("firstname lastname address address_2 city county state country zipcode phone") {
		readOnly = append(readOnly, "b_"+name, "s_"+name)
	}
	runEntity(t, entitytest.Config{
		Entity:     "orders",
		New:        openShop,
		Sample:     orderSample,
		Required:   []string{"user_id", "payment_id", "shipping_id", "products"},
		ReadOnly:   readOnly,
		Follows:    []string{"total", "total_set", "total_adjustment", "payment_method", "profile_id"},
		SortFields: map[string]string{"date": "timestamp", "customer": "lastname", "updated_at": ""},
		Except: map[string]string{
			"Fields/Covered/company_id": oneCompany,
			"Fields/Covered/tax_exempt": "TestOrders_26_TaxExempt",
			"Fields/RoundTrip":          "GET shows amounts and methods, POST takes what they follow from",
			"Payloads/ReadOnlyFields":   "timestamp and amounts may be written: TestOrders_26_OrdersOfThePast, TestOrders_26_WrittenAmounts",
			"Fields/Unchanged":          "GET nests deeper than a form may: TestOrders_PutOfGet",
			"Editions/Vendors":          "vendors may not place orders: TestOrders_Vendors",
			"Editions/Storefronts":      "payment methods are not reached below a storefront: TestOrders_Storefronts",
		},
	})
}

func TestEntities_Shipments(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "shipments",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			order := c.Get("/api/2.0/orders/" + c.Post("/api/2.0/orders", orderSample(t, c).Payload(4)).Field("order_id"))
			var placed struct {
				OrderID  string `json:"order_id"`
				Products map[string]any
			}
			order.Decode(&placed)
			item := slices.Collect(maps.Keys(placed.Products))[0]
			// Five pieces are too few for the shipments of the suite.
			c.Put("/api/2.0/orders/"+placed.OrderID, `{"products": {"`+item+`": {"amount": 1000}}}`)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": "1"}, "user_id": 2, "shipping": "Bike", "carrier": "ups",
						"tracking_number": "T-%d", "comments": "Ring & wait", "status": "A"}`, placed.OrderID, item, n)
				},
				Change: func(n int) string {
					return fmt.Sprintf(`{"products": {"%s": "2"}, "shipping": "Van", "carrier": "dhl", "tracking_number": "U-%d", "comments": "Left", "status": "S"}`, item, n)
				},
			}
		},
		Required: []string{"order_id", "shipping_id", "products"},
		Except: map[string]string{
			"Editions/Vendors": "vendors may not place orders: TestShipments_Vendors",
		},
	})
}

func TestEntities_Pages(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "pages",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			parent := c.Post("/api/2.0/pages", `{"page": "All", "page_type": "T", "company_id": 1}`).Field("page_id")
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"page": "Delivery %d", "page_type": "L", "parent_id": %s, "position": %d, "status": "H",
						"usergroup_ids": "1,2", "localization": "NO", "new_window": 1, "use_avail_period": "Y",
						"avail_from_timestamp": 1600000000, "avail_till_timestamp": 1700000000, "lang_code": "nb",
						"description": "<p>How we ship</p>", "meta_keywords": "ship", "meta_description": "Shipping",
						"page_title": "Delivery", "link": "https://example.org/delivery"}`, n, parent, n%3)
				},
				Change: always(`{"page": "Shipping", "status": "D", "link": "/shipping"}`),
			}
		},
		Required:   []string{"page", "page_type"},
		SortFields: map[string]string{"name": "page", "type": "page_type", "multi_level": "", "id": "page_id"},
		Except: map[string]string{
			"Fields/Covered/company_id": oneCompany,
			"Fields/Covered/timestamp":  "only an update sets it: TestPages_TimestampIsThatOfItsCreation",
		},
	})
}

func TestEntities_Blocks(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "blocks",
		New:    openShop,
		Sample: entitytest.Payloads(`{"name": "Header", "type": "main"}`, func(n int) string {
			return fmt.Sprintf(`{"name": "Footer %d", "type": "html_block", "lang_code": "nb", "company_id": 1,
				"properties": {"template": "blocks/html_block.tpl", "number_of_columns": "3"}, "content": {"content": "<p>Open on weekdays</p>"}}`, n)
		}),
		Required:   []string{"name", "type", "properties"},
		SortFields: map[string]string{"id": "block_id"},
		Except: map[string]string{
			"Fields/Covered/company_id": oneCompany,
			"Editions/Vendors":          "blocks are closed to vendors",
		},
	})
}

func TestEntities_Languages(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "languages",
		New:    openShop,
		Sample: entitytest.Payloads(`{"name": "Bokmål", "status": "D"}`, func(n int) string {
			return fmt.Sprintf(`{"lang_code": "n%c", "name": "Norwegian %[2]d", "status": "H", "country_code": "NO", "direction": "rtl"}`, 'a'+n, n)
		}),
		Required: []string{"lang_code", "name"},
		Unique:   []string{"lang_code"},
		Except:   map[string]string{"Editions/Vendors": "vendors may not change them"},
	})
}

func TestEntities_Langvars(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "langvars",
		New:    openShop,
		Sample: entitytest.Payloads(`{"value": "Buy now"}`, func(n int) string {
			return fmt.Sprintf(`{"name": "buy_%c", "value": "Buy %[2]d"}`, 'a'+n, n)
		}),
		Required: []string{"name"},
		Unique:   []string{"name"},
		Except: map[string]string{
			"Editions/Vendors":        "vendors may not change them",
			"Addresses/IDs":           "names are no numbers, and PUT creates: TestLangvars_PutCreates",
			"Addresses/Forms":         "the suite writes the first byte of an id as that of a digit",
			"Payloads/ReadOnlyFields": "POST names the variable",
			"Events/OnePerChange":     "PUT creates: TestLangvars_PutCreates",
			"Events/NoneForRefusals":  "PUT creates: TestLangvars_PutCreates",
		},
	})
}

func TestEntities_Stores(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "stores",
		ItemID: "company_id",
		New:    openShopOf(shopapi.MultiStorefront),
		Sample: entitytest.Payloads(`{"company": "Pottery & Co", "email": "pots@example.org", "secure_storefront": "safe.example.org", "countries_list": ["SE"]}`,
			func(n int) string {
				return fmt.Sprintf(`{"company": "Shop %d", "storefront": "shop%d.example.org", "secure_storefront": "shop%[2]d.example.org", "status": "H",
					"email": "shop@example.org", "lang_code": "nb", "timestamp": %[3]d, "company_description": "<p>Pots</p>",
					"redirect_customer": "N", "entry_page": "none", "countries_list": ["NO", "DK"]}`, n%3, n, 1_600_000_000+n)
			}),
		Required:   []string{"company", "storefront"},
		Unique:     []string{"storefront"},
		SortFields: map[string]string{"id": "company_id", "name": "company"},
		ReadOnly:   []string{"average_rating", "company_thread_ids"},
		Except: map[string]string{
			"Editions/Vendors":     "storefronts are of their edition",
			"Editions/Storefronts": "a storefront has none below it",
		},
	})
}

func TestEntities_Vendors(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "vendors",
		Stores: inMemory,
		ItemID: "company_id",
		New:    openShopOf(shopapi.MultiVendor),
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			category := aCategory(t, c)
			method := c.Post("/api/2.0/shippings", `{"shipping": "Post"}`).Field("shipping_id")
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"company": "Kiln %d", "storefront": "kiln%d", "status": "P", "email": "kiln@example.org", "phone": "+47 %[1]d",
						"address": "Quay 1", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150", "lang_code": "nb",
						"url": "https://kiln.example.org", "fax": "+47 2", "company_description": "<p>Pots</p>", "terms": "<p>Fair</p>",
						"pre_moderation": "Y", "pre_moderation_edit": "Y", "pre_moderation_edit_vendors": "Y", "seo_name": "kiln",
						"categories": "%[3]s", "shippings": {"%[5]s": "Y"}, "commission": "2.50", "commission_type": "A", "timestamp": %[4]d}`,
						n%3, n, category, 1_600_000_000+n, method)
				},
				Change: always(`{"company": "Loom & Co", "city": "Bergen", "status": "D"}`),
			}
		},
		Required:   []string{"company", "email", "phone", "address", "city", "country", "state", "zipcode"},
		Unique:     []string{"storefront"},
		SortFields: map[string]string{"id": "company_id", "name": "company"},
		ReadOnly:   []string{"average_rating", "company_thread_ids", "seo_path"},
		Except: map[string]string{
			"Editions/Vendors":     "vendors make no vendors: TestEditions_Vendors",
			"Editions/Storefronts": "vendors are of their edition",
		},
	})
}

// aMasterProduct is the payload of a common product.
func aMasterProduct(n int, category string) string {
	return fmt.Sprintf(`{"product": "Kettle %d", "price": "%d.50", "category_ids": [%s], "status": "H"}`, n%3, n%2+1, category)
}

func TestEntities_MasterProducts(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "master_products",
		Stores: inMemory,
		New:    openShopOf(shopapi.MultiVendor),
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			category := aCategory(t, c)
			return entitytest.Sample{
				Payload: func(n int) string { return aMasterProduct(n, category) },
				Change:  always(`{"product": "Pan", "price": "7.25", "status": "D"}`),
				Above:   map[string]string{"categories": category},
			}
		},
		Required:   []string{"product", "price"},
		SortFields: map[string]string{"date": "timestamp", "code": "product_code", "updated": "updated_timestamp", "updated_at": "updated_timestamp", "id": "product_id"},
		Follows:    []string{"updated_timestamp", "base_price", "list_discount", "list_discount_prc", "master_product_status"},
		Except: map[string]string{
			"Fields/Covered":       "products have the same fields, and cover them",
			"Editions/Vendors":     "vendors may only read: TestMasterProducts_Vendors",
			"Editions/Storefronts": "common products are of their edition",
		},
	})
}

func TestEntities_MasterProductOffers(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "master_product_offers",
		Stores: inMemory,
		Below:  "master_products",
		Events: "products",
		New:    openShopOf(shopapi.MultiVendor),
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			master := c.Post("/api/2.0/master_products", aMasterProduct(1, aCategory(t, c))).Field("product_id")
			vendors := make([]string, 20) // each has one offer of a common product
			for n := range vendors {
				vendors[n] = c.Post("/api/2.0/vendors", fmt.Sprintf(`{"company": "Kiln %d", "email": "kiln@example.org", "phone": "1", "address": "Quay 1",
					"city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"}`, n)).Field("company_id")
			}
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"company_id": "%s", "price": "%d.50", "amount": %d, "product_code": "K-%d", "status": "H"}`, vendors[n], n%3, n%2, n)
				},
				Change: always(`{"price": "7.25", "amount": "12", "status": "D"}`),
				Above:  map[string]string{"master_products": master},
			}
		},
		Required:   []string{"company_id"},
		Unique:     []string{"company_id"},
		SortFields: map[string]string{"date": "timestamp", "code": "product_code", "updated": "updated_timestamp", "updated_at": "updated_timestamp", "id": "product_id"},
		Follows:    []string{"updated_timestamp", "base_price", "list_discount", "list_discount_prc"},
		Except: map[string]string{
			"Privileges/ManageAlone": "reading the common product takes the privilege too",
			"Fields/Covered":         "products have the same fields, and cover them",
			"Editions/Vendors":       "vendors make no common products: TestOffers_FollowTheirMaster",
			"Editions/Storefronts":   "offers are of their edition",
			"Languages":              "the texts are those of the common product: TestOffers_FollowTheirMaster",
		},
	})
}

func TestEntities_Settings(t *testing.T) {
	t.Parallel()
	runEntity(t, entitytest.Config{
		Entity: "settings",
		ItemID: "object_id",
		New: func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
			s, err := shop.New(ctx, st, &shop.Options{Options: *o})
			if err != nil {
				return nil, err
			}
			for n := range 20 {
				if err := s.Settings.Declare(ctx, settings.Setting{Section: "Kiln", Name: fmt.Sprintf("shelf_%c", 'a'+n), Default: "empty"}); err != nil {
					return nil, err
				}
			}
			return s.API, nil
		},
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			var ids []string
			for page, more := 1, true; more; page++ {
				var list struct {
					Settings []struct {
						ID   string `json:"object_id"`
						Name string
					}
				}
				c.Get(fmt.Sprintf("/api/2.0/settings?page=%d", page)).Decode(&list)
				for _, one := range list.Settings {
					if strings.HasPrefix(one.Name, "shelf_") {
						ids = append(ids, one.ID)
					}
				}
				more = len(list.Settings) > 0
			}
			return entitytest.Sample{
				IDs:    ids,
				Change: func(n int) string { return fmt.Sprintf(`{"value": "Mugs & bowls %d"}`, n) },
			}
		},
		SortFields: map[string]string{"id": "object_id"},
	})
}
