package shippings_test

import (
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/shop"
)

// A shipping method has nine fields in lists, with tax_ids as a text, and all fields in
// GET of one.
func TestShippings_Fields(t *testing.T) {
	s := apitest.New(t, nil)
	if got := s.Post("/api/2.0/shippings", `{"shipping": "Courier", "max_weight": 15}`); got.Status != 201 || got.Body != `{"shipping_id":"1"}` {
		t.Fatalf("POST: %d %s", got.Status, got.Body)
	}
	const common = `"shipping_id":"1","min_weight":"0.00","max_weight":"15.00","position":"0","status":"A","shipping":"Courier","delivery_time":"","usergroup_ids":"0"`
	if got := s.Get("/api/2.0/shippings").Body; !strings.HasPrefix(got, `{"shippings":[{`+common+`,"tax_ids":""}],"params":{`) {
		t.Errorf("the list is %s", got)
	}
	want := `{` + common + `,"company_id":"1","destination":"I","rate_calculation":"M","service_id":"0","service_params":[],"localization":"","rates":[],"tax_ids":[],"icon":[]}`
	if got := s.Get("/api/2.0/shippings/1").Body; got != want {
		t.Errorf("GET: %s, want %s", got, want)
	}
}

// Rates are written as an array or one object, with values as numbers or texts, and read
// in one form (decisions §20).
func TestShippings_Rates(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/2.0/shippings", `{"shipping": "Courier"}`)
	const want = `"rates":[{"destination_id":"1","rate_value":{"C":{"0":{"amount":"0","value":5,"type":"F","per_unit":"N"},"50.5":{"amount":"50.5","value":2.5,"type":"P","per_unit":"N"}},"W":[],"I":[]}}]`
	for _, rates := range []string{
		`[{"destination_id": "1", "rate_value": {"C": {"50.50": {"value": 2.50, "type": "P"}, "0": {"amount": "0", "value": "5", "type": "F", "per_unit": "N"}}, "W": [[]], "I": ""}}]`,
		`{"rate_value": {"C": {"0": {"value": 5}, "50.5": {"value": "2.5", "type": "P"}}}}`,
	} {
		if got := s.Put("/api/2.0/shippings/1", `{"rates": `+rates+`}`); got.Status != 200 {
			t.Errorf("%s: %d %s", rates, got.Status, got.Body)
		}
		if got := s.Get("/api/2.0/shippings/1").Body; !strings.Contains(got, want) {
			t.Errorf("%s: read as %s", rates, got)
		}
	}
	s.PutForm("/api/2.0/shippings/1", "rates[0][rate_value][W][0][value]=2")
	if got := s.Get("/api/2.0/shippings/1").Body; !strings.Contains(got, `"W":{"0":{"amount":"0","value":2,`) {
		t.Errorf("rates of a form with an index are read as %s", got)
	}
	s.PutForm("/api/2.0/shippings/1", "rates[rate_value][W][0][value]=3")
	if got := s.Get("/api/2.0/shippings/1").Body; !strings.Contains(got, `"W":{"0":{"amount":"0","value":3,`) {
		t.Errorf("rates of a form are read as %s", got)
	}
	s.Put("/api/2.0/shippings/1", `{"rates": []}`)
	if got := s.Get("/api/2.0/shippings/1").Body; !strings.Contains(got, `"rates":[]`) {
		t.Errorf("no rates are read as %s", got)
	}
}

func TestShippings_BadInput(t *testing.T) {
	s := apitest.New(t, nil)
	for body, field := range map[string]string{
		`{"status": "A"}`:                                                                                    "shipping",
		`{"shipping": "X", "status": "Z"}`:                                                                   "status",
		`{"shipping": "X", "rate_calculation": "Z"}`:                                                         "rate_calculation",
		`{"shipping": "X", "min_weight": 5, "max_weight": "4.99"}`:                                           "min_weight",
		`{"shipping": "X", "min_weight": -1}`:                                                                "min_weight",
		`{"shipping": "X", "max_weight": 1.001}`:                                                             "max_weight",
		`{"shipping": "X", "tax_ids": "7"}`:                                                                  "tax_ids",
		`{"shipping": "X", "service_params": 5}`:                                                             "service_params",
		`{"shipping": "X", "service_params": true}`:                                                          "service_params",
		`{"shipping": "X", "service_params": ["a"]}`:                                                         "service_params",
		`{"shipping": "X", "rates": "free"}`:                                                                 "rates",
		`{"shipping": "X", "rates": [{"destination_id": 0}]}`:                                                "rates",
		`{"shipping": "X", "rates": [{"destination_id": 1}, {"destination_id": "1"}]}`:                       "rates",
		`{"shipping": "X", "rates": [null]}`:                                                                 "rates",
		`{"shipping": "X", "rates": {"0": null}}`:                                                            "rates",
		`{"shipping": "X", "rates": {"cost": 5}}`:                                                            "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": "5.00"}}}`:                                          "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": {"0": null}}}}`:                                     "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": {"0": {"amount": 5}}}}}`:                            "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": {"0": {"value": null}}}}}`:                          "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": {"0": {"value": -5}}}}}`:                            "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": {"cheap": {"value": 5}}}}}`:                         "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": {"0": {"value": 5, "type": "X"}}}}}`:                "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": {"0": {"value": 5, "per_unit": "X"}}}}}`:            "rates",
		`{"shipping": "X", "rates": {"rate_value": {"C": {"0": {"value": 5}, "0.0": {"value": "1.0001"}}}}}`: "rates",
	} {
		got := s.Post("/api/2.0/shippings", body)
		var answer struct{ Errors map[string]string }
		got.Decode(&answer)
		if _, named := answer.Errors[field]; got.Status != 400 || !named || len(answer.Errors) != 1 {
			t.Errorf("%s: %d %s, want a 400 that names %s", body, got.Status, got.Body, field)
		}
	}
	if got := s.Post("/api/2.0/shippings", `{"shipping": "X", "min_weight": 5, "max_weight": 0}`); got.Status != 201 {
		t.Errorf("a max_weight of 0 is no limit: %d %s", got.Status, got.Body)
	}
}

