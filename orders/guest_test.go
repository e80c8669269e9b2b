package orders_test

import (
	"strings"
	"testing"
)

// A guest with the e-mail address of a customer is a guest: the order shows nothing of the profile,
// is not the customer's, and changes nothing of them (decisions §18 names what a guest needs, and
// forbids no address).
func TestGuest_EmailOfACustomer(t *testing.T) {
	eachStore(t, func(w *world) {
		user := "/api/2.0/users/" + w.user()
		if a := w.Put(user, `{"tax_exempt": "Y"}`); a.Status != 200 {
			t.Fatal(a.Body)
		}
		profile := w.Get(user).Body
		data := strings.Replace(guest, "bo@example.org", " ANA@Example.org ", 1)
		id := w.made("orders", `{"user_id": 0, "payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 1}}, "user_data": `+data+`}`)
		var order struct {
			UserID    string `json:"user_id"`
			Firstname string `json:"firstname"`
			City      string `json:"b_city"`
			Phone     string `json:"phone"`
			TaxExempt string `json:"tax_exempt"`
		}
		w.Get("/api/2.0/orders/" + id).Decode(&order)
		if order.UserID != "0" || order.Firstname != "Bo" || order.City != "Oslo" || order.Phone != "" || order.TaxExempt != "N" {
			t.Errorf("the order of a guest: %+v", order)
		}
		if now := w.Get(user).Body; now != profile {
			t.Errorf("the profile was %s and is %s", profile, now)
		}
		if list := w.Get("/api/2.0/orders?user_id=" + w.user()).Body; strings.Contains(list, `"order_id"`) {
			t.Errorf("the orders of the customer: %s", list)
		}
		if err := w.Users.Erase(t.Context(), w.userID()); err != nil {
			t.Fatal(err)
		}
		if body := strings.ToLower(w.Get("/api/2.0/orders/" + id).Body); strings.Contains(body, "ana@example.org") || strings.Contains(body, "oslo") {
			t.Errorf("after the erasure: %s", body)
		}
	})
}
