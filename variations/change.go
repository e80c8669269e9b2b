package variations

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// Join moves a product into a group; group 0 only removes it from its group. It returns a
// 404 [*shopapi.Error] if the user cannot see such a product, or a 400 about
// variation_group_id with the reason why the product does not fit.
func (v *Variations) Join(ctx context.Context, product, group int64) error {
	return v.on(ctx, product, func(ctx context.Context, tx store.Tx, p *products.Product) error { return v.join(ctx, tx, p, group) })
}

// Detach makes a product of a group a simple one. It returns a 404 [*shopapi.Error], or
// a 400 for a product that is in no group.
func (v *Variations) Detach(ctx context.Context, product int64) error {
	return v.on(ctx, product, v.detach)
}

// SetDefault makes a product of a group the parent of the products with the same values
// of the features that make separate catalog items. It returns the errors of
// [Variations.Detach].
func (v *Variations) SetDefault(ctx context.Context, product int64) error {
	return v.on(ctx, product, v.setDefault)
}

// on runs fn on a product that the user of ctx may see, in a transaction.
func (v *Variations) on(ctx context.Context, product int64, fn func(context.Context, store.Tx, *products.Product) error) error {
	return v.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		p, err := v.goods.Get(ctx, product)
		if err != nil {
			return err
		}
		return fn(ctx, tx, &p)
	})
}

func (v *Variations) join(ctx context.Context, tx store.Tx, p *products.Product, id int64) error {
	had, err := membership(tx, p.ProductID)
	switch {
	case err != nil:
		return err
	case had != nil && had.GroupID == id || had == nil && id == 0:
		return nil
	case had != nil:
		if err := v.leave(ctx, tx, had); err != nil || id == 0 {
			return err
		}
	}
	g, err := v.rows.GetIn(ctx, tx, id)
	if e, ok := errors.AsType[*shopapi.Error](err); ok && e.Status == 404 {
		return shopapi.Invalid("variation_group_id", "must be the id of a group that exists, or 0, not %d", id)
	}
	if err != nil {
		return err
	}
	if len(g.Products) >= maxProducts {
		return shopapi.Invalid("variation_group_id", "does not fit: a group has at most %d products", maxProducts)
	}
	of, err := features.VariantsOf(tx, []int64{p.ProductID}, g.featureIDs())
	if err != nil {
		return err
	}
	if status, other := g.status(p.ProductID, p.CompanyID, of[p.ProductID]); status != Unchanged {
		return shopapi.Invalid("variation_group_id", "%s", g.refusal(status, other))
	}
	return v.add(ctx, tx, &g, p.ProductID)
}

// add puts products at the end of a group.
func (v *Variations) add(ctx context.Context, tx store.Tx, g *Group, ids ...int64) error {
	last, err := members.First(tx, store.Query{
		Where: []store.Cond{store.Equal("group_id", store.Int(g.GroupID))}, Order: []store.Order{store.Desc("position")},
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		if err := members.Insert(tx, &member{GroupID: g.GroupID, ProductID: id, Position: last.Position + 1 + int64(i)}); err != nil {
			return err
		}
	}
	return v.changed(ctx, tx, g.GroupID)
}

// grouped is the row of a product, which must be in a group.
func grouped(tx store.Tx, product int64) (*member, error) {
	m, err := membership(tx, product)
	if err == nil && m == nil {
		err = shopapi.Errorf(400, "The product %d is in no group of variations.", product)
	}
	return m, err
}

func (v *Variations) detach(ctx context.Context, tx store.Tx, p *products.Product) error {
	m, err := grouped(tx, p.ProductID)
	if err != nil {
		return err
	}
	return v.leave(ctx, tx, m)
}

func (v *Variations) setDefault(ctx context.Context, tx store.Tx, p *products.Product) error {
	m, err := grouped(tx, p.ProductID)
	if err != nil {
		return err
	}
	first, err := members.First(tx, store.Query{
		Where: []store.Cond{store.Equal("group_id", store.Int(m.GroupID))}, Order: []store.Order{store.Asc("position")},
	})
	if err != nil || p.Type == products.Simple {
		return err // it is the parent
	}
	m.Position = first.Position - 1
	if err := members.Update(tx, m); err != nil {
		return err
	}
	return v.changed(ctx, tx, m.GroupID)
}
