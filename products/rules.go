package products

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/shopapi/shopapi"
)

// Defaults returns a product with the documented defaults, to be filled in and
// given to [Products.Create]: one in stock, returnable within 10 days, nothing
// else set.
func Defaults() Product {
	var p Product
	p.Amount = 1
	p.IsReturnable, p.ReturnPeriod = true, 10
	p.setDefaults(0)
	return p
}

// setDefaults gives their defaults to the fields that cannot be empty.
func (p *Product) setDefaults(now int64) {
	p.Type = cmp.Or(p.Type, Simple)
	p.Status = cmp.Or(p.Status, Active)
	p.DetailsLayout = cmp.Or(p.DetailsLayout, "default")
	p.Tracking = cmp.Or(p.Tracking, "B")
	p.OutOfStockActions = cmp.Or(p.OutOfStockActions, "N")
	p.ZeroPriceAction = cmp.Or(p.ZeroPriceAction, "R")
	p.ExceptionsType = cmp.Or(p.ExceptionsType, Forbid)
	p.OptionsType = cmp.Or(p.OptionsType, "P")
	p.LangCode = cmp.Or(p.LangCode, "en")
	p.Timestamp = cmp.Or(p.Timestamp, now)
}

// keep restores what no change of a product alters.
func (p *Product) keep(before *Product) {
	p.ProductID, p.Type, p.ParentProductID = before.ProductID, before.Type, before.ParentProductID
	p.UpdatedTimestamp, p.SEOPath = before.UpdatedTimestamp, before.SEOPath
}

// normalize gives lists, amounts and documents the form in which they are read,
// and notes what has none.
func (p *Product) normalize(problems *shopapi.Problems) {
	normalizeIDs(problems, "usergroup_ids", &p.UsergroupIDs)
	normalizeIDs(problems, "tax_ids", &p.TaxIDs)
	p.UsergroupIDs = cmp.Or(p.UsergroupIDs, "0")
	p.CategoryIDs = distinct(p.CategoryIDs)
	for column, amount := range p.amounts() {
		checkAmount(problems, column, scaleOf(column), *amount)
		*amount = amount.Rescale(scaleOf(column))
	}
	features, problem := normalizeFeatures(p.Features)
	p.Features = features
	note(problems, "product_features", problem)
	p.MainPair, problem = normalizePair(p.MainPair)
	note(problems, "main_pair", problem)
	p.ImagePairs, problem = normalizePairs(p.ImagePairs)
	note(problems, "image_pairs", problem)
	p.ShippingParams = fmt.Sprintf(`a:5:{s:16:"min_items_in_box";i:%d;s:16:"max_items_in_box";i:%d;s:10:"box_length";i:%d;s:9:"box_width";i:%d;s:10:"box_height";i:%d;}`,
		p.MinItemsInBox, p.MaxItemsInBox, p.BoxLength, p.BoxWidth, p.BoxHeight)
}

func normalizeIDs(problems *shopapi.Problems, field string, ids *shopapi.IDList) {
	if err := ids.UnmarshalText([]byte(*ids)); err != nil {
		problems.Add(field, "%s", err)
	}
}

func note(problems *shopapi.Problems, field, problem string) {
	if problem != "" {
		problems.Add(field, "%s", problem)
	}
}

// maxText is how many characters names and codes may have: they stand in indexes,
// which databases bound.
const maxText = 255

// validate finds what is wrong with the fields by themselves.
func (p *Product) validate(problems *shopapi.Problems) {
	if strings.TrimSpace(p.Name) == "" {
		problems.Add("product", "is required: the name of the product")
	}
	problems.Length("product", p.Name, maxText)
	problems.Length("product_code", p.Code, maxText)

	problems.OneOf("product_type", p.Type, Simple, Variation, Configurable)
	problems.OneOf("status", p.Status, Active, Disabled, Hidden)
	problems.OneOf("tracking", p.Tracking, "B", "D", "O")
	problems.OneOf("out_of_stock_actions", p.OutOfStockActions, "N", "B", "S")
	problems.OneOf("zero_price_action", p.ZeroPriceAction, "R", "P", "A")
	problems.OneOf("exceptions_type", p.ExceptionsType, Allow, Forbid)
	problems.OneOf("options_type", p.OptionsType, "P", "S")

	problems.Range("parent_product_id", p.ParentProductID, 0, math.MaxInt64)
	problems.Range("timestamp", p.Timestamp, 0, math.MaxInt64)
	problems.Range("avail_since", p.AvailSince, 0, math.MaxInt64)
	problems.Range("amount", p.Amount, math.MinInt32, math.MaxInt32)
	for _, count := range []struct {
		field string
		n     int64
	}{
		{"length", p.Length}, {"width", p.Width}, {"height", p.Height},
		{"low_avail_limit", p.LowAvailLimit},
		{"min_qty", p.MinQty}, {"max_qty", p.MaxQty}, {"qty_step", p.QtyStep}, {"list_qty_count", p.ListQtyCount},
		{"return_period", p.ReturnPeriod}, {"age_limit", p.AgeLimit}, {"point_price", p.PointPrice},
		{"box_length", p.BoxLength}, {"box_width", p.BoxWidth}, {"box_height", p.BoxHeight},
		{"min_items_in_box", p.MinItemsInBox}, {"max_items_in_box", p.MaxItemsInBox},
	} {
		problems.Range(count.field, count.n, 0, math.MaxInt32)
	}
}
