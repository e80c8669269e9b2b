package blocks

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Limits of texts and documents.
const (
	MaxName     = 255       // characters of a name
	MaxDocument = 256 << 10 // bytes of properties, and of content
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

func (b *Blocks) definition() resource.Definition[Block, Summary] {
	return resource.Definition[Block, Summary]{
		Name:       "blocks",
		Object:     "block",
		Summary:    "The pieces that the pages of a storefront are laid out of.",
		Privileges: shopapi.Privileges{View: "view_blocks", Manage: "manage_blocks"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      []resource.Sort{{Key: "id", Column: "block_id"}, {Key: "name", Column: "name"}},
		List: resource.List[Block, Summary]{
			Items: summaries,
			Item:  func(b *Block) *Summary { return &b.Summary },
			Shape: resource.Bare,
		},
		Wire: resource.Wire[Block, Summary]{StringIDs: true},
		Scope: resource.Scope[Block]{
			AuthorizeRequest: resource.ClosedToVendors,
			Company:          func(b *Block) *int64 { return &b.CompanyID },
		},
		Rules: resource.Rules[Block]{
			Check: func(_ context.Context, _ store.Tx, _, v *Block, problems *shopapi.Problems) error {
				problems.Required("name", v.Name, "the name of the block")
				problems.Length("name", v.Name, MaxName)
				problems.OneOf("type", v.Type, b.types()...)
				problems.Bytes("properties", string(v.Properties), MaxDocument)
				problems.Bytes("content", string(v.Content), MaxDocument)
				if v.Properties.template() == "" && !problems.Skips("properties") {
					problems.Add("properties", "must be an object with a template, such as {\"template\": \"blocks/html_block.tpl\"}")
				}
				return nil
			},
		},
	}
}
