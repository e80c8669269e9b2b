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
// those of the same name, Write [GiveIDs], and Load ShownOn. The table [Schema], from
// which pairs have their ids, is one of the definition's Tables.
//
// The library never reads what an image refers to. A host that is to store the files
// does so in [shopapi.Options.StoreImage].
package images
