package options

import (
	"context"
	"hash/crc32"
	"iter"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Combinations are the combinations of a store's products. The methods act for the user
// of their context, like the methods of [Options].
//
// Create refuses a product that does not exist, variants that are not one of each option
// of the product with inventory Y, and a combination that the product has already. Update
// does not change the product and the variants. Hooks of BeforeDelete run when a
// combination is deleted alone, without its product, options or variants. Lists at an
// address that Under adds name the product in product_id.
type Combinations struct {
	resource.Objects[Combination] // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete

	options *Options
	rows    resource.Collection[Combination, Combination]
}

func newCombinations(ctx context.Context, o *Options) (_ *Combinations, err error) {
	c := &Combinations{options: o}
	if c.rows, err = resource.New(o.api, o.st, combinationsDefinition(c)); err != nil {
		return nil, err
	}
	c.Objects = c.rows
	return c, c.rows.Migrate(ctx)
}

// RegisterCombinations adds the entity combinations to the API.
func (o *Options) RegisterCombinations() error {
	return o.api.Register(resource.DeleteOf(o.combinations.rows, func(c *Combination) int64 { return c.ProductID }, func(f *CombinationFilter) *int64 { return f.ProductID }))
}

// Find returns the combinations of a product, by position, and their number without
// limit and offset; none of a product that does not exist or that the user may not
// see. It returns a 400 [*shopapi.Error] for a filter without a product.
func (c *Combinations) Find(ctx context.Context, f CombinationFilter) ([]Combination, int64, error) {
	f.products = c.options.products
	return c.rows.Find(ctx, &f)
}

// All iterates over the combinations of a product, by hash: see
// [resource.Collection.All].
func (c *Combinations) All(ctx context.Context, f CombinationFilter) iter.Seq2[Combination, error] {
	f.products = c.options.products
	return c.rows.All(ctx, &f)
}

func combinationsDefinition(c *Combinations) resource.Definition[Combination, Combination] {
	o := c.options
	return resource.Definition[Combination, Combination]{
		Name:       "combinations",
		Object:     "combination",
		Summary:    "The stock of each combination of options of a product.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      combinations,
		Filter:     func() resource.Filter { return &CombinationFilter{products: o.products} },
		Sorts: []resource.Sort{
			{Key: "position", Column: "position"}, {Key: "id", Column: "combination_hash"},
		},
		Rows: resource.Rows[Combination, Combination]{
			Tables:   []*store.Schema{images.Schema(), images.UploadSchema()},
			Load:     showImages,
			Write:    c.write,
			Remove:   c.remove,
			Conflict: func(error) error { return shopapi.Invalid("combination", "is a combination of the product already") },
		},
		List: resource.List[Combination, Combination]{Shape: resource.Bare},
		Wire: resource.Wire[Combination, Combination]{
			StringIDs: true,
			Codes:     &resource.Codes{Field: "product_code", Find: c.findCodes},
			Bind:      bindCombination,
			BeforeTx: images.Storing(o.api, "combinations", func(sent *shopapi.Payload) images.Pairs {
				return images.Sent(sent, "main_pair", "image_pairs")
			}, func(c *Combination) []*images.Pair { return []*images.Pair{&c.Images} }),
		},
		Scope: resource.Scope[Combination]{
			Visible: func(ctx context.Context, tx store.Tx, combination *Combination) (bool, error) {
				return o.products.visible(ctx, tx, combination.ProductID)
			},
			Owner: func(ctx context.Context, tx store.Tx, c *Combination) (shopapi.Ownership, error) {
				return o.products.owner(ctx, tx, c.ProductID)
			},
			Parents: append(resource.Companies[Combination](),
				below(func(c *Combination) *int64 { return &c.ProductID }, func(c *Combination) bool { return c.Hash == 0 })),
		},
		Rules: resource.Rules[Combination]{
			RestoreImmutable: keepCombination,
			Normalize:        func(c *Combination, _ *shopapi.Problems) { c.Images.Normalize() },
			Check:            c.check,
		},
	}
}

// findCodes finds combinations by their codes.
func (c *Combinations) findCodes(ctx context.Context, tx store.Tx, codes []string) (map[string][]int64, error) {
	if c.options.products.goods != nil {
		return resource.FindCodes(tx, combinations, "product_code", codes, products.OfVisible(ctx, "product_id")...)
	}
	found, err := resource.FindCodes(tx, combinations, "product_code", codes)
	if _, confined := shopapi.CompanyOf(ctx); err != nil || !confined {
		return found, err
	}
	for code, ids := range found {
		if found[code], err = c.visible(ctx, tx, ids); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// visible returns the combinations of products of the host that the user of ctx may see.
func (c *Combinations) visible(ctx context.Context, tx store.Tx, ids []int64) (visible []int64, err error) {
	list, err := combinations.Select(tx, store.Query{Where: []store.Cond{store.InInts("combination_hash", ids...)}})
	for _, of := range list {
		sees, err := c.options.products.visible(ctx, tx, of.ProductID)
		if err != nil {
			return nil, err
		}
		if sees {
			visible = append(visible, of.Hash)
		}
	}
	return visible, err
}

// keepCombination restores what no change of a combination alters.
func keepCombination(after, before *Combination, _ *shopapi.Problems) {
	if before.Hash != 0 {
		after.ProductID, after.Variants = before.ProductID, before.Variants
	}
	after.Images.Keep(before.Images)
}

// bindCombination lays a payload over a combination. Its image is written as main_pair,
// or as image_pairs, the field in which it is answered.
func bindCombination(_ context.Context, r *shopapi.Request, c *Combination) error {
	var problems shopapi.Problems
	problems.Merge(r.Bind(c))
	var sent struct {
		Main *images.Pair `json:"main_pair"`
	}
	problems.Merge(r.Bind(&sent))
	switch {
	case sent.Main != nil && sent.Main.Problem() != "":
		problems.Add("main_pair", "%s", sent.Main.Problem())
	case sent.Main != nil:
		c.Images = *sent.Main
	}
	return problems.Err()
}

// showImages says which combinations images are shown on.
func showImages(_ context.Context, _ store.Tx, list ...*Combination) error {
	for _, c := range list {
		c.Images.ShownOn(images.Object{Type: "product_option", ID: c.Hash})
	}
	return nil
}

// check reports the problems of a combination.
func (c *Combinations) check(ctx context.Context, tx store.Tx, before, after *Combination, problems *shopapi.Problems) error {
	after.Images.Check(problems, "image_pairs")
	if before.Hash == 0 {
		if err := c.checkNew(ctx, tx, after, problems); err != nil {
			return err
		}
	}
	if after.Amount == before.Amount {
		return nil
	}
	return c.options.products.checkAmount(ctx, tx, after, problems)
}

// checkNew reports the problems of the product and the variants of a new combination. It
// checks the variants only if the product exists.
func (c *Combinations) checkNew(ctx context.Context, tx store.Tx, after *Combination, problems *shopapi.Problems) error {
	if err := c.options.products.check(ctx, tx, after.ProductID, problems); err != nil {
		return err
	}
	switch {
	case len(after.Variants) == 0:
		problems.Add("combination", "is required: ids of options with the ids of their variants")
	case !problems.Has("product_id"):
		options, err := inventoryOptions(ctx, tx, after.ProductID)
		if err != nil {
			return err
		}
		if problem := after.Variants.problem(after.ProductID, options); problem != "" {
			problems.Add("combination", "%s", problem)
		}
	}
	return nil
}

// inventoryOptions reads the options of products that take part in combinations,
// with their variants.
func inventoryOptions(ctx context.Context, tx store.Tx, product int64) ([]Option, error) {
	list, err := table.Select(tx, store.Query{
		Where: []store.Cond{store.Equal("product_id", store.Int(product)), store.Equal("inventory", store.Bool(true))},
		Order: []store.Order{store.Asc("position")},
	})
	if err != nil {
		return nil, err
	}
	return list, loadVariants(ctx, tx, nil, store.Pointers(list)...)
}

// write stores a combination, a new one under its hash, and counts the stock of its
// product.
func (c *Combinations) write(ctx context.Context, tx store.Tx, before, after *Combination) error {
	if err := images.AssignIDs(tx, &after.Images, nil); err != nil {
		return err
	}
	if before.Hash == 0 {
		hash, err := freeHash(tx, after)
		if err != nil {
			return err
		}
		after.Hash = hash
		if err := combinations.Insert(tx, after); err != nil {
			return err
		}
	} else if err := combinations.Update(tx, after); err != nil {
		return err
	}
	if after.Amount == before.Amount {
		return nil
	}
	return c.options.products.countStock(ctx, tx, after.ProductID)
}

// remove removes a combination, and counts the stock of its product.
func (c *Combinations) remove(ctx context.Context, tx store.Tx, combination *Combination) error {
	if err := combinations.DeleteKey(tx, combination.Hash); err != nil {
		return err
	}
	return c.options.products.countStock(ctx, tx, combination.ProductID)
}

// freeHash returns the hash of a new combination: a 32-bit number computed from product
// and variants, or the next free number. 0 is never a hash.
func freeHash(tx store.Tx, c *Combination) (int64, error) {
	text := strconv.AppendInt(nil, c.ProductID, 10)
	hash := crc32.ChecksumIEEE(wire.AppendIDs(text, c.Variants))
	for ; ; hash++ {
		if hash == 0 {
			continue
		}
		taken, err := combinations.Exists(tx, int64(hash))
		if err != nil || !taken {
			return int64(hash), err
		}
	}
}

// namingCombinations returns the hashes of the combinations that name an option, or,
// where variants are given, one of them.
func namingCombinations(tx store.Tx, option *Option, variants []int64) (hashes []int64, err error) {
	err = combinations.Each(tx, store.Query{
		Where: []store.Cond{store.Equal("product_id", store.Int(option.ProductID))},
	}, func(c *Combination) error {
		variant, names := c.Variants[option.OptionID]
		if names && (len(variants) == 0 || slices.Contains(variants, variant)) {
			hashes = append(hashes, c.Hash)
		}
		return nil
	})
	return hashes, err
}
