package callrequests_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// The greatest lengths of documents, in bytes.
const (
	maxNotes = 64 << 10
	maxCart  = 64 << 10
)

func TestCallRequests_FieldsInTheirOrder(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, products(), orders(), officers())
		s.Want("POST", "/api/2.0/call_requests", `{"email": "ana@example.com", "phone": "+10000000001", "user_id": 5, "order_id": "501",
			"product_id": 41, "timestamp": 1600000000, "status": "in_progress", "name": "Ana", "time_from": "10:00", "time_to": "12:00",
			"notes": "Rings twice", "cart_products": [{"product_id": 41, "amount": 2, "price": 9.50, "product": "Clay mug"}]}`, 201, `{"request_id":"1"}`)
		const one = `{"request_id":"1","company_id":"1","order_id":"501","user_id":"5","product_id":"41","timestamp":"1600000000",` +
			`"status":"in_progress","name":"Ana","phone":"+10000000001","email":"ana@example.com","time_from":"10:00","time_to":"12:00",` +
			`"notes":"Rings twice","cart_products":[{"product_id":41,"amount":2,"price":9.50,"product":"Clay mug"}],"order_status":"O","product":"Clay mug"}`
		s.Want("GET", "/api/2.0/call_requests/1", "", 200, one)
		s.Want("GET", "/api/2.0/call_requests", "", 200, `{"call_requests":[`+one+`],"params":{"items_per_page":"10","page":1,`+
			`"sort_order":"desc","sort_by":"date","sort_order_rev":"asc","total_items":"1"}}`)
		s.Want("DELETE", "/api/2.0/call_requests/1", "", 204, "")
		s.Want("GET", "/api/2.0/call_requests", "", 200, `{"call_requests":[],"params":{"items_per_page":"10","page":1,`+
			`"sort_order":"desc","sort_by":"date","sort_order_rev":"asc","total_items":"0"}}`)
	})
}

func TestCallRequests_Defaults(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.Want("POST", "/api/call_requests", `phone=%2B10000000001`, 201, `{"request_id":"1"}`)
		s.Want("GET", "/api/call_requests/1", "", 200, `{"request_id":"1","company_id":"1","order_id":"0","user_id":"0","product_id":"0",`+
			`"timestamp":"1700000000","status":"new","name":"","phone":"+10000000001","time_from":"","time_to":"","notes":null,`+
			`"cart_products":"","order_status":null,"product":null}`)
	})
}

func TestCallRequests_EmailAppearsOnlyWhenGiven(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.Status("POST", "/api/call_requests", `{"email": "ana@example.com"}`, 201)
		s.Status("POST", "/api/call_requests", `{"phone": "1", "email": ""}`, 201)
		if got := s.Field("/api/call_requests/1", "email"); got != `"ana@example.com"` {
			t.Errorf("email is %s", got)
		}
		if got := s.Field("/api/call_requests/2", "email"); got != "" {
			t.Errorf("email is %s, want none", got)
		}
		s.Status("PUT", "/api/call_requests/1", `{"phone": "1", "email": null}`, 200)
		if got := s.Field("/api/call_requests/1", "email"); got != "" {
			t.Errorf("email is %s after it was emptied, want none", got)
		}
	})
}

func TestCallRequests_PhoneOrEmailIsRequired(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		for _, body := range []string{`{"name": "Ana"}`, `{"phone": ""}`, `{"phone": null, "email": " "}`, `phone=&email=%09`} {
			s.Refuses("POST", "/api/call_requests", body, "phone", "email")
		}
		s.Status("POST", "/api/call_requests", `{"phone": 10000000001}`, 201)
		s.Refuses("PUT", "/api/call_requests/1", `{"phone": ""}`, "phone", "email")
		if got := s.Field("/api/call_requests/1", "phone"); got != `"10000000001"` {
			t.Errorf("phone is %s", got)
		}
	})
}

func TestCallRequests_StatusIsOneOfTheSet(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		for _, status := range []string{"new", "in_progress", "completed", "no_answer"} {
			s.Status("POST", "/api/call_requests", `{"phone": "1", "status": "`+status+`"}`, 201)
			s.Status("PUT", "/api/call_requests/1", `{"status": "`+status+`"}`, 200)
		}
		for _, status := range []string{`"done"`, `""`, `"NEW"`, `null`, `1`, `["new"]`, `true`} {
			s.Refuses("POST", "/api/call_requests", `{"phone": "1", "status": `+status+`}`, "status")
			s.Refuses("PUT", "/api/call_requests/1", `{"status": `+status+`}`, "status")
		}
		if got := s.Field("/api/call_requests/1", "status"); got != `"no_answer"` {
			t.Errorf("status is %s", got)
		}
	})
}

