package products

import (
	"math"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which products a list holds, and in which order. Its zero value is
// all that the user may see, by name. Texts match as a part, in either case.
type Filter struct {
	Query string   `json:"q"`
	In    []string `json:"-"` // where to look for Query, at least one of them: InName when empty

	Name string `json:"product"`
	Code string `json:"pcode"`

	CategoryID    int64        `json:"cid"`     // linked to this category; 0 for any
	Subcategories shopapi.Flag `json:"subcats"` // or to one below it

	AmountFrom *int64           `json:"amount_from"`
	AmountTo   *int64           `json:"amount_to"`
	Amount     *int64           `json:"amount"`
	PriceFrom  *decimal.Decimal `json:"price_from"`
	PriceTo    *decimal.Decimal `json:"price_to"`
	Price      *decimal.Decimal `json:"price"`
	ListPrice  *decimal.Decimal `json:"list_price"`

	Status            string        `json:"status"`
	Type              string        `json:"product_type"`
	CompanyID         *int64        `json:"company_id"`
	ParentProductID   *int64        `json:"parent_product_id"`
	FreeShipping      *shopapi.Flag `json:"free_shipping"`
	IsEDP             *shopapi.Flag `json:"is_edp"`
	IsReturnable      *shopapi.Flag `json:"is_returnable"`
	AgeVerification   *shopapi.Flag `json:"age_verification"`
	AgeLimit          *int64        `json:"age_limit"`
	AgeWarningMessage string        `json:"age_warning_message"`

	SortBy     string `json:"-"` // one of [Sorts]; "" is product
	Descending bool   `json:"-"`
	Limit      int    `json:"-"` // at most so many; 0 means all
	Offset     int    `json:"-"`

	also []store.Cond // further conditions of a request
}

// Where a query is looked for.
const (
	InName             = "product"
	InShortDescription = "short_description"
	InFullDescription  = "full_description"
	InKeywords         = "meta_keywords"
)

// Sorts returns what lists can be sorted by, the default first. Ties are broken by
// id.
func Sorts() []string {
	return []string{"product", "date", "status", "list_price", "price", "code", "amount"}
}

// order is the one that the filter asks for, which is one of [Sorts].
func (f *Filter) order() store.Order {
	column := f.SortBy
	switch column {
	case "":
		column = "product"
	case "date":
		column = "timestamp"
	case "code":
		column = "product_code"
	}
	return store.Order{Column: column, Desc: f.Descending}
}

// check finds the parameters that no product could be meant by.
func (f *Filter) check() error {
	var problems shopapi.Problems
	if f.SortBy != "" {
		problems.OneOf("sort_by", f.SortBy, Sorts()...)
	}
	if f.Status != "" {
		problems.OneOf("status", f.Status, Active, Disabled, Hidden)
	}
	if f.Type != "" {
		problems.OneOf("product_type", f.Type, Simple, Variation, Configurable)
	}
	for _, column := range f.In {
		problems.OneOf("q", column, InName, InShortDescription, InFullDescription, InKeywords)
	}
	problems.Range("cid", f.CategoryID, 0, math.MaxInt64)
	for _, a := range f.prices() {
		if a.amount != nil {
			checkAmount(&problems, a.name, scaleOf(a.column), *a.amount)
		}
	}
	if f.PriceFrom != nil && f.PriceTo != nil && f.PriceTo.Less(*f.PriceFrom) {
		problems.Add("price_from", "must not be more than price_to")
	}
	if f.AmountFrom != nil && f.AmountTo != nil && *f.AmountTo < *f.AmountFrom {
		problems.Add("amount_from", "must not be more than amount_to")
	}
	return problems.Err()
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

// conds are the conditions on the rows of a list.
func (p *Products) conds(tx store.Tx, f *Filter) ([]store.Cond, error) {
	conds := append([]store.Cond(nil), f.also...)
	contains := func(column, text string) {
		if text != "" {
			conds = append(conds, store.Contains(column, text))
		}
	}
	contains("product", f.Name)
	contains("product_code", f.Code)
	contains("age_warning_message", f.AgeWarningMessage)
	if f.Query != "" {
		conds = append(conds, f.search())
	}
	for _, a := range f.prices() {
		if a.amount != nil {
			conds = append(conds, a.cond(a.column, units(*a.amount, a.column)))
		}
	}
	conds = append(conds, f.numbers()...)
	conds = append(conds, f.codes()...)
	if f.CategoryID == 0 {
		return conds, nil
	}
	in, err := p.inCategory(tx, f.CategoryID, f.Subcategories)
	return append(conds, in), err
}

// search is the condition that the query is found somewhere.
func (f *Filter) search() store.Cond {
	if len(f.In) == 0 {
		return store.Contains(InName, f.Query)
	}
	var found []store.Cond
	for _, column := range f.In {
		found = append(found, store.Contains(column, f.Query))
	}
	return store.Any(found...)
}

// numbers are the conditions on whole numbers.
func (f *Filter) numbers() (conds []store.Cond) {
	for _, n := range []struct {
		column string
		cond   func(column string, v store.Value) store.Cond
		value  *int64
	}{
		{"amount", store.AtLeast, f.AmountFrom},
		{"amount", store.AtMost, f.AmountTo},
		{"amount", store.Equal, f.Amount},
		{"company_id", store.Equal, f.CompanyID},
		{"parent_product_id", store.Equal, f.ParentProductID},
		{"age_limit", store.Equal, f.AgeLimit},
	} {
		if n.value != nil {
			conds = append(conds, n.cond(n.column, store.Int(*n.value)))
		}
	}
	return conds
}

// codes are the conditions on codes and flags.
func (f *Filter) codes() (conds []store.Cond) {
	if f.Status != "" {
		conds = append(conds, store.Equal("status", store.String(f.Status)))
	}
	if f.Type != "" {
		conds = append(conds, store.Equal("product_type", store.String(f.Type)))
	}
	for _, flag := range []struct {
		column string
		value  *shopapi.Flag
	}{
		{"free_shipping", f.FreeShipping},
		{"is_edp", f.IsEDP},
		{"is_returnable", f.IsReturnable},
		{"age_verification", f.AgeVerification},
	} {
		if flag.value != nil {
			conds = append(conds, store.Equal(flag.column, store.Bool(bool(*flag.value))))
		}
	}
	return conds
}

// inCategory is the condition that a product is linked to a category, or also to
// one below it.
func (p *Products) inCategory(tx store.Tx, id int64, below shopapi.Flag) (store.Cond, error) {
	in := store.Equal("category_id", store.Int(id))
	if below && p.categories != nil {
		within, err := categories.Within(tx, "category_id", id)
		if err != nil {
			return store.Cond{}, err
		}
		in = within
	}
	return linkedTo(in), nil
}

func linkedTo(category store.Cond) store.Cond {
	return store.InQuery("product_id", links.Schema(), "product_id", category)
}
