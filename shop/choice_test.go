package shop_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// openFilled opens a shop with rows of every entity.
func openFilled(t *testing.T) (*shop.Shop, *apitest.Client) {
	t.Helper()
	s, err := shop.New(t.Context(), copied(t, memory.New(), openFixture(t, fixtures[len(fixtures)-1]+".db.gz")), fixtureOptions())
	if err != nil {
		t.Fatal(err)
	}
	return s, (&apitest.Client{T: t, Handler: s}).As(fixtureEmail, fixtureKey)
}

// itemsOf returns the items of a list in any shape.
func itemsOf(t *testing.T, body string) (items []map[string]any) {
	t.Helper()
	var answer any
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
	var add func(v any, deep int)
	add = func(v any, deep int) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				if object, ok := item.(map[string]any); ok {
					items = append(items, object)
				}
			}
		case map[string]any:
			for name, value := range v {
				if name == "params" {
					continue
				}
				if object, ok := value.(map[string]any); ok && deep > 0 {
					items = append(items, object)
					continue
				}
				add(value, deep+1)
			}
		}
	}
	add(answer, 0)
	return items
}

// E3: in a list any field of the object may be named, and it is the object's value.
func TestE3_ListsHaveTheFieldsOfObjects(t *testing.T) {
	t.Parallel()
	s, c := openFilled(t)
	compared := 0
	for _, d := range s.Descriptions() {
		list, idField := c.Get("/api/2.0/"+d.Name), d.ObjectIDField()
		if list.Status != http.StatusOK || idField == "" || !slices.Contains(d.Operations, "get") {
			continue
		}
		for _, item := range itemsOf(t, list.Body) {
			id, _ := item[idField].(string)
			address := "/api/2.0/" + d.Name + "/" + url.PathEscape(id)
			object := c.Get(address)
			if id == "" || object.Status != http.StatusOK {
				continue
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(object.Body), &want); err != nil {
				t.Fatal(err)
			}
			delete(want, "payment_info")
			var names []string
			for name := range want {
				names = append(names, name)
			}
			slices.Sort(names)
			query := "?fields=" + strings.Join(names, ",")
			var got map[string]any
			if body := c.Get(address + query).Body; json.Unmarshal([]byte(body), &got) != nil || !cmp.Equal(want, got) {
				t.Errorf("%s%s: %s", address, query, cmp.Diff(want, got))
			}
			found := false
			for _, item := range itemsOf(t, c.Get("/api/2.0/"+d.Name+query).Body) {
				if item[idField] == id {
					found = true
					if diff := cmp.Diff(want, item); diff != "" {
						t.Errorf("%s in its list: %s", address, diff)
					}
				}
			}
			if !found {
				t.Errorf("%s is not in its list with %s", address, query)
			}
			one := names[len(names)/2]
			var few map[string]any
			if err := json.Unmarshal([]byte(c.Get(address+"?fields="+one).Body), &few); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{idField: want[idField], one: want[one]}, few); diff != "" {
				t.Errorf("%s?fields=%s: %s", address, one, diff)
			}
			for _, item := range itemsOf(t, c.Get("/api/2.0/"+d.Name+"?fields="+one).Body) {
				if item[idField] == nil {
					t.Errorf("an item of %s?fields=%s has no %s", d.Name, one, idField)
				}
			}
			compared++
			break
		}
	}
	if compared < 18 {
		t.Errorf("%d entities were compared", compared)
	}
}

