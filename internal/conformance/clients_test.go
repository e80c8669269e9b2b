package conformance

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

// dialects are the two dialects. Features that a dialect does not change must work for
// published clients in both.
var dialects = map[string]shopapi.Dialect{"documented": shopapi.DialectDocumented, "live": shopapi.DialectLive}

// A program is a client like the published ones: it knows a base address, sends the same
// headers with every request, and reads statuses and bodies strictly.
type program struct {
	t           *testing.T
	server      *httptest.Server
	email, key  string
	base        string // in front of an entity's name
	contentType string // of every request, GET too
	encode      func(fields map[string]any) string
}

func newProgram(t *testing.T, s *apitest.Shop, base, contentType string, encode func(map[string]any) string) *program {
	t.Helper()
	server := httptest.NewServer(s.Handler)
	t.Cleanup(server.Close)
	return &program{t, server, s.Email, s.Key, base, contentType, encode}
}

func asJSON(fields map[string]any) string {
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err) // the tests' own maps always encode
	}
	return string(data)
}

func asForm(fields map[string]any) string {
	form := url.Values{}
	for name, value := range fields {
		addPairs(form, name, value)
	}
	return form.Encode()
}

func addPairs(form url.Values, name string, value any) {
	switch value := value.(type) {
	case []int:
		for _, v := range value {
			form.Add(name+"[]", strconv.Itoa(v))
		}
	case map[string]any:
		for key, v := range value {
			addPairs(form, name+"["+key+"]", v)
		}
	default:
		form.Set(name, fmt.Sprint(value))
	}
}

// ask sends a request, expects a status and, when into is not nil, decodes the
// answer into it. It returns the body.
func (p *program) ask(method, path string, fields map[string]any, want int, into any) string {
	p.t.Helper()
	var content io.Reader
	if fields != nil {
		content = strings.NewReader(p.encode(fields))
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.server.URL+p.base+path, content)
	if err != nil {
		p.t.Fatal(err)
	}
	req.SetBasicAuth(p.email, p.key)
	req.Header.Set("Accept", "application/json")
	if p.contentType != "" {
		req.Header.Set("Content-Type", p.contentType)
	}
	resp, err := p.server.Client().Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if resp.StatusCode != want {
		p.t.Fatalf("%s %s answered %s %s, want %d", method, path, resp.Status, answer, want)
	}
	if want >= 400 { // every published client reads the message, if there is one
		var e struct{ Message string }
		if err := json.Unmarshal(answer, &e); err != nil || e.Message == "" {
			p.t.Errorf("%s %s answered %s, want an object with a message", method, path, answer)
		}
	}
	if into != nil {
		if err := json.Unmarshal(answer, into); err != nil {
			p.t.Fatalf("%s %s answered %s: %v", method, path, answer, err)
		}
	}
	return string(answer)
}

// params are the fields that a typed client reads of a page.
type params struct {
	Page         int    `json:"page"`
	ItemsPerPage string `json:"items_per_page"`
	TotalItems   string `json:"total_items"`
	SortBy       string `json:"sort_by"`
	SortOrder    string `json:"sort_order"`
	SortOrderRev string `json:"sort_order_rev"`
}

