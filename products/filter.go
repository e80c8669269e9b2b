package products

import (
	"math"
	"net/url"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which products a list holds, and in which order. Its zero value is
// all that the user may see, by name. Texts match as a part, in either case. The
// sort keys are product, date, status, list_price, price, code, amount, updated (the time
// of the last change) and id.
type Filter struct {
	resource.ListOptions

	Query string   `json:"q"` // words, each of which is found, in any order
	In    []string `json:"-"` // where to look for a word, at least one of them: InName when empty

	Name      string       `json:"product"`
	Code      string       `json:"pcode"`
	ExactCode shopapi.Flag `json:"pcode_exact"` // Code is the whole code, not a part

	CategoryID    int64        `json:"cid"`     // linked to this category; 0 for any
	Subcategories shopapi.Flag `json:"subcats"` // or to one below it

	LowStock shopapi.Flag `json:"low_stock"` // tracked, and with at most low_avail_limit pieces

	AmountFrom *int64           `json:"amount_from"`
	AmountTo   *int64           `json:"amount_to"`
	Amount     *int64           `json:"amount" match:"equal"`
	PriceFrom  *decimal.Decimal `json:"price_from"`
	PriceTo    *decimal.Decimal `json:"price_to"`
	Price      *decimal.Decimal `json:"price"`
	ListPrice  *decimal.Decimal `json:"list_price"`

	// The time of the last change: seconds since 1970, or a date.
	UpdatedFrom string `json:"updated_at_from"`
	UpdatedTo   string `json:"updated_at_to"`

	OrderIDs []int64 `json:"order_ids"` // in one of these orders, for users who may view them

	Status            string        `json:"status" bind:"codes" rule:"oneof=A D H" match:"equal"`
	Type              string        `json:"product_type" bind:"codes" rule:"oneof=P V C" match:"equal"`
	CompanyID         *int64        `json:"company_id" match:"equal"`
	ParentProductID   *int64        `json:"parent_product_id" match:"equal"`
	FreeShipping      *shopapi.Flag `json:"free_shipping" match:"equal"`
	IsEDP             *shopapi.Flag `json:"is_edp" match:"equal"`
	IsReturnable      *shopapi.Flag `json:"is_returnable" match:"equal"`
	AgeVerification   *shopapi.Flag `json:"age_verification" match:"equal"`
	AgeLimit          *int64        `json:"age_limit" match:"equal"`
	AgeWarningMessage string        `json:"age_warning_message"`

	// FeaturesHash asks for variants of features: "10-86_11-90" for products with the
	// variant 86 of the feature 10, and 90 of 11. Several of one feature are
	// alternatives.
	FeaturesHash string `json:"features_hash"`

	GetOptions shopapi.Flag `json:"get_options"` // items show their options

	VariationFilter
	// MastersOnly asks for common products, which are left out without it.
	MastersOnly shopapi.Flag `json:"show_master_products_only"`

	// Parameters are the parameters of the request, for parts with parameters of their
	// own.
	Parameters url.Values `json:"-"`
}

// sorts are the sort keys of lists, the default first.
var sorts = []resource.Sort{
	{Key: "product", Column: "product"},
	{Key: "date", Column: "timestamp"},
	{Key: "status", Column: "status"},
	{Key: "list_price", Column: "list_price"},
	{Key: "price", Column: "price"},
	{Key: "code", Column: "product_code"},
	{Key: "amount", Column: "amount"},
	{Key: "updated", Column: "updated_timestamp"},
	{Key: "updated_at", Column: "updated_timestamp"},
	{Key: "id", Column: "product_id"},
}

// Where implements [resource.Filter] for all but CategoryID.
func (f *Filter) Where(w *resource.Where) {
	f.search(w)
	w.Contains("product", f.Name)
	f.code(w, "pcode", f.Code)
	w.Contains("age_warning_message", f.AgeWarningMessage)
	for _, a := range f.prices() {
		a.where(w)
	}
	if f.PriceFrom != nil && f.PriceTo != nil && f.PriceTo.Less(*f.PriceFrom) {
		w.Problems.Add("price_from", "must not be more than price_to")
	}
	w.Range("amount", f.AmountFrom, f.AmountTo)
	if f.AmountFrom != nil && f.AmountTo != nil && *f.AmountTo < *f.AmountFrom {
		w.Problems.Add("amount_from", "must not be more than amount_to")
	}
	if f.LowStock {
		w.Add(store.NotEqual("tracking", store.String(DoNotTrack)), store.AtMostColumn("amount", "low_avail_limit"))
	}
	w.Times("updated_timestamp", "updated_at_from", f.UpdatedFrom, "updated_at_to", f.UpdatedTo)
}

// A price is one of the filter's amounts, by its parameter and column.
type price struct {
	name, column string
	cond         func(column string, v store.Value) store.Cond
	amount       *decimal.Decimal
}

func (f *Filter) prices() []price {
	return []price{
		{"price", "price", store.Equal, f.Price},
		{"price_from", "price", store.AtLeast, f.PriceFrom},
		{"price_to", "price", store.AtMost, f.PriceTo},
		{"list_price", "list_price", store.Equal, f.ListPrice},
	}
}

func (p *price) where(w *resource.Where) {
	if p.amount == nil {
		return
	}
	in := limits[p.column]
	checkAmount(&w.Problems, p.name, in, *p.amount)
	if !w.Problems.Has(p.name) {
		w.Add(p.cond(p.column, store.Int(int64(p.amount.Rescale(in.Scale).Coef()))))
	}
}

// parameters are the filter parameters of a list.
type parameters struct {
	Filter

	searchParameters

	OtherCode        string `json:"code"`                                 // another spelling of pcode
	OtherUpdatedFrom string `json:"updated_from" deprecated:"2026-11-22"` // another spelling of updated_at_from
	OtherUpdatedTo   string `json:"updated_to" deprecated:"2026-11-22"`   // another spelling of updated_at_to

	below bool      // a list of common products, or of the offers of one
	goods *Products // that are listed
}

// query is the filter of a list.
func (p *Products) query(f Filter) *parameters { return &parameters{Filter: f, goods: p} }

// bindFilter reads the parameters of a list.
func bindFilter(r *shopapi.Request, filter resource.Filter) error {
	p := filter.(*parameters)
	var problems shopapi.Problems
	problems.Merge(r.BindFilter(p))
	for _, a := range p.prices() {
		for _, text := range r.Filter[a.name] {
			checkAmountText(&problems, a.name, limits[a.column], text)
		}
	}
	p.Parameters = r.Filter
	p.In = p.in(r.API().Dialect())
	return problems.Err()
}

// Where implements [resource.Filter]. A category that the address leads through
// holds the products as cid does; both may be given.
func (p *parameters) Where(w *resource.Where) {
	p.Filter.Where(w)
	p.VariationFilter.where(w)
	p.goods.filterParts(w, &p.Filter)
	if isMaster := store.Equal("company_id", store.Int(0)); bool(p.MastersOnly) {
		w.Add(isMaster)
	} else if !p.below {
		w.Add(store.NotEqual("company_id", store.Int(0)))
	}
	p.searchParameters.where(w)
	p.code(w, "code", p.OtherCode)
	w.Times("updated_timestamp", "updated_from", p.OtherUpdatedFrom, "updated_to", p.OtherUpdatedTo)
	w.Problems.Range("cid", p.CategoryID, 0, math.MaxInt64)
	category := p.CategoryID
	if w.Above != nil && w.Above.Entity == underCategory.Entity {
		if category == 0 {
			category = w.Above.ID
		} else {
			w.Add(linkedTo(store.Equal("category_id", store.Int(w.Above.ID))))
		}
	}
	if category == 0 {
		return
	}
	in := store.Equal("category_id", store.Int(category))
	if bool(p.Subcategories) && p.goods.tree != nil {
		within, err := categories.Within(w.Tx, "category_id", category)
		w.SetError(err)
		in = within
	}
	w.Add(linkedTo(in))
}

func linkedTo(category store.Cond) store.Cond {
	return store.InQuery("product_id", links.Schema(), "product_id", category)
}