// E3: the query of a published connector, at most six reads of a list for any choice, and
// ignored parameters.
func TestE3_Fields(t *testing.T) {
	t.Parallel()
	counted := &shoptest.CountingStore{Store: shoptest.Memory(t)}
	s := apitest.NewWithStore(t, unclosed{counted}, nil)
	one := fillCatalogue(t, s.Client)
	get := func(address string, most int) *apitest.Answer {
		t.Helper()
		var answer *apitest.Answer
		if n := counted.In(func() { answer = s.Get(address) }); n > int64(most) {
			t.Errorf("%s takes %d reads, want at most %d", address, n, most)
		}
		if answer.Status != http.StatusOK {
			t.Errorf("%s is answered %d %.300s", address, answer.Status, answer.Body)
		}
		return answer
	}
	connector := get("/api/2.0/products?items_per_page=1&page=2&sort_by=id&fields=product_id,product,product_code,price,full_description,amount", 2)
	if want := `{"products":[{"product_id":"2","product":"Product 1","product_code":"","price":"12.50","amount":"1","full_description":""}],"params":{`; !strings.HasPrefix(connector.Body, want) {
		t.Errorf("%.400s, want %s", connector.Body, want)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(get(one, 7).Body), &all); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range all {
		names = append(names, name)
		get(aList+"&fields="+name, 6)
	}
	get(aList+"&fields="+strings.Join(names, ","), 6)
	get("/api/2.0/products/101?fields=price", 1)

	whole := s.Get(one).Body
	for _, ignored := range []string{"", "*", "nothing", "a.b", "%20,,", strings.Repeat("x,", 10_000)} {
		if got := s.Get(one + "?fields=" + ignored).Body; got != whole {
			t.Errorf("fields=%.20s gives %.200s", ignored, got)
		}
	}
	a, b := s.Get(one+"?fields=price,%20amount"), s.Get(one+"?fields=amount,nothing,price,price")
	if a.Body != `{"product_id":"101","price":"12.50","amount":"1"}` || a.Body != b.Body || a.Header.Get("Etag") != b.Header.Get("Etag") {
		t.Errorf("%s %v, and %s %v", a.Body, a.Header, b.Body, b.Header)
	}
	if put := putIf(s.Client, one+"?fields=amount,price", `{"price": "13"}`, a.Header.Get("Etag")); put.Status != http.StatusOK || put.Header.Get("Etag") != s.Get(one+"?fields=price,amount").Header.Get("Etag") {
		t.Errorf("PUT is answered %d %s", put.Status, put.Body)
	}
	if put := putIf(s.Client, one+"?fields=amount,price", `{"price": "14"}`, a.Header.Get("Etag")); put.Status != http.StatusPreconditionFailed {
		t.Errorf("PUT is answered %d %s", put.Status, put.Body)
	}
}

// E3: a choice shows no field that the user may not see, and none that lists never have.
func TestE3_PrivilegedFields(t *testing.T) {
	t.Parallel()
	s := openWithProducts(t, shoptest.Memory(t), nil, "A")
	clerk := s.User("view_users", "view_orders", "view_catalog")
	for _, test := range []struct{ address, want string }{
		{"/api/2.0/users/1?fields=api_key,password,salt", s.Get("/api/2.0/users/1").Body},
		{"/api/2.0/users/1?fields=password,email", `{"user_id":"1","email":"` + apitest.RootEmail + `"}`},
		{"/api/2.0/products/1?fields=payment_info,price", `{"product_id":"1","price":"3.00"}`},
	} {
		if got := s.Get(test.address).Body; got != test.want {
			t.Errorf("%s gives %.300s, want %.300s", test.address, got, test.want)
		}
		if got := clerk.Get(test.address).Body; strings.Contains(got, "password") || strings.Contains(got, "api_key\":\"") {
			t.Errorf("%s gives a clerk %.300s", test.address, got)
		}
	}
}

// putIf sends a PUT with the header If-Match.
func putIf(c *apitest.Client, address, body, tag string) *apitest.Answer {
	req := httptest.NewRequest(http.MethodPut, address, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("If-Match", tag)
	req.SetBasicAuth(c.Email, c.Key)
	return c.Send(req)
}

// E3: the id is there by the name that objects have for it, and the keys of lists that are
// objects are the same.
func TestE3_IDsAndKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		edition       shopapi.Edition
		address, want string
	}{
		{shopapi.SingleStore, "languages?fields=name", `{"languages":{"en":{"lang_id":"1","name":"English"}},"params":{`},
		{shopapi.SingleStore, "settings?fields=name&items_per_page=1", `{"settings":[{"object_id":"`},
		{shopapi.MultiVendor, "vendors?fields=company", `{"vendors":[{"company_id":"1","company":"Company 1"}],"params":{`},
		{shopapi.MultiVendor, "vendors/1?fields=company", `{"company_id":"1","company":"Company 1"}`},
		{shopapi.MultiStorefront, "stores?fields=company", `{"stores":[{"company_id":"1","company":"Company 1"}],"params":{`},
		{shopapi.MultiStorefront, "stores/1?fields=company", `{"company_id":"1","company":"Company 1"}`},
	} {
		s := apitest.NewWithStore(t, shoptest.Memory(t), &shop.Options{Options: shopapi.Options{Edition: c.edition}})
		if got := s.Get("/api/2.0/" + c.address).Body; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %.200s, want %s", c.address, got, c.want)
		}
	}
}