// TestClients_Typed is a client in a typed language, written against running servers:
// JSON with numbers as ids, the id of a new object as a number, and 0 for a company and
// a price.
func TestClients_Typed(t *testing.T) {
	overStores(t, shopapi.Options{Dialect: shopapi.DialectLive}, func(t *testing.T, s *apitest.Shop) {
		p := newProgram(t, s, "/api/2.0/", "application/json", asJSON)

		var category struct {
			ID int `json:"category_id"`
		}
		p.ask("POST", "categories", map[string]any{"category": "Cups", "company_id": 1, "status": "A"}, 201, &category)
		var updated struct {
			ID string `json:"category_id"`
		}
		p.ask("PUT", fmt.Sprint("categories/", category.ID), map[string]any{"category": "Mugs"}, 200, &updated)
		var categories struct {
			Categories []struct {
				ID   string `json:"category_id"`
				Name string `json:"category"`
			} `json:"categories"`
			Params params `json:"params"`
		}
		p.ask("GET", "categories?page=1&items_per_page=5", nil, 200, &categories)
		if n := len(categories.Categories); n != 1 || categories.Categories[0].Name != "Mugs" || categories.Params.TotalItems != "1" {
			t.Errorf("the categories are %+v", categories)
		}

		var product struct {
			ID int `json:"product_id"`
		}
		p.ask("POST", "products", map[string]any{
			"product": "Clay mug", "category_ids": []int{category.ID}, "main_category": category.ID, "price": 0, "company_id": 0, "status": "A",
		}, 201, &product)
		p.ask("PUT", fmt.Sprint("products/", product.ID), map[string]any{"price": 9.5, "amount": 7}, 200, &product)
		var detail struct {
			ID          string `json:"product_id"`
			Price       string `json:"price"`
			Amount      string `json:"amount"`
			CategoryIDs []int  `json:"category_ids"`
			Main        int    `json:"main_category"`
			HasOptions  bool   `json:"has_options"`
		}
		p.ask("GET", fmt.Sprint("products/", product.ID), nil, 200, &detail)
		if detail.Price != "9.50" || detail.Amount != "7" || detail.Main != category.ID || len(detail.CategoryIDs) != 1 {
			t.Errorf("the product is %+v", detail)
		}
		var products struct {
			Products []struct {
				ID string `json:"product_id"`
			}
			Params params
		}
		p.ask("GET", fmt.Sprintf("products?cid=%d&subcats=Y&status=A&sort_by=product&sort_order=asc&pcode=", category.ID), nil, 200, &products)
		if len(products.Products) != 1 || products.Params.SortOrderRev != "desc" {
			t.Errorf("the products are %+v", products)
		}

		var call struct {
			ID int `json:"request_id"`
		}
		p.ask("POST", "call_requests", map[string]any{"phone": "+1", "product_id": product.ID, "status": "someday", "user_id": 0}, 201, &call)
		var callUpdated struct {
			ID string `json:"request_id"`
		}
		p.ask("PUT", fmt.Sprint("call_requests/", call.ID), map[string]any{"status": "in_progress"}, 200, &callUpdated)
		var calls struct {
			Requests []struct {
				Status  string  `json:"status"`
				Product *string `json:"product"`
				Notes   *string `json:"notes"`
			} `json:"call_requests"`
			Params params
		}
		p.ask("GET", "call_requests?items_per_page=10", nil, 200, &calls)
		if len(calls.Requests) != 1 || calls.Requests[0].Status != "in_progress" || calls.Requests[0].Product == nil {
			t.Errorf("the call requests are %+v", calls)
		}

		var post struct {
			ID int `json:"post_id"`
		}
		p.ask("POST", fmt.Sprintf("products/%d/discussions", product.ID), map[string]any{"name": "Ana", "message": "Holds heat", "rating_value": 5}, 201, &post)
		var discussions struct {
			Posts []struct {
				Rating string `json:"rating_value"`
			} `json:"discussions"`
			Params params
		}
		p.ask("GET", "discussions?object_type=P&object_id="+fmt.Sprint(product.ID), nil, 200, &discussions)
		if len(discussions.Posts) != 1 || discussions.Posts[0].Rating != "5" {
			t.Errorf("the discussions are %+v", discussions)
		}

		// The administrator writes the own user back, with a field that users lack.
		p.ask("PUT", "users/1", map[string]any{"email": apitest.RootEmail, "user_type": "A", "company_id": 1, "status": "A", "password": "a secret"}, 200, nil)
		before := s.Get("/api/products/1").Body
		p.ask("PUT", fmt.Sprint("products/", product.ID), map[string]any{"name": "Jug"}, 200, nil)
		same(t, s.Get("/api/products/1").Body, before)
		// A main category that is not among the product's categories is ignored.
		other := created(t, s.Client, "/api/categories", `{"category": "Other"}`, "category_id")
		p.ask("POST", "products", map[string]any{
			"product": "Jug", "category_ids": []int{category.ID}, "main_category": json.Number(other), "price": 0, "company_id": 1, "status": "A",
		}, 201, nil)

		var user struct {
			ID      int    `json:"user_id"`
			Profile string `json:"profile_id"`
		}
		p.ask("POST", "users", map[string]any{"email": "ana@example.com", "user_type": "C", "password": "a secret", "company_id": 1, "status": "A"}, 201, &user)
		var users struct {
			Users []struct {
				ID string `json:"user_id"`
			}
		}
		p.ask("GET", "users?user_type=C", nil, 200, &users)
		if len(users.Users) != 1 {
			t.Errorf("the users are %+v", users)
		}
		var group struct {
			ID int `json:"usergroup_id"`
		}
		p.ask("POST", "usergroups", map[string]any{"usergroup": "Wholesale", "type": "C", "status": "A"}, 201, &group)
		var groups map[string]struct {
			Name string `json:"usergroup"`
		}
		p.ask("GET", "usergroups", nil, 200, &groups)
		if groups[fmt.Sprint(group.ID)].Name != "Wholesale" {
			t.Errorf("the groups are %v", groups)
		}

		for _, gone := range []string{
			fmt.Sprint("discussions/", post.ID), fmt.Sprint("call_requests/", call.ID), fmt.Sprint("products/", product.ID),
			fmt.Sprint("categories/", category.ID), fmt.Sprint("usergroups/", group.ID), fmt.Sprint("users/", user.ID),
		} {
			p.ask("DELETE", gone, nil, 204, nil)
			p.ask("DELETE", gone, nil, 404, nil)
		}
	})
}

