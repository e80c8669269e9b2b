package conformance

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

// A callOrders is a host's entity of orders: 501 is processed, 502 open.
type callOrders struct{ hosted }

func (*callOrders) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	status := map[string]string{"501": "P", "502": "O"}[id]
	if status == "" {
		return nil, shopapi.NotFound("order", id)
	}
	return shopapi.Map{{Name: "order_id", Value: id}, {Name: "status", Value: status}}, nil
}

// callDesk returns a shop with three call requests: the second is linked to order 501
// and administrator 3, Ada, the third to order 502 and administrator 2, Zora.
func callDesk(t *testing.T) *apitest.Shop {
	t.Helper()
	s := apitest.New(t, &shop.Options{Without: []string{"orders"}})
	register(t, s, &callOrders{hosted{name: "orders"}})
	stock(t, s)
	for _, name := range []string{"Zora", "Ada"} {
		_, err := s.Users.Create(t.Context(), users.User{Summary: users.Summary{Email: name + "@example.com", UserType: shopapi.Administrator, FirstName: name}}, "")
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, request := range []string{
		`{"phone": "+100", "name": "Bo", "timestamp": 1700000300}`,
		`{"phone": "+300", "name": "Cy", "timestamp": 1700000100, "status": "in_progress", "order_id": 501, "user_id": 3, "product_id": 1}`,
		`{"phone": "+200", "name": "Al", "timestamp": 1700000200, "status": "completed", "order_id": 502, "user_id": 2}`,
	} {
		status(t, s.Post("/api/2.0/call_requests", request), 201)
	}
	return s
}

// calls returns the ids of a list.
func calls(t *testing.T, s *apitest.Shop, query string) string {
	t.Helper()
	return ids(t, s.Get("/api/2.0/call_requests?"+query), "call_requests", "request_id")
}

func TestInterface_CallRequests_Module(t *testing.T) {
	s := apitest.New(t, &shop.Options{Without: []string{"call_requests"}})
	status(t, s.Get("/api/2.0/call_requests"), 404)
	status(t, apitest.New(t, nil).Get("/api/2.0/call_requests"), 200)
}

func TestInterface_CallRequests_Fields(t *testing.T) {
	s := callDesk(t)
	bare, linked := object(t, s.Get("/api/2.0/call_requests/1")), object(t, s.Get("/api/2.0/call_requests/2"))
	want := map[string][2]string{
		"request_id":    {`"1"`, `"2"`},
		"company_id":    {`"1"`, `"1"`},
		"order_id":      {`"0"`, `"501"`},
		"user_id":       {`"0"`, `"3"`},
		"product_id":    {`"0"`, `"1"`},
		"timestamp":     {`"1700000300"`, `"1700000100"`},
		"status":        {`"new"`, `"in_progress"`},
		"name":          {`"Bo"`, `"Cy"`},
		"phone":         {`"+100"`, `"+300"`},
		"time_from":     {`""`, `""`},
		"time_to":       {`""`, `""`},
		"notes":         {`null`, `null`},
		"cart_products": {`""`, `""`},
		"order_status":  {`null`, `"P"`},
		"product":       {`null`, `"Clay mug"`},
	}
	rows(t, want, func(t *testing.T, name string, want [2]string) {
		same(t, [2]string{string(bare[name]), string(linked[name])}, want)
	})
	same(t, len(bare), len(want))
}

func TestInterface_CallRequests_EmailOnCreation(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/call_requests", `{"email": "ana@example.com"}`), 201)
	same(t, s.Get("/api/2.0/call_requests/1").Field("email"), "ana@example.com")
}

func TestInterface_CallRequests_Endpoints(t *testing.T) {
	endpoints(t, "call_requests", "request_id", "call_requests", `{"phone": "1"}`, `{"phone": "2"}`)
}

func TestInterface_CallRequests_ListShape(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/call_requests", `{"phone": "1"}`), 201)
	one := s.Get("/api/2.0/call_requests/1").Body
	body(t, s.Get("/api/2.0/call_requests"), 200, `{"call_requests":[`+one+`],"params":{"items_per_page":"10","page":1,`+
		`"sort_order":"desc","sort_by":"date","sort_order_rev":"asc","total_items":"1"}}`)
	body(t, s.Get("/api/2.0/call_requests?page=2&items_per_page=5&sort_by=id&sort_order=asc"), 200, `{"call_requests":[],`+
		`"params":{"items_per_page":"5","page":2,"sort_order":"asc","sort_by":"id","sort_order_rev":"desc","total_items":"1"}}`)
}

func TestInterface_CallRequests_ListParameters(t *testing.T) {
	s := callDesk(t)
	rows(t, map[string][][2]string{ // a query and the ids of its result
		"page":           {{"page=2&items_per_page=2", "2"}, {"", "1 3 2"}, {"page=1", "1 3 2"}},
		"items_per_page": {{"items_per_page=1", "1"}, {"items_per_page=3", "1 3 2"}},
		"sort_by":        {{"sort_by=name", "2 1 3"}, {"sort_by=date", "1 3 2"}},
		"sort_order":     {{"sort_order=asc", "2 3 1"}, {"sort_order=desc", "1 3 2"}},
		"status":         {{"status=new", "1"}, {"status=in_progress", "2"}, {"status=completed", "3"}, {"status=no_answer", ""}},
		"name":           {{"name=Cy", "2"}, {"name=No", ""}},
		"phone":          {{"phone=200", "3"}, {"phone=999", ""}},
		"company_id":     {{"company_id=1", "1 3 2"}, {"company_id=2", ""}},
		"order_status":   {{"order_status=O", "3"}, {"order_status=P", "2"}, {"order_status=C", ""}},
		"user_id":        {{"user_id=3", "2"}, {"user_id=0", "1"}},
		"order_exists":   {{"order_exists=Y", "3 2"}, {"order_exists=N", "1"}},
	}, func(t *testing.T, _ string, queries [][2]string) {
		for _, q := range queries {
			if got := calls(t, s, q[0]); got != q[1] {
				t.Errorf("?%s finds %q, want %q", q[0], got, q[1])
			}
		}
	})
}

func TestInterface_CallRequests_SortKeys(t *testing.T) {
	s := callDesk(t)
	rows(t, map[string]string{
		"id": "1 2 3", "date": "2 3 1", "status": "3 2 1", "name": "3 1 2", "phone": "1 3 2", "user_id": "1 3 2",
		"user": "1 2 3", "order": "1 2 3", "order_status": "1 3 2",
	}, func(t *testing.T, key, ascending string) {
		same(t, calls(t, s, "sort_order=asc&sort_by="+key), ascending)
		want := strings.Fields(ascending)
		want[0], want[2] = want[2], want[0]
		same(t, calls(t, s, "sort_order=desc&sort_by="+key), strings.Join(want, " "))
	})
	refused(t, s.Get("/api/2.0/call_requests?sort_by=notes"), "sort_by")
}

func TestInterface_CallRequests_PhoneOrEmail(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	a := s.Post("/api/2.0/call_requests", `{"name": "Ana"}`)
	refused(t, a, "phone")
	refused(t, a, "email")
	status(t, s.Post("/api/2.0/call_requests", `{"phone": "1"}`), 201)
	status(t, s.Post("/api/2.0/call_requests", `{"email": "ana@example.com"}`), 201)
	same(t, calls(t, s, "sort_by=id&sort_order=asc"), "1 2")
}

func TestInterface_CallRequests_CreateAccepts(t *testing.T) {
	s := callDesk(t)
	rows(t, map[string]string{
		"email": `"ana@example.com"`, "phone": `"+1"`, "user_id": `"2"`, "order_id": `"502"`, "product_id": `"1"`,
		"timestamp": `"1700000001"`, "status": `"no_answer"`, "name": `"Ana"`, "time_from": `"10:00"`, "time_to": `"12:00"`,
		"notes": `"Back door"`, "cart_products": `"two mugs"`,
	}, func(t *testing.T, name, value string) {
		fields := `"` + name + `": ` + value
		if name != "phone" {
			fields += `, "phone": "1"`
		}
		id := s.Post("/api/2.0/call_requests", "{"+fields+"}").Field("request_id")
		same(t, string(object(t, s.Get("/api/2.0/call_requests/"+id))[name]), value)
	})
}

func TestInterface_CallRequests_Create(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	body(t, s.Post("/api/2.0/call_requests", `{"phone": "1"}`), 201, `{"request_id":"1"}`)
	refused(t, s.Post("/api/2.0/call_requests", `{"phone": "1", "status": "later"}`), "status")
	same(t, calls(t, s, ""), "1")
}

func TestInterface_CallRequests_Update(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/call_requests", `{"phone": "1"}`), 201)
	body(t, s.Put("/api/2.0/call_requests/1", `{"status": "completed"}`), 200, `{"request_id":"1"}`)
	refused(t, s.Put("/api/2.0/call_requests/1", `{"status": "later", "phone": "2"}`), "status")
	got := s.Get("/api/2.0/call_requests/1")
	same(t, got.Field("status")+" "+got.Field("phone"), "completed 1")
}

func TestInterface_CallRequests_Delete(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/call_requests", `{"phone": "1"}`), 201)
	status(t, s.Delete("/api/2.0/call_requests/1"), 204)
	same(t, calls(t, s, ""), "")
}
