package products

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsonenc"
)

// An item is a product in a list: the product, its computed fields, and the empty fields
// of modules that this library does not have.
type item struct {
	Summary
	extras
}

// A detail is a product as it is answered on its own.
type detail struct {
	Product
	extras
	moreExtras
}

// The extras are read-only fields of every response that published clients expect and
// that are not columns.
type extras struct {
	BasePrice       decimal.Decimal `json:"base_price"`
	HasOptions      bool            `json:"has_options"`
	ListDiscount    json.RawMessage `json:"list_discount,omitempty" types:"number"` // a number
	ListDiscountPrc string          `json:"list_discount_prc,omitempty"`
	Discounts       discounts       `json:"discounts"`

	OptionsTypeRaw     null   `json:"options_type_raw"`
	ExceptionsTypeRaw  null   `json:"exceptions_type_raw"`
	TrackingRaw        null   `json:"tracking_raw"`
	ZeroPriceActionRaw null   `json:"zero_price_action_raw"`
	MinQtyRaw          null   `json:"min_qty_raw"`
	MaxQtyRaw          null   `json:"max_qty_raw"`
	QtyStepRaw         null   `json:"qty_step_raw"`
	ListQtyCountRaw    null   `json:"list_qty_count_raw"`
	DetailsLayoutRaw   string `json:"details_layout_raw"`

	variationExtras

	SelectedOptions none `json:"selected_options"`
	ProductOptions  any  `json:"product_options" types:"object array"` // shown for single products, and in lists on request
	QtyContent      none `json:"qty_content"`

	MasterProductID *string `json:"master_product_id,omitempty"`
	MasterStatus    *string `json:"master_product_status,omitempty"`
	MasterOffers    *string `json:"master_product_offers_count,omitempty"`
}

// The moreExtras are the read-only fields of a single product.
type moreExtras struct {
	Taxes          []string       `json:"taxes"`
	Popularity     null           `json:"popularity"`
	SalesAmount    int64          `json:"sales_amount,string"` // pieces in orders whose status takes stock
	HeaderFeatures none           `json:"header_features"`
	DetailedParams detailedParams `json:"detailed_params"`
}

type discounts struct {
	Absolute   int64 `json:"A"`
	Percentage int64 `json:"P"`
}

type detailedParams struct {
	InfoType string `json:"info_type"`
}

// A null is a field that is always null.
type null struct{}

func (null) MarshalJSON() ([]byte, error) { return null{}.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns, without its cost: every product has
// eight of these.
func (null) AppendJSON(dst []byte) ([]byte, error) { return append(dst, "null"...), nil }

// None is a list that is always empty.
type none struct{}

func (none) MarshalJSON() ([]byte, error) { return none{}.AppendJSON(nil) }

// AppendJSON is as that of null.
func (none) AppendJSON(dst []byte) ([]byte, error) { return append(dst, "[]"...), nil }

func extrasOf(s *Summary) extras {
	e := extras{BasePrice: s.Price, DetailsLayoutRaw: s.DetailsLayout, HasOptions: s.HasOptions, ProductOptions: none{}, variationExtras: variationExtrasOf(s)}
	if s.Options != nil {
		e.ProductOptions = s.Options
	}
	if amount, percent, ok := s.Discount(); ok {
		e.ListDiscount = json.RawMessage(amount.String())
		e.ListDiscountPrc = strconv.FormatInt(percent, 10)
	}
	if m := s.Master; m != nil {
		id, offers := strconv.FormatInt(s.MasterProductID, 10), strconv.FormatInt(m.Offers, 10)
		e.MasterProductID, e.MasterStatus, e.MasterOffers = &id, &m.Status, &offers
	}
	return e
}

// itemsOf returns the items of a list as they are encoded.
func itemsOf(list []Summary) any {
	items := make([]item, len(list))
	added := false
	for i := range list {
		items[i] = item{list[i], extrasOf(&list[i])}
		added = added || len(list[i].Added) > 0
	}
	if !added {
		return items
	}
	all := make([]withAdded, len(items))
	for i := range items {
		all[i] = withAdded{&items[i], items[i].Added}
	}
	return all
}

// answerOf returns a product on its own as it is encoded: a pointer, because the struct is large.
func answerOf(p *Product) any {
	d := &detail{Product: *p, extras: extrasOf(&p.Summary)}
	d.Taxes, d.SalesAmount = []string{}, p.SalesAmount
	if p.TaxIDs != "" {
		d.Taxes = strings.Split(string(p.TaxIDs), ",")
	}
	d.DetailedParams.InfoType = "D"
	if len(p.Added) == 0 {
		return d
	}
	return withAdded{d, p.Added}
}

// A withAdded is an answer followed by the fields that parts add.
type withAdded struct {
	answer any
	added  shopapi.Map
}

// MarshalJSON writes the members of both in one object.
func (a withAdded) MarshalJSON() ([]byte, error) { return a.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (a withAdded) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := jsonenc.Append(dst, a.answer)
	if err != nil || len(a.added) == 0 {
		return dst, err
	}
	added, err := a.added.AppendJSON(nil)
	if err != nil {
		return dst, err
	}
	return append(append(dst[:len(dst)-1], ','), added[1:]...), nil
}
