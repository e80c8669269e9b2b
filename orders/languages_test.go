package orders_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
)

// translate gives what the world's orders name texts in German.
func (w *world) translate() {
	w.t.Helper()
	for address, payload := range map[string]string{
		"products/1":  `{"product": "Tonbecher"}`,
		"products/2":  `{"product": "Schale"}`,
		"options/1":   `{"option_name": "Gravur", "variants": {"1": {"variant_name": "keine"}, "2": {"variant_name": "Schriftzug"}}}`,
		"payments/2":  `{"payment": "Bar"}`,
		"shippings/1": `{"shipping": "Brief"}`,
		"taxes/1":     `{"tax": "MwSt."}`,
	} {
		if a := w.Put("/api/2.0/"+address+"?sl=de", payload); a.Status != 200 {
			w.t.Fatalf("PUT %s: %d %s", address, a.Status, a.Body)
		}
	}
}

const (
	english = "Clay mug, Engraving, text, Cash, Post, VAT"
	german  = "Tonbecher, Gravur, Schriftzug, Bar, Brief, MwSt."
)

// named reports which of the names an order shows, and its language.
func (w *world) named(id string, names string) (shown, code string) {
	w.t.Helper()
	order := w.Get("/api/2.0/orders/" + id)
	var found []string
	for name := range strings.SplitSeq(names, ", ") {
		if strings.Contains(order.Body, `"`+name+`"`) {
			found = append(found, name)
		}
	}
	return strings.Join(found, ", "), order.Field("lang_code")
}

func (w *world) wantNames(when, id, names, code string) {
	w.t.Helper()
	if shown, in := w.named(id, names); shown != names || in != code {
		w.t.Errorf("%s: the order shows %q in %s, want %q in %s", when, shown, in, names, code)
	}
}

// An order keeps the names of its lines, methods and taxes in the language in which it
// was placed: that of the request, else its customer's, else the default one.
func TestOrders_Language(t *testing.T) {
	eachStore(t, func(w *world) {
		w.translate()
		engraved := `{"1": {"amount": 1, "product_options": {"1": "2"}}}`
		plain := w.place(engraved)
		asked := w.Post("/api/2.0/orders?sl=de", w.order(engraved)).Field("order_id")
		other := w.Post("/api/2.0/orders?sl=fr", w.order(engraved)).Field("order_id")
		w.wantNames("without a language", plain, english, "en")
		w.wantNames("placed with ?sl=de", asked, german, "de")
		w.wantNames("placed in a language without texts", other, english, "fr")

		w.Put("/api/2.0/users/"+w.user(), `{"lang_code": "de"}`)
		w.wantNames("by a German customer", w.place(engraved), german, "de")
		inEnglish := w.Post("/api/2.0/orders?sl=en", w.order(engraved)).Field("order_id")
		w.wantNames("by a German customer with ?sl=en", inEnglish, english, "en")

		w.Put("/api/2.0/products/1?sl=de", `{"product": "Becher"}`)
		w.wantNames("after a new name", asked, german, "de")
	})
}

// A line that is added to an order has its names in the order's language.
func TestOrders_LanguageOfAddedLines(t *testing.T) {
	eachStore(t, func(w *world) {
		w.translate()
		order := w.Post("/api/2.0/orders?sl=de", w.order(`{"1": {"amount": 1}}`)).Field("order_id")
		w.put(order, `{"products": {"1": {"amount": 1}, "2": {"amount": 1}}}`)
		w.wantNames("after a PUT without a language", order, "Tonbecher, Schale", "de")
	})
}

// A storefront quotes and imports in the language of its context.
func TestOrders_LanguageInGo(t *testing.T) {
	eachStore(t, func(w *world) {
		w.translate()
		ctx := shopapi.WithLanguage(t.Context(), "de")
		q, err := w.Orders.Quote(ctx, orders.Purchase{Lines: []orders.PurchaseLine{{ProductID: 1, Amount: 1}}, ShippingID: 1})
		if err != nil || q.Order.Lines[0].Name != "Tonbecher" || q.Order.Methods[0].Name != "Brief" || q.Order.LangCode != "de" {
			t.Errorf("Quote: %+v, %v", q.Order, err)
		}
		list, err := w.Orders.Import(ctx, []orders.Order{{Lines: q.Order.Lines}, {Lines: q.Order.Lines, LangCode: "nb"}})
		if err != nil || list[0].LangCode != "de" || list[1].LangCode != "nb" {
			t.Errorf("Import: %+v, %v", list, err)
		}
	})
}
