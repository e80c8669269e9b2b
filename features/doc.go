// Package features is the entity features: the properties by which products are found and
// compared, such as material or brand, with their variants and the products' values
// (decisions §17). [Register] adds it to an API; the [Features] that it returns give Go
// code the same rules.
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
// The value of a [Checkbox] is Y or N; of a [Select], [NumberSelect] or [Brand], one
// variant; of a [MultiSelect], several variants; of a [Text], [Number] or [Date], a free
// value. A [Group] has no value: it contains other features.
//
// # Variants
//
// The variants of an update are the full set: variants with an existing id are changed,
// variants without id are created, and omitted variants are deleted with the products'
// values that use them.
package features