// The parameters of a service are a text or an object, as payments' are; [] is none (decisions §4).
func TestShippings_ServiceParams(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/2.0/shippings", `{"shipping": "X"}`)
	for sent, want := range map[string]string{`{"a": 1}`: `{"a":1}`, `{}`: `{}`, `"x"`: `"x"`, `""`: `[]`, `[]`: `[]`, `null`: `[]`} {
		if got := s.Put("/api/2.0/shippings/1", `{"service_params": `+sent+`}`); got.Status != 200 {
			t.Errorf("%s: %d %s", sent, got.Status, got.Body)
		}
		if got := s.Get("/api/2.0/shippings/1").Body; !strings.Contains(got, `"service_params":`+want+`,`) {
			t.Errorf("%s is answered in %s", sent, got)
		}
	}
}

// The weight decides whether a method is available (decisions §20).
func TestShippings_Available(t *testing.T) {
	d := decimal.MustParse
	for _, c := range []struct {
		least, most, weight string
		want                bool
	}{
		{"0", "0", "1000", true}, {"1", "0", "0.99", false}, {"1", "0", "1", true}, {"0", "5", "5", true}, {"0", "5", "5.001", false},
	} {
		s := shippings.Summary{MinWeight: d(c.least), MaxWeight: d(c.most)}
		if got := s.Available(d(c.weight)); got != c.want {
			t.Errorf("%s of %s to %s: %v", c.weight, c.least, c.most, got)
		}
	}
}

// Vendors' users change their own methods, and read the shop's (decisions §11).
func TestShippings_SharedWithVendors(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	s.UserOf(3) // so that the company exists
	s.Post("/api/2.0/shippings", `{"shipping": "Of the shop"}`)
	s.Post("/api/2.0/shippings", `{"shipping": "Of another vendor", "company_id": 3}`)
	vendor := s.UserOf(2, "view_shippings", "manage_shippings")
	own := vendor.Post("/api/2.0/shippings", `{"shipping": "Own", "company_id": 3}`)
	if own.Status != 201 {
		t.Fatalf("POST: %d %s", own.Status, own.Body)
	}
	if got := vendor.Get("/api/2.0/shippings"); !strings.Contains(got.Body, `"total_items":"2"`) || strings.Contains(got.Body, "another") {
		t.Errorf("a vendor sees %s", got.Body)
	}
	for _, c := range []struct {
		answer *apitest.Answer
		want   int
	}{
		{vendor.Get("/api/2.0/shippings/1"), 200},
		{vendor.Put("/api/2.0/shippings/1", `{"shipping": "X"}`), 403},
		{vendor.Delete("/api/2.0/shippings/1"), 403},
		{vendor.Get("/api/2.0/shippings/2"), 404},
		{vendor.Put("/api/2.0/shippings/2", `{"shipping": "X"}`), 404},
		{vendor.Put("/api/2.0/shippings/3", `{"shipping": "X"}`), 200},
		{vendor.Delete("/api/2.0/shippings/3"), 204},
	} {
		if c.answer.Status != c.want {
			t.Errorf("got %d %s, want %d", c.answer.Status, c.answer.Body, c.want)
		}
	}
}

func FuzzRates(f *testing.F) {
	for _, seed := range []string{
		`[]`, `{"rate_value":{"C":{"0":{"value":5}}}}`, `[{"destination_id":"2","rate_value":{"W":{"1.5":{"value":"1e2","per_unit":"Y"}}}}]`, `{"0":{}}`, `[null]`, `{"rate_value":{"I":[[]]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r, again shippings.Rates
		if r.UnmarshalJSON(data) != nil {
			return
		}
		if err := again.UnmarshalJSON([]byte(r)); err != nil || again != r {
			t.Errorf("%q is read as %q, %v", r, again, err)
		}
		if len(r.All()) != len(r.Pricing()) {
			t.Errorf("%q has %d rates, %d for pricing", r, len(r.All()), len(r.Pricing()))
		}
	})
}