func TestCallRequests_LiveDialectStoresTheDefaultStatus(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Dialect: shopapi.DialectLive})
		s.Want("POST", "/api/call_requests", `{"phone": "1", "status": "done"}`, 201, `{"request_id":1}`)
		if got := s.Field("/api/call_requests/1", "status"); got != `"new"` {
			t.Errorf("status is %s", got)
		}
		s.Want("PUT", "/api/call_requests/1", `{"status": "completed"}`, 200, `{"request_id":"1"}`)
		s.Refuses("PUT", "/api/call_requests/1", `{"status": "done"}`, "status")
		if got := s.Field("/api/call_requests/1", "status"); got != `"completed"` {
			t.Errorf("status is %s", got)
		}
	})
}

func TestCallRequests_TimesAreKeptAsGiven(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.Status("POST", "/api/call_requests", `{"phone": "1", "time_from": "__:__", "time_to": "après-midi ☎️ x"}`, 201)
		for name, want := range map[string]string{"time_from": `"__:__"`, "time_to": `"après-midi ☎️ x"`} {
			if got := s.Field("/api/call_requests/1", name); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
		s.Status("PUT", "/api/call_requests/1", `{"time_from": "1234567890123456"}`, 200)
		s.Refuses("PUT", "/api/call_requests/1", `{"time_from": "12345678901234567"}`, "time_from")
		s.Refuses("POST", "/api/call_requests", `{"phone": "1", "time_from": "12345678901234567", "time_to": "éééééééééééééééééé"}`, "time_from", "time_to")
	})
}

func TestCallRequests_NotesAreTextOrNull(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.Status("POST", "/api/call_requests", `{"phone": "1", "notes": "Back door"}`, 201)
		for _, c := range [][2]string{
			{`{"name": "Ana"}`, `"Back door"`}, {`{"notes": ""}`, `""`}, {`notes=Front+door`, `"Front door"`}, {`{"notes": null}`, `null`},
			{`notes=&name=Eve`, `null`}, {`{"notes": "", "name": "Ana"}`, `null`},
		} {
			s.Status("PUT", "/api/call_requests/1", c[0], 200)
			if got := s.Field("/api/call_requests/1", "notes"); got != c[1] {
				t.Errorf("notes after %s are %s, want %s", c[0], got, c[1])
			}
		}
	})
}

// Long texts are limited in bytes, on POST and on PUT.
func TestCallRequests_LongTexts(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		cart := func(bytes int) string {
			const product = `{"product_id":41,"amount":2,"price":9.50,"product":"%s"}`
			return "[ " + strings.Replace(product, "%s", strings.Repeat("é", (bytes-len(product))/2), 1) + " ]"
		}
		for field, c := range map[string]struct{ longest, longer string }{
			"notes":         {`"` + strings.Repeat("é", maxNotes/2) + `"`, `"` + strings.Repeat("é", maxNotes/2) + `x"`},
			"cart_products": {cart(maxCart), cart(maxCart + 2)},
		} {
			answer := s.Send("POST", "/api/call_requests", `{"phone": "1", "`+field+`": `+c.longest+`}`)
			var created struct {
				ID string `json:"request_id"`
			}
			answer.Decode(&created)
			if answer.Status != 201 {
				t.Errorf("%s of the greatest length: %d %.200s", field, answer.Status, answer.Body)
			}
			address := "/api/call_requests/" + created.ID
			before := s.Field(address, field)
			s.Refuses("POST", "/api/call_requests", `{"phone": "1", "`+field+`": `+c.longer+`}`, field)
			s.Refuses("PUT", address, `{"`+field+`": `+c.longer+`}`, field)
			if s.Field(address, field) != before || len(before) < maxNotes {
				t.Errorf("%s was changed, or is not what was sent: %d bytes", field, len(before))
			}
		}
	})
}

