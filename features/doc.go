// Package features is the entity features: what products are told apart and found
// by, such as their material or brand, with the variants that can be chosen of it, and the
// values that products have (decisions §17). [Register] adds it to an API; the
// [Features] that it returns give Go code the same rules.
//
//	list, err := features.Register(ctx, api, st, goods, tree)
//	…
//	glaze := list.Defaults(ctx)
//	glaze.Description, glaze.Type = "Glaze", features.Select
//	glaze.Variants = features.Variants{{Name: "Matt"}, {Name: "Gloss"}}
//	glaze, err = list.Create(ctx, glaze)
//
// # Types
//
// A [Checkbox] is Y or N. A [Select], [NumberSelect] or [Brand] has one of its
// variants, a [MultiSelect] several. A [Text], a [Number] and a [Date] have a value of
// their own. A [Group] has none: other features lie in it.
//
// # Variants
//
// The variants of an update are the full set: those with an id that the feature has
// are changed, those without are made, and those left out are removed, with the
// values that products have of them.
package features
