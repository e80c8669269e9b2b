package blocks

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Types returns the types of blocks of every edition (decisions §23).
func Types() []string {
	return []string{
		"menu", "my_account", "our_brands", "cart_content", "breadcrumbs", "template", "main", "html_block",
		"smarty_block", "checkout", "products", "categories", "pages", "payment_methods", "shipping_methods",
		"currencies", "languages", "product_filters",
	}
}

// VendorTypes returns the types that the multi-vendor edition adds.
func VendorTypes() []string {
	return []string{"vendor_information", "vendor_logo", "vendor_categories", "vendor_search"}
}

func (b *Blocks) types() []string {
	if b.api.Edition() == shopapi.MultiVendor {
		return slices.Concat(Types(), VendorTypes())
	}
	return Types()
}

func definition(b *Blocks) resource.Definition[Block, Summary] {
	return resource.Definition[Block, Summary]{
		Name:       "blocks",
		Object:     "block",
		Summary:    "The parts that the pages of a storefront consist of.",
		Privileges: shopapi.Privileges{View: "view_blocks", Manage: "manage_blocks"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      []resource.Sort{{Key: "id", Column: "block_id"}, {Key: "name", Column: "name"}},
		List: resource.List[Block, Summary]{
			Items: summaries,
			Item:  func(b *Block) *Summary { return &b.Summary },
			Shape: resource.Bare,

			Parameters: []shopapi.Rule{{Field: "type", OneOf: slices.Concat(Types(), VendorTypes())}},
		},
		Wire: resource.Wire[Block, Summary]{StringIDs: true},
		Scope: resource.Scope[Block]{
			AuthorizeRequest: resource.ClosedToVendors,
			Company:          func(b *Block) *int64 { return &b.CompanyID },
		},
		Rules: resource.Rules[Block]{
			Fields: []shopapi.Rule{
				{Field: "type", Required: true, Hint: "what the block shows, such as html_block", OneOf: b.types()},
				{Field: "properties", Required: true},
			},
			Check: func(_ context.Context, _ store.Tx, _, v *Block, problems *shopapi.Problems) error {
				if v.Properties.template() == "" && !problems.Skips("properties") {
					problems.Add("properties", "must be an object with a template, such as {\"template\": \"blocks/html_block.tpl\"}")
				}
				return nil
			},
		},
	}
}