// Values that an older version stored are not checked if another field changes.
func TestCallRequests_UnchangedFieldIsNotChecked(t *testing.T) {
	type row struct {
		RequestID    int64  `json:"request_id" store:"key"`
		Status       string `json:"status"`
		Notes        string `json:"notes"`
		CartProducts string `json:"cart_products"`
	}
	older, st := store.MustTable[row]("call_requests"), shoptest.Memory(t)
	if err := st.Migrate(t.Context(), older.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return older.Insert(tx, &row{Status: "new", Notes: strings.Repeat("x", maxNotes+1), CartProducts: `[{"amount":-1}]`})
	})
	if err != nil {
		t.Fatal(err)
	}
	s := suite.Open(t, st, shopapi.Options{})
	s.Status("PUT", "/api/call_requests/1", `{"name": "Ana"}`, 200)
	if got := s.Field("/api/call_requests/1", "name"); got != `"Ana"` {
		t.Errorf("name is %s", got)
	}
	s.Refuses("PUT", "/api/call_requests/1", `{"email": " "}`, "phone", "email")
}

func TestCallRequests_CartProducts(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.Status("POST", "/api/call_requests", `{"phone": "1"}`, 201)
		for body, want := range map[string]string{
			`{"cart_products": ""}`:           `""`,
			`{"cart_products": []}`:           `""`,
			`{"cart_products": null}`:         `""`,
			`cart_products=`:                  `""`,
			`{"cart_products": "2 mugs"}`:     `"2 mugs"`,
			`{"cart_products": "[1, 2]"}`:     `"[1, 2]"`,
			`{"cart_products": 2}`:            `"2"`,
			`{"cart_products": "<b>☕</b> &"}`: `"<b>☕</b> &"`,
			`{"cart_products": [ {"product_id": "41", "amount": "2", "price": "9.50", "product": "Mug"}, {} ]}`: `[{"product_id":"41","amount":"2","price":"9.50","product":"Mug"},{}]`,
			`{"cart_products": [{"product_id": 41, "amount": 2, "price": 9.5, "product": "<i>Mug</i>"}]}`:       `[{"product_id":41,"amount":2,"price":9.5,"product":"<i>Mug</i>"}]`,
			`cart_products[0][product_id]=41&cart_products[0][amount]=2&cart_products[0][price]=9.50`:           `[{"product_id":"41","amount":"2","price":"9.50"}]`,
		} {
			s.Status("PUT", "/api/call_requests/1", `{"cart_products": "before"}`, 200)
			s.Status("PUT", "/api/call_requests/1", body, 200)
			if got := s.Field("/api/call_requests/1", "cart_products"); got != want {
				t.Errorf("cart_products after %s are %s, want %s", body, got, want)
			}
		}
		for _, cart := range []string{
			`{}`, `{"product_id": 41}`, `true`, `[41]`, `["mug"]`, `[null]`, `[[]]`, `[{"product_id": "mug"}]`, `[{"amount": -1}]`, `[{"amount": 1.5}]`,
			`[{"price": "cheap"}]`, `[{"price": -1}]`, `[{"product": 5}]`, `[{"product": {"name": "mug"}}]`, `[{"product_id": [41]}]`,
		} {
			s.Refuses("PUT", "/api/call_requests/1", `{"cart_products": `+cart+`}`, "cart_products")
			s.Refuses("POST", "/api/call_requests", `{"phone": "1", "cart_products": `+cart+`}`, "cart_products")
		}
	})
}

func TestCallRequests_ReferencesMustExist(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, products(), orders(), officers())
		s.Refuses("POST", "/api/call_requests", `{"phone": "1", "user_id": 99, "order_id": 99, "product_id": 99}`, "user_id", "order_id", "product_id")
		s.Status("POST", "/api/call_requests", `{"phone": "1"}`, 201)
		for _, field := range []string{"user_id", "order_id", "product_id"} {
			for _, id := range []string{"99", "-1", `"mug"`, "1.5", "[1]", "true"} {
				s.Refuses("PUT", "/api/call_requests/1", `{"`+field+`": `+id+`}`, field)
			}
		}
		if list, total := s.ids(""); len(list) != 1 || total != "1" {
			t.Errorf("the shop has the requests %v, total %s; want one", list, total)
		}
		s.Status("PUT", "/api/call_requests/1", `{"user_id": "5", "order_id": 501, "product_id": 41}`, 200)
		s.Status("PUT", "/api/call_requests/1", `{"user_id": 0, "order_id": null, "product_id": "0"}`, 200)
	})
}

