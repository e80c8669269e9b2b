package products

import (
	"cmp"
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// setDocumented gives a new product the documented defaults whose zero value means
// something.
func setDocumented(p *Product) {
	p.Amount = 1
	p.IsReturnable, p.ReturnPeriod = true, 10
}

// keep restores immutable fields.
func keep(after, before *Product, _ *shopapi.Problems) {
	after.MasterProductID, after.Master = before.MasterProductID, before.Master
	if before.ProductID != 0 {
		after.Type, after.ParentProductID = before.Type, before.ParentProductID
		after.SEOPath = before.SEOPath
		after.Features.adopt(before.Features)
	}
	after.MainPair.Keep(before.MainPair)
	after.ImagePairs.Keep(before.ImagePairs)
}

// normalize brings lists, amounts and images into the form in which they are read. It
// reports amounts that the column cannot store; [Products.check] reports other invalid
// values.
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

// featureRule is the rule on the stored form of features.
var featureRule = shopapi.Rule{Field: "product_features", Bytes: maxDocument}

// nameRules are the rules of products that have a name of their own. An offer has the name
// of its common product.
func nameRules() []shopapi.Rule {
	return []shopapi.Rule{{Field: "product", Required: true, Hint: "the name of the product"}, featureRule}
}

// check reports the problems of a product, chooses its main category, and sets the amount
// if it is computed.
func (p *Products) check(ctx context.Context, tx store.Tx, before, after *Product, problems *shopapi.Problems) error {
	after.validateForms(problems)
	for _, part := range p.derivers {
		if err := part.DeriveProduct(tx, before, after); err != nil {
			return err
		}
	}
	if err := p.checkStock(ctx, before, after, problems); err != nil {
		return err
	}
	if err := resource.CheckUsergroups(ctx, p.api, problems, after.UsergroupIDs); err != nil {
		return err
	}
	if err := resource.CheckIDs(ctx, p.api, problems, "tax_ids", "taxes", after.TaxIDs); err != nil {
		return err
	}
	if err := p.chooseMain(ctx, tx, &before.Summary, &after.Summary, problems); err != nil {
		return err
	}
	checkFeatures(&before.Summary, &after.Summary, problems)
	for _, part := range p.checkers {
		if err := part.CheckProduct(ctx, tx, &before.Summary, &after.Summary, problems); err != nil {
			return err
		}
	}
	return nil
}

// validateForms adds a problem for each invalid list of ids, amount (price, weight and others) and
// image.
func (p *Product) validateForms(problems *shopapi.Problems) {
	validateIDs(problems, "usergroup_ids", p.UsergroupIDs)
	validateIDs(problems, "tax_ids", p.TaxIDs)
	for column, amount := range p.amounts() {
		if !problems.Skips(column) {
			checkAmount(problems, column, limits[column], *amount)
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
