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
// A group holds products of one company, no two of which have the same variants of its
// features. A product is in one group at most. Features with the purpose
// group_catalog_item make products of their own; among those that agree in these the
// first, or the one that [Variations.SetDefault] names, is the parent, and the others are
// its variations, with product_type V. When the parent goes the next becomes it, and a
// group that is left with one product goes.
//
// # Variations
//
// A variation is a product, with an address of its own under product_variations, where
// its group can be changed too. A change of a product in a group keeps to the rules of
// the group; a feature by which variations differ cannot be deleted, nor a variant that
// one of them has.
package variations
