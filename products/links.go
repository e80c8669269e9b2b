package products

import (
	"context"
	"errors"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A link puts a product into a category.
type link struct {
	LinkID     int64        `json:"link_id" store:"key"`
	ProductID  int64        `json:"product_id"`
	CategoryID int64        `json:"category_id"`
	Main       shopapi.Flag `json:"main"`     // of one link of a product
	Position   int64        `json:"position"` // among the categories of the product, from 0
}

var links = store.MustTable[link]("products_categories",
	store.Index{Columns: []string{"product_id", "category_id"}, Unique: true},
	store.Index{Columns: []string{"category_id", "product_id"}})

// maxCategories bounds the categories of one product.
const maxCategories = 1000

// chooseMain checks the categories of a product that is stored as after, and was
// as before, and chooses its main one; problems are noted. The first one is the main one unless
// main_category says otherwise.
func (p *Products) chooseMain(ctx context.Context, tx store.Tx, before, after *Summary, problems *shopapi.Problems) error {
	ids := after.CategoryIDs
	unchanged := after.MainCategory == before.MainCategory && !slices.Equal(ids, before.CategoryIDs)
	if len(ids) > 0 && (after.MainCategory == 0 || unchanged && !slices.Contains(ids, after.MainCategory)) {
		after.MainCategory = ids[0]
	} else if after.MainCategory != before.MainCategory {
		if err := p.passOverMain(ctx, tx, after, problems); err != nil || problems.Has("main_category") {
			return err
		}
	}
	switch {
	case len(ids) == 0 && after.CompanyID != 0 && after.MasterProductID == 0 && (before.ProductID == 0 || len(before.CategoryIDs) > 0):
		problems.Add("category_ids", "is required: the ids of the categories that the product stands in")
	case len(ids) > maxCategories:
		problems.Add("category_ids", "must hold at most %d categories, not %d", maxCategories, len(ids))
	case slices.ContainsFunc(ids, func(id int64) bool { return id < 1 }):
		problems.Add("category_ids", "must be ids of categories: whole numbers from 1")
	case after.MainCategory != 0 && !slices.Contains(ids, after.MainCategory):
		problems.Add("main_category", "must be one of category_ids, not %d", after.MainCategory)
	default:
		added := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(before.CategoryIDs, id) })
		return p.checkCategories(ctx, tx, added, problems)
	}
	return nil
}

// checkCategories reports categories that the product cannot be linked to on
// category_ids.
func (p *Products) checkCategories(ctx context.Context, tx store.Tx, ids []int64, problems *shopapi.Problems) error {
	if len(ids) == 0 {
		return nil
	}
	if p.tree == nil {
		for _, id := range ids {
			if err := p.api.CheckReference(ctx, problems, "category_ids", "categories", id); err != nil {
				return err
			}
		}
		return nil
	}
	known, err := categories.ByID(tx, ids...)
	for _, id := range ids {
		if c, ok := known[id]; !ok || !p.linkable(ctx, &c) {
			problems.Add("category_ids", "must be ids of categories that exist, not %d", id)
		}
	}
	return err
}

// linkable reports whether products may be linked to a category in ctx: visible
// categories and, with vendors, the common categories of the default company.
func (p *Products) linkable(ctx context.Context, c *categories.Summary) bool {
	common := p.api.Edition() == shopapi.MultiVendor && c.CompanyID == p.api.DefaultCompany()
	return common || resource.Visible(ctx, c.CompanyID)
}

// writeLinks brings the links of a product from what they were to its categories,
// and the categories' product_count with them.
func (p *Products) writeLinks(tx store.Tx, before, after *Summary) error {
	if before.MainCategory == after.MainCategory && slices.Equal(before.CategoryIDs, after.CategoryIDs) {
		return nil
	}
	var old, added []link
	var err error
	if before.ProductID != 0 {
		if old, err = links.Select(tx, store.Query{Where: []store.Cond{store.Equal("product_id", store.Int(after.ProductID))}}); err != nil {
			return err
		}
	}
	for _, l := range old {
		if slices.Contains(after.CategoryIDs, l.CategoryID) {
			continue
		}
		if err := links.DeleteKey(tx, l.LinkID); err != nil {
			return err
		}
		if err := p.count(tx, l.CategoryID, -1); err != nil {
			return err
		}
	}
	for i, id := range after.CategoryIDs {
		l := link{ProductID: after.ProductID, CategoryID: id, Main: id == after.MainCategory, Position: int64(i)}
		had := slices.IndexFunc(old, func(o link) bool { return o.CategoryID == id })
		if had < 0 {
			added = append(added, l)
		} else if l.LinkID = old[had].LinkID; l != old[had] {
			if err := links.Update(tx, &l); err != nil {
				return err
			}
		}
	}
	if err := links.Append(tx, added...); err != nil {
		return err
	}
	for _, l := range added {
		if err := p.count(tx, l.CategoryID, 1); err != nil {
			return err
		}
	}
	return nil
}

// count adds number to the product_count of a category, if the category still exists.
func (p *Products) count(tx store.Tx, category, number int64) error {
	if p.tree == nil {
		return nil
	}
	if err := categories.AddProducts(tx, category, number); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return nil
}

// unlink removes the links to categories that are about to be deleted, in the
// transaction that deletes them.
func (p *Products) unlink(ctx context.Context, ids []int64) error {
	return p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		of := store.InInts("category_id", ids...)
		n, err := links.Count(tx, of)
		if err == nil {
			err = resource.CheckDependents(ctx, n, resource.MaxDependents, "products")
		}
		if err != nil {
			return err
		}
		linking := store.InQuery("product_id", links.Schema(), "product_id", of)
		if err := table.Set(tx, "updated_timestamp", p.api.Now(ctx).Unix(), linking); err != nil {
			return err
		}
		if p.api.Records() {
			var products []int64
			err := links.Each(tx, store.Query{Where: []store.Cond{of}}, func(l *link) error {
				products = append(products, l.ProductID)
				return nil
			})
			if err == nil {
				_, err = p.record(ctx, tx, distinct(products), "category_ids", "main_category")
			}
			if err != nil {
				return err
			}
		}
		return removeLinks(tx, ids)
	})
}

// removeLinks removes the links to categories. If a product loses its main category, its
// next category becomes the main one (decisions §7).
func removeLinks(tx store.Tx, ids []int64) error {
	going := store.InInts("category_id", ids...)
	orphans := store.InQuery("product_id", links.Schema(), "product_id", going, store.Equal("main", store.Bool(true)))
	left, err := links.Select(tx, store.Query{
		Where: []store.Cond{orphans, store.Not(going)},
		Order: []store.Order{store.Asc("product_id"), store.Asc("position")},
	})
	if err != nil {
		return err
	}
	if _, err := links.Delete(tx, going); err != nil {
		return err
	}
	product := int64(0)
	for i := range left {
		if left[i].ProductID == product {
			continue
		}
		product = left[i].ProductID
		left[i].Main = true
		if err := links.Update(tx, &left[i]); err != nil {
			return err
		}
	}
	return nil
}

// distinct returns the ids without repeats, never nil.
func distinct(ids []int64) []int64 {
	seen := make(map[int64]bool, len(ids))
	list := make([]int64, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	return list
}
