package products

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// listParams is the member params of a list: the members of the published sample that
// apply to this list.
type listParams struct {
	shopapi.Params
	Area         string `json:"area"`            // A: the administration
	Query        string `json:"q,omitempty"`     //
	Match        string `json:"match"`           // all words of q
	InName       string `json:"pname,omitempty"` // Y where q is looked for there
	InShort      string `json:"pshort,omitempty"`
	InFull       string `json:"pfull,omitempty"`
	InKeywords   string `json:"pkeywords,omitempty"`
	InCode       string `json:"pcode_from_q,omitempty"`
	CategoryID   int64  `json:"cid,string,omitempty"`
	Subcats      string `json:"subcats,omitempty"` // Y
	FeaturesHash string `json:"features_hash"`

	IncludeVariations bool `json:"include_child_variations"`
	GroupVariations   bool `json:"group_child_variations"`
	HideOutOfStock    bool `json:"hide_out_of_stock_products"` // never
}

// tellParams returns the filter and page parameters of a list.
func tellParams(_ context.Context, f resource.Filter, page *shopapi.Params) any {
	p := f.(*parameters)
	in := func(column string) string { return yes(slices.Contains(p.In, column)) }
	return &listParams{
		Params: *page, Area: "A", Query: p.Query, Match: "all",
		InName: in(InName), InShort: in(InShortDescription), InFull: in(InFullDescription), InKeywords: in(InKeywords), InCode: in(InCode),
		CategoryID: p.CategoryID, Subcats: yes(bool(p.Subcategories)), FeaturesHash: p.FeaturesHash,
		IncludeVariations: p.IncludeVariations == nil || bool(*p.IncludeVariations),
		GroupVariations:   p.GroupVariations != nil && bool(*p.GroupVariations),
	}
}

// yes is Y, or nothing at all.
func yes(is bool) string {
	if is {
		return "Y"
	}
	return ""
}
