package bind_test

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
)

// A benchSummary is embedded, as summaries of objects are.
type benchSummary struct {
	ID        int64           `json:"id,string" bind:"-"`
	Name      string          `json:"name"`
	Code      string          `json:"code"`
	Status    string          `json:"status"`
	Type      string          `json:"type"`
	Company   int64           `json:"company_id,string"`
	Price     decimal.Decimal `json:"price"`
	ListPrice decimal.Decimal `json:"list_price"`
	Amount    int64           `json:"amount,string"`
	Weight    decimal.Decimal `json:"weight"`
	Length    int64           `json:"length,string"`
	Width     int64           `json:"width,string"`
	Height    int64           `json:"height,string"`
	Created   int64           `json:"created,string" bind:"-"`
	Updated   int64           `json:"updated,string"`
	Groups    shopapi.IDList  `json:"groups"`
	Taxes     shopapi.IDList  `json:"taxes"`
}

// A benchObject has fifty fields of the kinds that objects have.
type benchObject struct {
	benchSummary
	Description string       `json:"description"`
	Short       string       `json:"short_description"`
	Keywords    string       `json:"keywords"`
	Meta        string       `json:"meta_description"`
	Title       string       `json:"title"`
	Words       string       `json:"search_words"`
	Promo       string       `json:"promo"`
	Language    string       `json:"lang_code"`
	Layout      string       `json:"layout"`
	Tracking    string       `json:"tracking"`
	Options     string       `json:"options_type"`
	Exceptions  string       `json:"exceptions_type"`
	Free        shopapi.Flag `json:"free_shipping"`
	Returnable  shopapi.Flag `json:"is_returnable"`
	Download    shopapi.Flag `json:"is_edp"`
	Shared      shopapi.Flag `json:"shared"`
	Verified    shopapi.Flag `json:"age_verification"`
	Compared    shopapi.Flag `json:"comparison"`
	Recurring   shopapi.Flag `json:"recurring"`
	Unlimited   shopapi.Flag `json:"unlimited"`
	Minimum     int64        `json:"min_qty,string"`
	Maximum     int64        `json:"max_qty,string"`
	Step        int64        `json:"qty_step,string"`
	Count       int64        `json:"list_qty_count,string"`
	Low         int64        `json:"low_limit,string"`
	Age         int64        `json:"age_limit,string"`
	Return      int64        `json:"return_period,string"`
	Since       int64        `json:"avail_since,string"`
	Points      int64        `json:"points,string"`
	Images      shopapi.JSON `json:"images"`
	Main        shopapi.JSON `json:"main_pair"`
	Features    shopapi.JSON `json:"features"`
	Categories  []int64      `json:"category_ids"`
}

// A benchFilter has the fields that filters of lists have.
type benchFilter struct {
	Query      string           `json:"q"`
	Name       string           `json:"name"`
	Code       string           `json:"code"`
	Status     string           `json:"status"`
	Type       string           `json:"type"`
	IDs        []int64          `json:"ids"`
	Company    *int64           `json:"company_id"`
	AmountFrom *int64           `json:"amount_from"`
	AmountTo   *int64           `json:"amount_to"`
	PriceFrom  *decimal.Decimal `json:"price_from"`
	PriceTo    *decimal.Decimal `json:"price_to"`
	Free       *shopapi.Flag    `json:"free_shipping"`
	Download   *shopapi.Flag    `json:"is_edp"`
	Below      shopapi.Flag     `json:"subcats"`
	Period     string           `json:"period"`
}

// BenchmarkBind lays ten fields of every usual kind over an object of fifty, and
// filters with four parameters and with none.
func BenchmarkBind(b *testing.B) {
	payload, err := shopapi.NewPayload(json.RawMessage(`{"name":"A thing","price":"12.50","amount":5,"weight":1.25,"free_shipping":"Y","is_edp":"N",` +
		`"images":[{"id":"1","path":"a.png"}],"groups":"0,1","category_ids":[3,4],"description":"What there is to say about it."}`))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("ten of fifty fields", func(b *testing.B) {
		r := &shopapi.Request{Payload: payload}
		b.ReportAllocs()
		for b.Loop() {
			var o benchObject
			if err := r.Bind(&o); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, query := range map[string]string{"four parameters": "q=thing&price_from=1.50&company_id=1&free_shipping=Y", "no parameter": ""} {
		values, err := url.ParseQuery(query)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			r := &shopapi.Request{Filter: values}
			b.ReportAllocs()
			for b.Loop() {
				var f benchFilter
				if err := r.BindFilter(&f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
