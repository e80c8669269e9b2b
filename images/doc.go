// Package images has the image pairs of products, categories, combinations and variants
// (§16): their main_pair and image_pairs. A [Pair] and [Pairs] are
// fields of an entity's struct: a column of its table, and an object on the wire.
//
//	type Shelf struct {
//		ShelfID    int64        `json:"shelf_id,string" store:"key" bind:"-"`
//		MainPair   images.Pair  `json:"main_pair"`
//		ImagePairs images.Pairs `json:"image_pairs"`
//	}
//
// The functions of the entity's definition call their methods: Keep, Normalize and Check
// call the methods of the same names, Write calls [AssignIDs], and Load calls ShownOn. The
// table [Schema], which assigns the ids of pairs, must be one of the definition's Tables.
//
// The library never reads the file of an image. A host can store files in
// [shopapi.Options.StoreImage].
package images
