// Package variations is the entities product_variations and
// product_variations_groups: products that differ in the values of some features, such
// as the same mug in three glazes (decisions §22). [Register] adds them to an API; the
// [Variations] that it returns give Go code the same rules.
//
//	list, err := variations.Register(ctx, api, st, goods, properties)
//	…
//	group, status, err := list.Generate(ctx, mug.ProductID, []variations.Combination{
//		{glaze.FeatureID: matt}, {glaze.FeatureID: gloss},
//	})
//
// # Groups
//
// A group contains products of one company that differ in the variants of its features. A
// product is in at most one group. Features with the purpose group_catalog_item make
// separate catalog items: among products with the same values of these features, the
// first product, or the one set by [Variations.SetDefault], is the parent, and the others
// are its variations, with product_type V. When the parent leaves, the next product
// becomes the parent. A group with one product left is deleted.
//
// # Variations
//
// A variation is a product with a second address under product_variations, where its
// group can be changed too. Changes of a product in a group must keep the rules of the
// group. A feature of a group cannot be deleted, nor a variant that one of its products
// has.
package variations
