package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/shop"
)

// forum returns a shop with four posts: of the product, the category, the home page and
// the product again, from the oldest to the newest, an hour apart.
func forum(t *testing.T) *apitest.Shop {
	t.Helper()
	s := newShop(t, shopapi.Options{})
	if _, err := s.Discussions.OpenThread(t.Context(), discussions.Thread{ObjectType: "E", Type: discussions.Ratings}); err != nil {
		t.Fatal(err)
	}
	now := apitest.Start.Unix()
	for i, post := range []string{
		`"object_type": "P", "object_id": 1, "name": "Bo", "message": "Holds heat", "rating_value": 5`,
		`"object_type": "C", "object_id": 1, "name": "Cy", "message": "Many of them", "status": "D"`,
		`"object_type": "E", "object_id": 0, "name": "Al", "message": "A fine shop", "rating_value": 4`,
		`"thread_id": 2, "name": "Di", "message": "Cracked"`,
	} {
		status(t, s.Post("/api/2.0/discussions", fmt.Sprintf(`{%s, "timestamp": %d}`, post, now-int64(4-i)*3600)), 201)
	}
	return s
}

func posts(t *testing.T, s *apitest.Shop, query string) string {
	t.Helper()
	return ids(t, s.Get("/api/2.0/discussions?"+query), "discussions", "post_id")
}

func TestInterface_Discussions_Module(t *testing.T) {
	s := apitest.New(t, &shop.Options{Without: []string{"discussions"}})
	status(t, s.Get("/api/2.0/discussions"), 404)
	status(t, apitest.New(t, nil).Get("/api/2.0/discussions"), 200)
}

func TestInterface_Discussions_Fields(t *testing.T) {
	s := forum(t)
	post := object(t, s.Get("/api/2.0/discussions/1"))
	want := map[string]string{
		"post_id": `"1"`, "thread_id": `"2"`, "name": `"Bo"`, "timestamp": fmt.Sprintf(`"%d"`, apitest.Start.Unix()-4*3600),
		"user_id": `"1"`, "ip_address": `"192.0.2.1"`, "status": `"A"`, "message": `"Holds heat"`, "rating_value": `"5"`,
		"object_id": `"1"`, "object_type": `"P"`, "type": `"B"`, "company_id": `"1"`,
	}
	rows(t, want, func(t *testing.T, name, want string) { same(t, string(post[name]), want) })
	same(t, string(post["updated_at"]), fmt.Sprintf(`"%d"`, apitest.Start.Unix())) // an extension
	same(t, len(post), len(want)+1)
}

