package payments_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/shop"
)

// A payment method has the documented fields: tax_ids is a text in lists, and an array
// in GET of one (decisions §14).
func TestPayments_Fields(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/2.0/taxes", `{"tax": "VAT"}`)
	if got := s.Post("/api/2.0/payments", `{"payment": "Invoice", "p_surcharge": 2.5, "tax_ids": [1]}`); got.Status != 201 || got.Body != `{"payment_id":"1"}` {
		t.Fatalf("POST: %d %s", got.Status, got.Body)
	}
	const common = `"payment_id":"1","company_id":"1","usergroup_ids":"0","position":"0","status":"A","template":"views/orders/components/payments/business_check.tpl","processor_id":"0","processor_params":"","a_surcharge":"0.000","p_surcharge":"2.500",`
	const rest = `"localization":"","payment_category":"tab1","payment":"Invoice","description":"","instructions":"","surcharge_title":"","lang_code":"en"`
	if got := s.Get("/api/2.0/payments").Body; !strings.HasPrefix(got, `{"payments":[{`+common+`"tax_ids":"1",`+rest+`}]`) {
		t.Errorf("the list is %s", got)
	}
	want := `{` + common + rest + `,"tax_ids":["1"],"processor":null,"processor_type":null,"image":[]}`
	if got := s.Get("/api/2.0/payments/1").Body; got != want {
		t.Errorf("GET: %s, want %s", got, want)
	}
}

// processor_params may contain secrets: only users who manage payments see them, and no
// log contains them (decisions §20).
func TestPayments_ProcessorParamsAreSecret(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/2.0/payments", `{"payment": "Card", "processor_params": {"secret": "s3cr3t"}}`)
	for _, c := range []struct {
		client *apitest.Client
		want   string
	}{
		{s.Client, `"processor_params":{"secret":"s3cr3t"}`},
		{s.User("view_payments", "manage_payments"), `"processor_params":{"secret":"s3cr3t"}`},
		{s.User("view_payments"), `"processor_params":""`},
	} {
		for _, address := range []string{"/api/2.0/payments", "/api/2.0/payments/1"} {
			if got := c.client.Get(address); got.Status != 200 || !strings.Contains(got.Body, c.want) {
				t.Errorf("%s: %d %s, want %s", address, got.Status, got.Body, c.want)
			}
		}
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", payments.Params("s3cr3t"), payments.Payment{ProcessorParams: "s3cr3t"}, payments.Params("s3cr3t"), payments.Params("s3cr3t")); strings.Contains(printed, "s3cr3t") {
		t.Errorf("printed: %s", printed)
	}
}

func TestPayments_BadInput(t *testing.T) {
	s := apitest.New(t, nil)
	for body, field := range map[string]string{
		`{"status": "A"}`:                           "payment",
		`{"payment": "X", "status": "Z"}`:           "status",
		`{"payment": "X", "payment_category": "t"}`: "payment_category",
		`{"payment": "X", "a_surcharge": -1}`:       "a_surcharge",
		`{"payment": "X", "p_surcharge": "1.0005"}`: "p_surcharge",
		`{"payment": "X", "tax_ids": [9]}`:          "tax_ids",
		`{"payment": "X", "processor_params": [1]}`: "processor_params",
		`{"payment": "X", "position": 99999999999}`: "position",
		`{"payment": "X", "usergroup_ids": "one"}`:  "usergroup_ids",
	} {
		got := s.Post("/api/2.0/payments", body)
		var answer struct{ Errors map[string]string }
		got.Decode(&answer)
		if _, named := answer.Errors[field]; got.Status != 400 || !named || len(answer.Errors) != 1 {
			t.Errorf("%s: %d %s, want a 400 that names %s", body, got.Status, got.Body, field)
		}
	}
}

// In the edition with several storefronts a payment method must name its company.
func TestPayments_CompanyIsRequiredOfStorefronts(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiStorefront}})
	if got := s.Post("/api/2.0/payments", `{"payment": "X"}`); got.Status != 400 || !strings.Contains(got.Body, `"company_id"`) {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if got := s.Post("/api/2.0/payments", `{"payment": "X", "company_id": 1}`); got.Status != 201 {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

// Vendors' users may read the payment methods of the shop, but change none (decisions
// §11).
func TestPayments_Vendors(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	s.Post("/api/2.0/payments", `{"payment": "Invoice"}`)
	s.Post("/api/2.0/payments", `{"payment": "Of another vendor", "company_id": 3}`)
	vendor := s.UserOf(2, "view_payments", "manage_payments")
	if got := vendor.Get("/api/2.0/payments"); !strings.Contains(got.Body, "Invoice") || strings.Contains(got.Body, "another") {
		t.Errorf("a vendor sees %s", got.Body)
	}
	for _, c := range []struct {
		answer *apitest.Answer
		want   int
	}{
		{vendor.Get("/api/2.0/payments/1"), 200},
		{vendor.Get("/api/2.0/payments/2"), 404},
		{vendor.Put("/api/2.0/payments/1", `{"payment": "X"}`), 403},
		{vendor.Post("/api/2.0/payments", `{"payment": "X"}`), 403},
		{vendor.Delete("/api/2.0/payments/1"), 403},
	} {
		if c.answer.Status != c.want {
			t.Errorf("got %d %s, want %d", c.answer.Status, c.answer.Body, c.want)
		}
	}
}

// Deleting a tax or a user group removes its id from all lists of ids (decisions §14).
func TestPayments_ListsDropDeletedIDs(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/2.0/taxes", `{"tax": "A"}`)
	s.Post("/api/2.0/taxes", `{"tax": "B"}`)
	group := s.Post("/api/2.0/usergroups", `{"type": "C", "status": "A"}`).Field("usergroup_id")
	s.Post("/api/2.0/payments", `{"payment": "X", "tax_ids": "2,1", "usergroup_ids": "1,`+group+`"}`)
	s.Delete("/api/2.0/taxes/2")
	s.Delete("/api/2.0/usergroups/" + group)
	if got := s.Get("/api/2.0/payments").Body; !strings.Contains(got, `"tax_ids":"1"`) || !strings.Contains(got, `"usergroup_ids":"1"`) {
		t.Errorf("the list is %s", got)
	}
}

func FuzzParams(f *testing.F) {
	for _, seed := range []string{`""`, `{}`, `{"a":1}`, `"x"`, `[1]`, `null`, `1`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var p, again payments.Params
		if p.UnmarshalJSON(data) != nil {
			return
		}
		shown, err := p.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := again.UnmarshalJSON(shown); err != nil || again != p {
			t.Errorf("%s is read differently from %s, %v", shown, data, err)
		}
	})
}
