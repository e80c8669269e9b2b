// Package categories is the entity categories: the tree that a shop's products
// stand in (specification, categories; decisions §7). [Register] adds it to an
// API; the [Categories] that it returns give Go code the same rules.
//
//	tree, err := categories.Register(ctx, api, st)
//	…
//	cups, err := tree.Create(ctx, categories.Category{
//		Summary: categories.Summary{Name: "Cups", ParentID: tableware.CategoryID},
//	})
package categories