func TestCallRequests_WithoutEntitiesEveryIDWillDo(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.Status("POST", "/api/call_requests", `{"phone": "1", "user_id": 98, "order_id": 99, "product_id": 97}`, 201)
		s.Status("POST", "/api/call_requests", `{"phone": "2"}`, 201)
		s.Want("GET", "/api/call_requests/1", "", 200, `{"request_id":"1","company_id":"1","order_id":"99","user_id":"98","product_id":"97",`+
			`"timestamp":"1700000000","status":"new","name":"","phone":"1","time_from":"","time_to":"","notes":null,`+
			`"cart_products":"","order_status":null,"product":null}`)
		s.lists("order_exists=Y", "1")
		s.lists("order_exists=N", "2")
		s.lists("order_status=O", "")
		s.lists("sort_by=user&sort_order=asc", "1 2")
		s.lists("sort_by=order_status", "2 1")
	})
}

func TestCallRequests_ProductAndOrderStatusFollow(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		goods, sales := products(), orders()
		s := suite.Open(t, st, shopapi.Options{}, goods, sales)
		s.Status("POST", "/api/call_requests", `{"phone": "1", "order_id": 501, "product_id": 77, "product": "given", "order_status": "Z"}`, 201)
		follow := func(product, status string) {
			t.Helper()
			if got := s.Field("/api/call_requests/1", "product"); got != product {
				t.Errorf("product is %s, want %s", got, product)
			}
			if got := s.Field("/api/call_requests/1", "order_status"); got != status {
				t.Errorf("order_status is %s, want %s", got, status)
			}
		}
		follow(`"Bowl <b>&</b>"`, `"O"`)
		goods.Objects["77"] = map[string]any{"product": "Dish"}
		sales.Objects["501"] = map[string]any{"status": "C"}
		follow(`"Dish"`, `"C"`)
		delete(goods.Objects, "77")
		delete(sales.Objects, "501")
		follow(`null`, `null`)
		s.lists("order_exists=Y", "")
		s.lists("order_exists=N", "1")
		// A link to a deleted object does not prevent a change.
		s.Status("PUT", "/api/call_requests/1", `{"status": "completed", "product_id": 77, "order_id": "501"}`, 200)
		s.Refuses("POST", "/api/call_requests", `{"phone": "1", "product_id": 77}`, "product_id")
	})
}

func TestCallRequests_EachObjectIsLookedUpOncePerPage(t *testing.T) {
	goods, sales, staff := products(), orders(), officers()
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{}, goods, sales, staff)
	for range 4 {
		s.Status("POST", "/api/call_requests", `{"phone": "1", "order_id": 501, "product_id": 77, "user_id": 5}`, 201)
		s.Status("POST", "/api/call_requests", `{"phone": "1", "order_id": 502}`, 201)
	}
	for _, query := range []string{"", "sort_by=user", "order_status=O", "order_exists=Y&sort_by=order_status"} {
		goods.Asked, sales.Asked, staff.Asked = nil, nil, nil
		s.ids(query)
		for _, e := range []*shoptest.Host{goods, sales, staff} {
			for id, times := range e.Asked {
				if times != 1 {
					t.Errorf("GET ?%s looked up %s/%s %d times", query, e.Name, id, times)
				}
			}
		}
		if sales.Asked["501"] == 0 || goods.Asked["77"] == 0 {
			t.Errorf("GET ?%s looked up nothing", query)
		}
	}
}

func TestCallRequests_PutAcceptsValuesOfPost(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, products(), orders(), officers())
		s.Status("POST", "/api/call_requests", `{"phone": "1", "notes": "old"}`, 201)
		s.Want("PUT", "/api/call_requests/1", `email=a%40b.example&phone=2&user_id=6&order_id=502&product_id=77&timestamp=5&status=no_answer`+
			`&name=Bo&time_from=8&time_to=9&notes=later&cart_products=mugs&request_id=9&product=X&order_status=X`, 200, `{"request_id":"1"}`)
		const want = `{"request_id":"1","company_id":"1","order_id":"502","user_id":"6","product_id":"77","timestamp":"5","status":"no_answer",` +
			`"name":"Bo","phone":"2","email":"a@b.example","time_from":"8","time_to":"9","notes":"later","cart_products":"mugs",` +
			`"order_status":"C","product":"Bowl <b>&</b>"}`
		s.Want("GET", "/api/call_requests/1", "", 200, want)
		s.Want("PUT", "/api/call_requests/1", `{"colour": "red"}`, 200, `{"request_id":"1"}`)
		s.Want("GET", "/api/call_requests/1", "", 200, want)
	})
}