// TestClients_Script is a client in a scripting language: no version in the path, a
// slash at the end, True and False in queries, Content-Type on requests without a body.
// It first requests the version.
func TestClients_Script(t *testing.T) {
	banner := shopapi.Banner{Brand: "Shop", Version: "4.18.1", Edition: "ULTIMATE"}
	overStores(t, shopapi.Options{Dialect: shopapi.DialectLive, Banner: banner}, func(t *testing.T, s *apitest.Shop) {
		p := newProgram(t, s, "/api/", "application/json", asJSON)
		text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(p.ask("GET", "?version=True", nil, 200, nil), ""))
		same(t, strings.Fields(text), []string{"Shop", "4.18.1", "ULTIMATE"})

		p.ask("POST", "categories/", map[string]any{"category": "Cups"}, 201, nil)
		p.ask("POST", "products/", map[string]any{"product": "Clay mug", "category_ids": "1", "price": "9.50"}, 201, nil)
		var categories struct {
			Categories []map[string]any
			Params     map[string]any
		}
		p.ask("GET", "categories/", nil, 200, &categories)
		same(t, len(categories.Categories), 1)
		var products struct {
			Products []map[string]any
			Params   map[string]any
		}
		p.ask("GET", "products/?page=1&items_per_page=10&get_options=False&get_features=True&get_detailed=True&get_icon=True"+
			"&get_additional=True&detailed_params=False&cid=1&subcats=True&free_shipping=False&pname=&status=", nil, 200, &products)
		same(t, len(products.Products), 1)
		total, err := strconv.Atoi(fmt.Sprint(products.Params["total_items"]))
		if err != nil || total != 1 {
			t.Errorf("total_items is %v", products.Params["total_items"])
		}
		p.ask("GET", "categories/1/products/", nil, 200, &products)
		same(t, len(products.Products), 1)
		p.ask("PUT", "products/1/", map[string]any{"nothing_we_know": true, "product_id": 77}, 200, nil)
		p.ask("GET", "products/1/", nil, 200, nil)
		p.ask("GET", "products/77/", nil, 404, nil)
		p.ask("PUT", "products/", map[string]any{"product": "Jug"}, 405, nil)
		p.ask("POST", "products/1/", map[string]any{"product": "Jug"}, 405, nil)
		p.ask("POST", "products/", map[string]any{"price": "x"}, 400, nil)
		p.ask("DELETE", "categories/1/products/1/", nil, 204, nil)
		p.ask("DELETE", "categories/1/", nil, 204, nil)

		p.key = "wrong"
		p.ask("GET", "categories/", nil, 401, nil)
	})
}