func TestInterface_Discussions_Guests(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	post, err := s.Discussions.Create(t.Context(), discussions.Post{ObjectType: "P", ObjectID: 1, Name: "A guest", Message: "Fine"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, s.Get(fmt.Sprintf("/api/2.0/discussions/%d", post.PostID)).Field("user_id"), "0")
}

func TestInterface_Discussions_ObjectTypes(t *testing.T) {
	s := apitest.New(t, &shop.Options{Without: []string{"pages", "orders"}}) // their ids are not checked
	stock(t, s)
	rows(t, map[string]string{"P": "1", "C": "1", "A": "7", "O": "8", "E": "0"}, func(t *testing.T, kind, id string) {
		created := s.Post("/api/2.0/discussions", `{"object_type": "`+kind+`", "object_id": `+id+`, "message": "Fine"}`)
		status(t, created, 201)
		post := s.Get("/api/2.0/discussions/" + created.Field("post_id"))
		same(t, post.Field("object_type")+post.Field("object_id"), kind+id)
	})
	refused(t, s.Post("/api/2.0/discussions", `{"object_type": "X", "object_id": 1, "message": "Fine"}`), "object_type")
}

func TestInterface_Discussions_ThreadTypes(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	rows(t, map[string]int{"C": 1, "R": 2, "B": 3}, func(t *testing.T, kind string, _ int) {
		product := s.Post("/api/2.0/products", `{"product": "Jug", "category_ids": [1]}`).Field("product_id")
		id, err := shopapi.ParseID("product", product)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Discussions.OpenThread(t.Context(), discussions.Thread{ObjectType: "P", ObjectID: id, Type: kind}); err != nil {
			t.Fatal(err)
		}
		post := s.Post("/api/2.0/products/"+product+"/discussions", `{"message": "Fine"}`).Field("post_id")
		same(t, s.Get("/api/2.0/discussions/"+post).Field("type"), kind)
	})
}

func TestInterface_Discussions_Endpoints(t *testing.T) {
	endpoints(t, "discussions", "post_id", "discussions", `{"object_type": "P", "object_id": 1, "message": "Fine"}`, `{"message": "Good"}`)
}

func TestInterface_Discussions_ChildOfProducts(t *testing.T) {
	s := forum(t)
	same(t, ids(t, s.Get("/api/2.0/products/1/discussions"), "discussions", "post_id"), "4 1")
	status(t, s.Post("/api/2.0/products/1/discussions", `{"message": "Fine"}`), 201)
	status(t, s.Get("/api/2.0/products/1/discussions/5"), 200)
	status(t, s.Put("/api/2.0/products/1/discussions/5", `{"message": "Good"}`), 200)
	status(t, s.Delete("/api/2.0/products/1/discussions/5"), 204)
}

func TestInterface_Discussions_VendorsOnlyUnderProducts(t *testing.T) {
	s := newShop(t, shopapi.Options{Edition: shopapi.MultiVendor})
	vendor := vendor(s, 1)
	status(t, s.Post("/api/2.0/discussions", `{"object_type": "P", "object_id": 1, "message": "Fine"}`), 201)
	status(t, vendor.Get("/api/2.0/discussions"), 403)
	status(t, vendor.Get("/api/2.0/discussions/1"), 403)
	status(t, vendor.Post("/api/2.0/discussions", `{"object_type": "P", "object_id": 1, "message": "Fine"}`), 403)
	status(t, vendor.Put("/api/2.0/discussions/1", `{"status": "D"}`), 403)
	status(t, vendor.Delete("/api/2.0/discussions/1"), 403)
	same(t, ids(t, vendor.Get("/api/2.0/products/1/discussions"), "discussions", "post_id"), "1")
	status(t, vendor.Put("/api/2.0/products/1/discussions/1", `{"status": "D"}`), 200)
}

func TestInterface_Discussions_ListShape(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/discussions", `{"object_type": "P", "object_id": 1, "message": "Fine"}`), 201)
	one := s.Get("/api/2.0/discussions/1").Body
	want := `{"discussions":[` + one + `],"params":{"items_per_page":"10","page":1,` +
		`"sort_order":"desc","sort_by":"timestamp","sort_order_rev":"asc","total_items":"1"}}`
	body(t, s.Get("/api/2.0/discussions"), 200, want)
	body(t, s.Get("/api/2.0/products/1/discussions"), 200, want)
}

func TestInterface_Discussions_ListParameters(t *testing.T) {
	s := forum(t)
	first := apitest.Start.Unix() - 4*3600
	rows(t, map[string][][2]string{ // a query and the ids of its result
		"page":           {{"", "4 3 2 1"}, {"page=2&items_per_page=3", "1"}},
		"items_per_page": {{"items_per_page=1", "4"}},
		"sort_by":        {{"sort_by=name", "4 2 1 3"}, {"sort_by=timestamp", "4 3 2 1"}},
		"sort_order":     {{"sort_order=asc", "1 2 3 4"}, {"sort_order=desc", "4 3 2 1"}},
		"status":         {{"status=A", "4 3 1"}, {"status=D", "2"}},
		"name":           {{"name=Cy", "2"}, {"name=No", ""}},
		"message":        {{"message=crack", "4"}, {"message=none", ""}},
		"type":           {{"type=R", "3"}, {"type=B", "4 2 1"}, {"type=C", ""}},
		"ip_address":     {{"ip_address=192.0.2.1", "4 3 2 1"}, {"ip_address=192.0.2.2", ""}},
		"rating_value":   {{"rating_value=5", "1"}, {"rating_value=1", ""}},
		"object_type":    {{"object_type=P", "4 1"}, {"object_type=C", "2"}, {"object_type=A", ""}, {"object_type=O", ""}, {"object_type=E", "3"}},
		"object_id":      {{"object_id=1", "4 2 1"}, {"object_id=0", "3"}, {"object_id=1&object_type=C", "2"}},
		"period":         {{"period=A", "4 3 2 1"}, {"period=LD", ""}},
		"time_from":      {{fmt.Sprintf("period=C&time_from=%d", first+1), "4 3 2"}, {fmt.Sprintf("time_from=%d", first+1), "4 3 2 1"}},
		"time_to":        {{fmt.Sprintf("period=C&time_to=%d", first), "1"}, {fmt.Sprintf("period=C&time_from=%d&time_to=%d", first+3600, first+7200), "3 2"}},
	}, func(t *testing.T, _ string, queries [][2]string) {
		for _, q := range queries {
			if got := posts(t, s, q[0]); got != q[1] {
				t.Errorf("?%s finds %q, want %q", q[0], got, q[1])
			}
		}
	})
}

func TestInterface_Discussions_SortKeys(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	for i, p := range []discussions.Post{
		{Name: "Bo", IPAddress: "192.0.2.3", Status: "D", Timestamp: 1700000002},
		{Name: "Al", IPAddress: "192.0.2.2", Status: "D", Timestamp: 1700000003},
		{Name: "Cy", IPAddress: "192.0.2.1", Status: "A", Timestamp: 1700000001},
	} {
		p.ObjectType, p.ObjectID, p.Message = "P", 1, fmt.Sprint(i)
		if _, err := s.Discussions.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	rows(t, map[string]string{"name": "2 1 3", "ip_address": "3 2 1", "timestamp": "3 1 2", "status": "3 1 2"},
		func(t *testing.T, key, ascending string) {
			same(t, posts(t, s, "sort_order=asc&sort_by="+key), ascending)
			want := strings.Fields(ascending)
			want[0], want[2] = want[2], want[0]
			same(t, posts(t, s, "sort_order=desc&sort_by="+key), strings.Join(want, " "))
		})
	refused(t, s.Get("/api/2.0/discussions?sort_by=message"), "sort_by")
}

// TestInterface_Discussions_Periods: posts just before, at the beginning, at the end and
// just after each period. It is Wednesday, 14 August 2024, 15:30.
func TestInterface_Discussions_Periods(t *testing.T) {
	day := func(month time.Month, day int) time.Time { return time.Date(2024, month, day, 0, 0, 0, 0, time.UTC) }
	now := day(8, 14).Add(15*time.Hour + 30*time.Minute)
	far := now.AddDate(50, 0, 0)
	rows(t, map[string]struct {
		from, to time.Time // its first second and the second after it
	}{
		"A": {time.Unix(1, 0), far}, "D": {day(8, 14), day(8, 15)}, "LD": {day(8, 13), day(8, 14)},
		"W": {day(8, 12), day(8, 19)}, "LW": {day(8, 5), day(8, 12)}, "M": {day(8, 1), day(9, 1)}, "LM": {day(7, 1), day(8, 1)},
		"Y": {day(1, 1), day(13, 1)}, "LY": {day(-11, 1), day(1, 1)}, "HH": {now.Add(-24 * time.Hour), now.Add(time.Second)},
		"HW": {now.AddDate(0, 0, -7), now.Add(time.Second)}, "HM": {now.AddDate(0, 0, -30), now.Add(time.Second)},
		"C": {day(2, 29), day(3, 2)},
	}, func(t *testing.T, code string, p struct{ from, to time.Time }) {
		s := newShop(t, shopapi.Options{})
		s.Clock.Set(now)
		for i, at := range []time.Time{p.from.Add(-time.Second), p.from, p.to.Add(-time.Second), p.to} {
			status(t, s.Post("/api/2.0/products/1/discussions", fmt.Sprintf(`{"message": "%d", "timestamp": %d}`, i, at.Unix())), 201)
		}
		query := "sort_order=asc&period=" + code
		want := "2 3"
		switch code {
		case "A":
			want = "2 1 3 4" // a timestamp of 0 becomes now
		case "C":
			query += fmt.Sprintf("&time_from=%d&time_to=%d", p.from.Unix(), p.to.Add(-time.Second).Unix())
		}
		same(t, posts(t, s, query), want)
	})
	refused(t, newShop(t, shopapi.Options{}).Get("/api/2.0/discussions?period=Q"), "period")
}

func TestInterface_Discussions_CreateAccepts(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/discussions", `{"object_type": "C", "object_id": 1, "message": "Fine"}`), 201)
	rows(t, map[string]string{
		"object_type": `"C"`, "object_id": `"1"`, "thread_id": `"1"`, "name": `"Ana"`, "message": `"Good"`,
		"rating_value": `"3"`, "timestamp": `"1700000000"`, "status": `"D"`,
	}, func(t *testing.T, name, value string) {
		fields := `"` + name + `": ` + value
		for _, more := range []string{`"object_type": "C"`, `"object_id": 1`} {
			if !strings.HasPrefix(more, `"`+name) {
				fields += ", " + more
			}
		}
		created := s.Post("/api/2.0/discussions", "{"+fields+"}")
		status(t, created, 201)
		same(t, string(object(t, s.Get("/api/2.0/discussions/"+created.Field("post_id")))[name]), value)
	})
}

func TestInterface_Discussions_ObjectOrThread(t *testing.T) {
	s := forum(t)
	refused(t, s.Post("/api/2.0/discussions", `{"message": "Fine"}`), "object_type")
	refused(t, s.Post("/api/2.0/discussions", `{"message": "Fine", "object_id": 1}`), "")
	refused(t, s.Post("/api/2.0/discussions", `{"message": "Fine", "object_type": "P"}`), "")
	same(t, posts(t, s, ""), "4 3 2 1")
	body(t, s.Post("/api/2.0/discussions", `{"message": "Fine", "thread_id": 2}`), 201, `{"post_id":"5"}`)
	same(t, s.Get("/api/2.0/discussions/5").Field("object_id"), "1")
}

func TestInterface_Discussions_Update(t *testing.T) {
	s := forum(t)
	// All fields that POST accepts, with the same object and thread.
	body(t, s.Put("/api/2.0/discussions/1", `{"object_type": "P", "object_id": 1, "thread_id": 2, "name": "Ana", "message": "Good",
		"rating_value": 3, "timestamp": 1700000000, "status": "D"}`), 200, `{"post_id":"1"}`)
	got := object(t, s.Get("/api/2.0/discussions/1"))
	for name, want := range map[string]string{
		"name": `"Ana"`, "message": `"Good"`, "rating_value": `"3"`, "timestamp": `"1700000000"`, "status": `"D"`,
	} {
		same(t, string(got[name]), want)
	}
	refused(t, s.Put("/api/2.0/discussions/1", `{"status": "X", "name": "Bo"}`), "status")
	same(t, s.Get("/api/2.0/discussions/1").Field("name"), "Ana")
}

func TestInterface_Discussions_Delete(t *testing.T) {
	s := forum(t)
	status(t, s.Delete("/api/2.0/discussions/1"), 204)
	same(t, posts(t, s, ""), "4 3 2")
}
