package shop_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/apitest/entitytest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// Each entity of the library is held against the conformance suite of entities.

// openShop is how the suite makes its shops.
func openShop(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
	s, err := shop.New(ctx, st, &shop.Options{Options: *o})
	if err != nil {
		return nil, err
	}
	return s.API, nil
}

// oneCompany is why the suite cannot give objects another company: its shop has one
// but in the checks of editions.
const oneCompany = "a single store has one company"

// aCategory makes a category and returns its id.
func aCategory(t testing.TB, c *apitest.Client) string {
	t.Helper()
	return c.Post("/api/2.0/categories", `{"category": "All", "company_id": 1}`).Field("category_id")
}

// aProduct makes a product of a category and returns its id.
func aProduct(t testing.TB, c *apitest.Client, category string) string {
	t.Helper()
	return c.Post("/api/2.0/products", `{"product": "Mug", "category_ids": [`+category+`]}`).Field("product_id")
}

// always is a change that does for all objects.
func always(change string) func(int) string { return func(int) string { return change } }

func TestEntities_Categories(t *testing.T) {
	entitytest.Run(t, entitytest.Config{
		Entity: "categories",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			parent := aCategory(t, c)
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"category": "Cups %d", "parent_id": %s, "position": %d, "status": "H", "usergroup_ids": "1,2",
						"timestamp": %d, "is_op": "Y", "localization": "NO", "age_verification": "Y", "age_limit": 18,
						"parent_age_verification": "Y", "parent_age_limit": 16, "selected_views": ["list", "grid"],
						"default_view": "list", "product_details_view": "large", "product_columns": 3, "lang_code": "nb",
						"description": "<p>Clay & glass</p>", "meta_keywords": "cups", "meta_description": "Cups of clay",
						"page_title": "All cups", "age_warning_message": "Grown-ups only",
						"main_pair": {"detailed": {"alt": "A cup", "image_path": "https://example.org/cup.png"}}}`,
						n, parent, n%3, 1_600_000_000+n)
				},
				Change: always(`{"category": "Mugs", "status": "D", "age_limit": "21"}`),
			}
		},
		Required:   []string{"category"},
		SortFields: map[string]string{"position": ""}, // that of the tree
		Except:     map[string]string{"Fields/Covered/company_id": oneCompany},
	})
}

func TestEntities_Exceptions(t *testing.T) {
	entitytest.Run(t, entitytest.Config{
		Entity: "exceptions",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			product := aProduct(t, c, aCategory(t, c))
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"product_id": %s, "combination": {"5": "%d", "6": "-1"}}`, product, n)
				},
				Change: func(n int) string { return fmt.Sprintf(`{"combination": {"5": "-2", "7": "%d"}}`, n) },
				Query:  "product_id=" + product,
				Above:  map[string]string{"products": product},
			}
		},
		Required:   []string{"product_id", "combination"},
		Unique:     []string{"combination"},
		SortFields: map[string]string{"id": "exception_id"},
	})
}

func TestEntities_CallRequests(t *testing.T) {
	entitytest.Run(t, entitytest.Config{
		Entity: "call_requests",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			product := aProduct(t, c, aCategory(t, c))
			officer := c.Post("/api/2.0/users", `{"email": "officer`+product+`@example.org", "user_type": "C", "firstname": "Zora"}`).Field("user_id")
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"phone": "+47 %d", "name": "Customer %d", "product_id": %s, "email": "c@example.org",
						"order_id": %d, "user_id": %s, "timestamp": %d, "time_from": "10:00", "time_to": "12:00",
						"cart_products": [{"product_id": "1", "amount": "2", "price": "9.50", "product": "Mug"}]}`,
						n%5, n%3, product, n%4, officer, 1_600_000_000+n/2)
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
	entitytest.Run(t, entitytest.Config{
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
			"Fields/Covered/thread_id":    "a thread has its id by itself",
		},
	})
}

func TestEntities_Users(t *testing.T) {
	entitytest.Run(t, entitytest.Config{
		Entity: "users",
		New:    openShop,
		Sample: func(t testing.TB, c *apitest.Client) entitytest.Sample {
			category := aCategory(t, c) // of which no other sample has the id
			return entitytest.Sample{
				Payload: func(n int) string {
					return fmt.Sprintf(`{"email": "ana%d.%s@example.org", "user_type": "C", "user_login": "ana%d", "status": "D",
						"firstname": "Ana %d", "lastname": "Petrov", "company": "Pottery & Co"}`, n, category, n%3, n%2)
				},
				Change: always(`{"firstname": "Zora", "status": "A", "user_login": "zora"}`),
			}
		},
		Required:   []string{"email", "user_type"},
		Unique:     []string{"email"},
		SortFields: map[string]string{"id": "user_id", "name": ""},
		Except:     map[string]string{"Fields/Covered/company_id": oneCompany},
	})
}

func TestEntities_Usergroups(t *testing.T) {
	entitytest.Run(t, entitytest.Config{
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
