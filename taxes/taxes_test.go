package taxes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/taxes"
)

// A tax has the documented fields, and the field rates only if it has any (decisions
// §20).
func TestTaxes_Fields(t *testing.T) {
	s := apitest.New(t, nil)
	if got := s.Post("/api/2.0/taxes", `{"tax": "VAT"}`); got.Status != 201 || got.Body != `{"tax_id":"1"}` {
		t.Fatalf("POST: %d %s", got.Status, got.Body)
	}
	want := `{"tax_id":"1","tax":"VAT","address_type":"S","status":"A","price_includes_tax":"N","display_including_tax":"N","display_info":"","regnumber":"","priority":"0"}`
	if got := s.Get("/api/2.0/taxes/1"); got.Body != want {
		t.Errorf("GET: %s, want %s", got.Body, want)
	}
	s.Put("/api/2.0/taxes/1", `{"rates": {"country": "DE", "rate_value": 19}}`)
	rates := `"rates":[{"country":"DE","state":"","zipcode":"","rate_type":"P","rate_value":"19.000","apply_to":"P"}]`
	if got := s.Get("/api/2.0/taxes/1"); got.Body != want[:len(want)-1]+","+rates+"}" {
		t.Errorf("GET with rates: %s", got.Body)
	}
}

// In the live dialect, POST of a tax returns its id as a string too (decisions §4).
func TestTaxes_LiveReplyIsAString(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Dialect: shopapi.DialectLive}})
	if got := s.Post("/api/taxes", `{"tax": "VAT"}`); got.Body != `{"tax_id":"1"}` {
		t.Errorf("got %s", got.Body)
	}
}

func TestTaxes_BadInput(t *testing.T) {
	s := apitest.New(t, nil)
	for body, field := range map[string]string{
		`{"status": "A"}`:                                                    "tax",
		`{"tax": " "}`:                                                       "tax",
		`{"tax": "VAT", "status": "X"}`:                                      "status",
		`{"tax": "VAT", "address_type": "X"}`:                                "address_type",
		`{"tax": "VAT", "priority": -1}`:                                     "priority",
		`{"tax": "VAT", "priority": 1.5}`:                                    "priority",
		`{"tax": "VAT", "price_includes_tax": "maybe"}`:                      "price_includes_tax",
		`{"tax": "VAT", "rates": "19"}`:                                      "rates",
		`{"tax": "VAT", "rates": [{"rate_value": "-1"}]}`:                    "rates",
		`{"tax": "VAT", "rates": [{"rate_value": "1.0001"}]}`:                "rates",
		`{"tax": "VAT", "rates": [null]}`:                                    "rates",
		`{"tax": "VAT", "rates": [{}]}`:                                      "rates",
		`{"tax": "VAT", "rates": {"0": null}}`:                               "rates",
		`{"tax": "VAT", "rates": {"country": "DE"}}`:                         "rates",
		`{"tax": "VAT", "rates": [{"rate_value": null}]}`:                    "rates",
		`{"tax": "VAT", "rates": [{"rate_value": 5, "zipcode": [1]}]}`:       "rates",
		`{"tax": "VAT", "rates": [{"rate_value": 5, "state": true}]}`:        "rates",
		`{"tax": "VAT", "rates": [{"rate_value": 5, "country": "Germany"}]}`: "rates",
		`{"tax": "VAT", "rates": [{"rate_value": 5, "rate_type": "X"}]}`:     "rates",
		`{"tax": "VAT", "rates": [{"rate_value": 5, "apply_to": "X"}]}`:      "rates",
	} {
		got := s.Post("/api/2.0/taxes", body)
		var answer struct{ Errors map[string]string }
		got.Decode(&answer)
		if _, named := answer.Errors[field]; got.Status != 400 || !named || len(answer.Errors) != 1 {
			t.Errorf("%s: %d %s, want a 400 that names %s", body, got.Status, got.Body, field)
		}
	}
}

// Vendors' users may read taxes but not change them (decisions §11).
func TestTaxes_Vendors(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	s.Post("/api/2.0/taxes", `{"tax": "VAT"}`)
	vendor := s.UserOf(2, "view_taxes", "manage_taxes")
	for _, c := range []struct {
		answer *apitest.Answer
		want   int
	}{
		{vendor.Get("/api/2.0/taxes"), 200},
		{vendor.Get("/api/2.0/taxes/1"), 200},
		{vendor.Post("/api/2.0/taxes", `{"tax": "X"}`), 403},
		{vendor.Put("/api/2.0/taxes/1", `{"tax": "X"}`), 403},
		{vendor.Delete("/api/2.0/taxes/1"), 403},
	} {
		if c.answer.Status != c.want {
			t.Errorf("got %d %s, want %d", c.answer.Status, c.answer.Body, c.want)
		}
	}
}

// Rates are stored in one form, in whichever form they are sent.
func TestRates_Forms(t *testing.T) {
	const want = `[{"country":"DE","state":"","zipcode":"","rate_type":"P","rate_value":"19.000","apply_to":"P"}]`
	for _, sent := range []string{
		want,
		`[{"country": "DE", "rate_value": "19"}]`,
		`{"country": "DE", "rate_value": 19.0}`,
		`{"0": {"country": "DE", "rate_value": "19.000", "apply_to": "P"}}`,
	} {
		var r taxes.Rates
		if err := r.UnmarshalJSON([]byte(sent)); err != nil || string(r) != want {
			t.Errorf("%s: %s, %v; want %s", sent, r, err, want)
		}
	}
	// decisions §4: a number where its digits are the text
	var numbers taxes.Rates
	err := numbers.UnmarshalJSON([]byte(`[{"country": "DE", "state": 9, "zipcode": 80331, "rate_value": 7}]`))
	if want := `[{"country":"DE","state":"9","zipcode":"80331","rate_type":"P","rate_value":"7.000","apply_to":"P"}]`; err != nil || string(numbers) != want {
		t.Errorf("numbers as state and zipcode: %s, %v; want %s", numbers, err, want)
	}
	for _, none := range []string{"", "null", `""`, "[]", "{}"} {
		r := taxes.Rates("x")
		if err := r.UnmarshalJSON([]byte(none)); err != nil || r != "" {
			t.Errorf("%s: %q, %v; want none", none, r, err)
		}
	}
	made, err := taxes.RatesOf(taxes.Rate{Country: "DE", Value: decimal.MustParse("19")})
	if err != nil || string(made) != want {
		t.Errorf("RatesOf: %s, %v", made, err)
	}
	if diff := cmp.Diff(1, len(made.Areas())); diff != "" {
		t.Error(diff)
	}
}

func FuzzRates(f *testing.F) {
	for _, seed := range []string{`[]`, `{"country":"DE"}`, `{"0":{}}`, `[{"rate_value":"1e9"}]`, `[null]`, `{"9":{"state":"x"}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r, again taxes.Rates
		if r.UnmarshalJSON(data) != nil {
			return
		}
		if err := again.UnmarshalJSON([]byte(r)); err != nil || again != r {
			t.Errorf("%q is read as %q, %v", r, again, err)
		}
		if r != "" && len(r.All()) == 0 {
			t.Errorf("%q has no rates", r)
		}
	})
}
