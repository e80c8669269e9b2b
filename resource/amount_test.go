package resource_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A parcel has amounts without rules.
type parcel struct {
	ParcelID int64            `json:"parcel_id,string" store:"key" bind:"-"`
	Price    decimal.Decimal  `json:"price" store:"scale=2"`
	Weight   *decimal.Decimal `json:"weight" store:"scale=3"`
	Sum      decimal.Decimal  `json:"sum" store:"scale=2" bind:"-"`
}

type parcelFilter struct {
	resource.ListOptions
	Price *decimal.Decimal `json:"price"`
	From  *decimal.Decimal `json:"price_from"`
	To    *decimal.Decimal `json:"price_to"`
}

func (f *parcelFilter) Where(w *resource.Where) {
	w.Amount("price", f.Price)
	w.AmountRange("price", "price_from", f.From, "price_to", f.To)
}

// Amounts of a host's entity are checked by the tag of their column: an amount that the
// column cannot store exactly is a 400 that names the field, and nothing is stored.
func TestAmounts_ByTagsAlone(t *testing.T) {
	api := shopapi.New(&shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) {
		return &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}, nil
	}})
	rows, err := resource.Register(t.Context(), api, memory.New(), resource.Definition[parcel, parcel]{
		Name: "parcels", Object: "parcel", Privileges: shopapi.Privileges{View: "view_parcels", Manage: "manage_parcels"},
		Table: store.MustTable[parcel]("parcels"), Sorts: []resource.Sort{{Key: "id", Column: "parcel_id"}},
		Filter: func() resource.Filter { return new(parcelFilter) },
	})
	if err != nil {
		t.Fatal(err)
	}
	do := func(method, address, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/api/"+address, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return w
	}
	for payload, field := range map[string]string{
		`{"price": "4.205"}`:               `"price"`,
		`{"price": 4.205}`:                 `"price"`,
		`{"price": 99999999999999999}`:     `"price"`,
		`{"price": "-99999999999999999"}`:  `"price"`,
		`{"price": "1e400"}`:               `"price"`,
		`{"price": "NaN"}`:                 `"price"`,
		`{"price": 1, "weight": "0.0001"}`: `"weight"`,
		`{"price": 1, "weight": 1e18}`:     `"weight"`,
	} {
		if w := do("POST", "parcels", payload); w.Code != 400 || !strings.Contains(w.Body.String(), field) {
			t.Errorf("POST %s is answered %d %s, want 400 about %s", payload, w.Code, w.Body, field)
		}
	}
	_, err = rows.Create(t.Context(), parcel{Price: decimal.MustParse("4.205")})
	var refused *shopapi.Error
	if !errors.As(err, &refused) || refused.Fields["price"] == "" {
		t.Errorf("Create of 4.205: %v", err)
	}
	for _, payload := range []string{`{"price": "4.20"}`, `{"price": -3.5, "weight": null}`, `{"price": "9999999999999999.99", "weight": "0.125"}`} {
		if w := do("POST", "parcels", payload); w.Code != 201 {
			t.Errorf("POST %s is answered %d %s", payload, w.Code, w.Body)
		}
	}
	for query, want := range map[string]string{
		"price=4.2": `["1"]`, "price=-3.50": `["2"]`, "price_from=4.21": `["3"]`, "price_from=-4&price_to=4.20": `["1","2"]`, "price=5": `[]`,
	} {
		w := do("GET", "parcels?sort_order=asc&"+query, "")
		var ids []string
		for _, part := range strings.Split(w.Body.String(), `"parcel_id":`)[1:] {
			ids = append(ids, part[:3])
		}
		if got := "[" + strings.Join(ids, ",") + "]"; w.Code != 200 || got != want {
			t.Errorf("GET ?%s is answered %d %s, want %s", query, w.Code, w.Body, want)
		}
	}
	for _, query := range []string{"price=4.205", "price_from=1e30", "price_to=99999999999999999", "price=NaN"} {
		name, _, _ := strings.Cut(query, "=")
		if w := do("GET", "parcels?"+query, ""); w.Code != 400 || !strings.Contains(w.Body.String(), `"`+name+`"`) {
			t.Errorf("GET ?%s is answered %d %s", query, w.Code, w.Body)
		}
	}
	limits := map[string]string{}
	for _, rule := range rows.Entity().Describe().Rules {
		if rule.Amount != nil {
			limits[rule.Field] = rule.Amount.Least.String() + " " + rule.Amount.Most.String()
		}
	}
	if len(limits) != 2 || limits["price"] != "-9999999999999999.99 9999999999999999.99" || limits["weight"] == "" {
		t.Errorf("the described limits are %v", limits)
	}
}
