package products

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// How long texts and documents may be.
const (
	MaxName        = 255       // characters of a name, and of a code: they stand in indexes
	MaxCode        = 255       // bytes of a localization or the name of a layout
	MaxMeta        = 4 << 10   // bytes of a title, a warning or a text for search engines
	MaxIDs         = 16 << 10  // bytes of a list of ids
	MaxText        = 64 << 10  // bytes of a short description, a promotion or the search words
	MaxDescription = 256 << 10 // bytes of a full description
	MaxDocument    = 256 << 10 // bytes of features that are documents
)

// setDocumented gives a new product the documented defaults whose zero value means
// something.
func setDocumented(p *Product) {
	p.Amount = 1
	p.IsReturnable, p.ReturnPeriod = true, 10
}

// setDefaults gives their defaults to the fields that cannot be empty.
func (p *Products) setDefaults(ctx context.Context, product *Product) {
	product.setDefaults()
	if product.Timestamp == 0 {
		product.Timestamp = p.api.Now(ctx).Unix()
	}
}

func (p *Product) setDefaults() {
	p.Type = cmp.Or(p.Type, Simple)
	p.Status = cmp.Or(p.Status, Active)
	p.DetailsLayout = cmp.Or(p.DetailsLayout, "default")
	p.Tracking = cmp.Or(p.Tracking, Track)
	p.OutOfStockActions = cmp.Or(p.OutOfStockActions, "N")
	p.ZeroPriceAction = cmp.Or(p.ZeroPriceAction, "R")
	p.ExceptionsType = cmp.Or(p.ExceptionsType, Forbid)
	p.OptionsType = cmp.Or(p.OptionsType, "P")
}

// keep restores what no change of a product alters.
func keep(after, before *Product, _ *shopapi.Problems) {
	after.MasterProductID, after.Master = before.MasterProductID, before.Master
	if before.ProductID != 0 {
		after.Type, after.ParentProductID = before.Type, before.ParentProductID
		after.UpdatedTimestamp, after.SEOPath = before.UpdatedTimestamp, before.SEOPath
		after.Features.adopt(before.Features)
	}
	after.MainPair.Keep(before.MainPair)
	after.ImagePairs.Keep(before.ImagePairs)
}

// normalize gives lists, amounts and images the form in which they are read.
// What has none is left to [Products.check], but for amounts that no column holds.
func (ps *Products) normalize(p *Product, problems *shopapi.Problems) {
	for _, ids := range []*shopapi.IDList{&p.UsergroupIDs, &p.TaxIDs} {
		_ = ids.UnmarshalText([]byte(*ids)) // leaves it as it is when it fails
	}
	p.UsergroupIDs = cmp.Or(p.UsergroupIDs, "0")
	p.CategoryIDs = distinct(p.CategoryIDs)
	for column, amount := range p.amounts() {
		normalizeAmount(problems, column, amount)
	}
	p.MainPair.Normalize()
	p.ImagePairs.Normalize()
	ps.storeDocuments(&p.Summary)
	p.ShippingParams = fmt.Sprintf(`a:5:{s:16:"min_items_in_box";i:%d;s:16:"max_items_in_box";i:%d;s:10:"box_length";i:%d;s:9:"box_width";i:%d;s:10:"box_height";i:%d;}`,
		p.MinItemsInBox, p.MaxItemsInBox, p.BoxLength, p.BoxWidth, p.BoxHeight)
}

// check notes what is wrong with a product, chooses its main category, and sets an
// amount that is not its own.
func (p *Products) check(ctx context.Context, tx store.Tx, before, after *Product, problems *shopapi.Problems) error {
	if err := p.followMaster(ctx, tx, after); err != nil {
		return err
	}
	after.validateForms(problems)
	after.validate(problems)
	after.validateLengths(problems)
	if err := p.deriveParts(tx, before, after); err != nil {
		return err
	}
	if err := p.checkNegative(ctx, before, after, problems); err != nil {
		return err
	}
	if err := resource.CheckIDs(ctx, p.api, problems, "tax_ids", "taxes", after.TaxIDs); err != nil {
		return err
	}
	if err := p.chooseMain(ctx, tx, &before.Summary, &after.Summary, problems); err != nil {
		return err
	}
	checkFeatures(&before.Summary, &after.Summary, problems)
	return p.checkParts(ctx, tx, &before.Summary, &after.Summary, problems)
}

// validateForms finds lists, amounts and images that have no normal form.
func (p *Product) validateForms(problems *shopapi.Problems) {
	validateIDs(problems, "usergroup_ids", p.UsergroupIDs)
	validateIDs(problems, "tax_ids", p.TaxIDs)
	for column, amount := range p.amounts() {
		if !problems.Skips(column) {
			checkAmount(problems, column, scaleOf(column), *amount)
		}
	}
	p.MainPair.Check(problems, "main_pair")
	p.ImagePairs.Check(problems, "image_pairs")
}

func validateIDs(problems *shopapi.Problems, field string, ids shopapi.IDList) {
	if err := ids.UnmarshalText([]byte(ids)); err != nil && !problems.Skips(field) {
		problems.Add(field, "%s", err)
	}
}

// validate finds what is wrong with the fields by themselves.
func (p *Product) validate(problems *shopapi.Problems) {
	problems.Required("product", p.Name, "the name of the product")
	problems.Length("product", p.Name, MaxName)
	problems.Length("product_code", p.Code, MaxName)

	problems.OneOf("product_type", p.Type, Simple, Variation, Configurable)
	problems.OneOf("status", p.Status, Active, Disabled, Hidden)
	problems.OneOf("tracking", p.Tracking, Track, DoNotTrack, TrackByOptions)
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

// validateLengths finds texts that are too long.
func (p *Product) validateLengths(problems *shopapi.Problems) {
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"localization", p.Localization, MaxCode}, {"details_layout", p.DetailsLayout, MaxCode},
		{"seo_name", p.SEOName, MaxMeta}, {"shortname", p.ShortName, MaxMeta}, {"page_title", p.PageTitle, MaxMeta},
		{"meta_keywords", p.MetaKeywords, MaxMeta}, {"meta_description", p.MetaDescription, MaxMeta},
		{"age_warning_message", p.AgeWarningMessage, MaxMeta},
		{"usergroup_ids", string(p.UsergroupIDs), MaxIDs}, {"tax_ids", string(p.TaxIDs), MaxIDs},
		{"short_description", p.ShortDescription, MaxText}, {"promo_text", p.PromoText, MaxText}, {"search_words", p.SearchWords, MaxText},
		{"full_description", p.FullDescription, MaxDescription},
	} {
		problems.Bytes(text.field, text.value, text.most)
	}
}