func TestCallRequests_BadFieldsAreNamedTogether(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	s.Refuses("POST", "/api/call_requests", `{"phone": "1", "timestamp": -1, "company_id": 1, "status": "x"}`, "timestamp", "status")
	s.Refuses("POST", "/api/call_requests", `{"phone": "1", "timestamp": "soon", "user_id": "Ana"}`, "timestamp", "user_id")
	long := strings.Repeat("é", 256)
	s.Refuses("POST", "/api/call_requests", `{"phone": "`+long+`", "name": "`+long+`", "email": "`+long+`"}`, "phone", "name", "email")
	s.Status("POST", "/api/call_requests", `{"phone": "1", "name": "`+long[2:]+`"}`, 201)
}

func TestCallRequests_TextsAreKeptAsGiven(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		for i, text := range []string{
			`<script>alert("x")</script> & co`, "☎️ 👩‍👩‍👧 Ünïcödé 日本", `100% _sure_ 'quoted' \ back`, "two\nlines\ttab", "  around  ", `'; DROP TABLE call_requests; --`,
		} {
			body, err := json.Marshal(map[string]string{"phone": text, "name": text, "notes": text, "cart_products": text})
			if err != nil {
				t.Fatal(err)
			}
			s.Status("POST", "/api/call_requests", string(body), 201)
			got := s.Send("GET", "/api/call_requests/"+shopapi.FormatID(int64(i+1)), "").Body
			var answer map[string]any
			if err := json.Unmarshal([]byte(got), &answer); err != nil {
				t.Fatal(err)
			}
			for _, field := range []string{"phone", "name", "notes", "cart_products"} {
				if diff := cmp.Diff(text, answer[field]); diff != "" {
					t.Errorf("%s (-given +answered):\n%s", field, diff)
				}
			}
		}
	})
}

func TestCallRequests_UnknownIDIs404(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.Status("POST", "/api/call_requests", `phone=1`, 201)
		for _, id := range []string{"2", "0", "-1", "abc", "01", "9223372036854775808"} {
			s.Status("GET", "/api/call_requests/"+id, "", 404)
			s.Status("PUT", "/api/call_requests/"+id, `name=Ana`, 404)
			s.Status("DELETE", "/api/call_requests/"+id, "", 404)
		}
	})
}

func TestCallRequests_MethodsAndPrivileges(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	s.Status("POST", "/api/call_requests/1", `phone=1`, 405)
	s.Status("POST", "/api/call_requests", ``, 405)
	s.Status("PUT", "/api/call_requests", `phone=1`, 405)
	s.Status("DELETE", "/api/call_requests", ``, 405)
	s.as("reader@example.com").Status("GET", "/api/call_requests", "", 200)
	s.as("reader@example.com").Status("POST", "/api/call_requests", `phone=1`, 403)
	s.as("stranger@example.com").Status("GET", "/api/call_requests", "", 401)
}

func TestCallRequests_HostErrorIsNotANotFound(t *testing.T) {
	sales := orders()
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{}, sales)
	s.Status("POST", "/api/call_requests", `{"phone": "1", "order_id": 501}`, 201)
	sales.Broken = true
	s.Status("GET", "/api/call_requests/1", "", 500)
	s.Status("GET", "/api/call_requests", "", 500)
	s.Status("GET", "/api/call_requests?order_status=O", "", 500)
	s.Status("GET", "/api/call_requests?sort_by=order_status", "", 500)
	s.Status("POST", "/api/call_requests", `{"phone": "1", "order_id": 502}`, 500)
	sales.Broken = false
	s.lists("", "1")
}

func TestCallRequests_ChangesAreReported(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	s.Status("POST", "/api/call_requests", `phone=1`, 201)
	s.Status("POST", "/api/call_requests", `name=Ana`, 400)
	s.Status("PUT", "/api/call_requests/1", `name=Ana`, 200)
	s.Status("DELETE", "/api/call_requests/1", "", 204)
	want := []string{"create call_requests 1 by 1", "update call_requests 1 by 1", "delete call_requests 1 by 1"}
	if diff := cmp.Diff(want, s.Events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