// TestClients_Forms are shell scripts and older programs that send form-style bodies,
// with either content type or none, in each address form and dialect.
func TestClients_Forms(t *testing.T) {
	for name, dialect := range dialects {
		for _, base := range []string{"/api/2.0/", "/api/", "/api.php?ajax_custom=1&_d=", "/api.php?_d=2.0/"} {
			for _, contentType := range []string{"", "text/plain", "text/plain; charset=UTF-8", "application/x-www-form-urlencoded"} {
				t.Run(name+" "+base+" "+contentType, func(t *testing.T) {
					s := apitest.New(t, nil)
					if dialect == shopapi.DialectLive {
						s = apitest.New(t, liveOptions())
					}
					filters := func(query string) string { // after _d they are further parameters
						if strings.Contains(base, "?") {
							return "&" + query
						}
						return "?" + query
					}
					p := newProgram(t, s, base, contentType, asForm)
					p.ask("POST", "categories", map[string]any{"category": "Cups & bowls=all", "selected_views": map[string]any{"0": "list"}}, 201, nil)
					p.ask("POST", "products/", map[string]any{"product": "Clay mug", "category_ids": []int{1}, "price": "9.5"}, 201, nil)
					p.ask("POST", "options", map[string]any{
						"product_id": 1, "option_name": "Size", "option_type": "S", "required": "Y",
						"variants": map[string]any{"0": map[string]any{"variant_name": "S"}, "1": map[string]any{"variant_name": "L", "modifier": "1.5"}},
					}, 201, nil)
					p.ask("POST", "options", map[string]any{"product_id": 1, "option_name": "As a gift", "option_type": "C"}, 201, nil)
					p.ask("POST", "combinations", map[string]any{"product_id": 1, "combination": map[string]any{"1": 2, "2": 3}, "amount": 5}, 201, nil)
					p.ask("POST", "exceptions", map[string]any{"product_id": 1, "combination": map[string]any{"1": 1, "2": -1}}, 201, nil)
					p.ask("POST", "products/1/discussions", map[string]any{"message": "Größe ☕", "rating_value": 4}, 201, nil)
					p.ask("POST", "call_requests", map[string]any{"email": "ana+shop@example.com"}, 201, nil)
					p.ask("PUT", "call_requests/1", map[string]any{"status": "completed"}, 200, nil)

					same(t, s.Get("/api/categories/1").Field("category"), "Cups & bowls=all")
					same(t, s.Get("/api/discussions/1").Field("message"), "Größe ☕")
					same(t, s.Get("/api/call_requests/1").Field("email"), "ana+shop@example.com")
					var calls struct {
						Requests []struct{ Status string } `json:"call_requests"`
					}
					p.ask("GET", "call_requests"+filters("status=completed&page=1"), nil, 200, &calls)
					same(t, len(calls.Requests), 1)
					p.ask("GET", "call_requests"+filters("status=new&sort_by=id"), nil, 200, &calls)
					same(t, len(calls.Requests), 0)
					var exceptions []struct{ Combination map[string]string }
					p.ask("GET", "exceptions"+filters("product_id=1"), nil, 200, &exceptions)
					same(t, exceptions[0].Combination, map[string]string{"1": "1", "2": "-1"})
					for _, gone := range []string{"exceptions/1", "products/1/discussions/1/", "call_requests/1", "products/1", "categories/1/"} {
						p.ask("DELETE", gone, nil, 204, nil)
					}
				})
			}
		}
	}
}
