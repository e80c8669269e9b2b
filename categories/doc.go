// Package categories is the entity categories: the tree of categories for a shop's
// products (specification, categories; decisions §7). Package products links products to
// categories.
//
// [Register] adds the entity to an API; the [Categories] that it returns give Go code
// the same rules.
//
//	tree, err := categories.Register(ctx, api, st)
//	…
//	cups, err := tree.Create(ctx, categories.Category{
//		Summary: categories.Summary{Name: "Cups", ParentID: tableware.CategoryID},
//	})
package categories
