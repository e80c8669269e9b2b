package features

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// An ofProduct is the entity features below a product: its values. They are changed
// by the rules of the product, whose change it is.
type ofProduct struct{ f *Features }

var (
	_ shopapi.Lister  = (*ofProduct)(nil)
	_ shopapi.Getter  = (*ofProduct)(nil)
	_ shopapi.Updater = (*ofProduct)(nil)
	_ shopapi.Deleter = (*ofProduct)(nil)
)

// Store is the store of the values.
func (e *ofProduct) Store() store.Store { return e.f.st }

// Describe implements [shopapi.Entity].
func (*ofProduct) Describe() shopapi.Description {
	return shopapi.Description{
		Name: "features", IDField: "feature_id",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Cacheable:  true, Transactional: true, LoggedAs: "product_features",
		Summary: "The values that a product has of features.",
		Body:    reflect.TypeFor[products.ValueBody](),
		Sorts:   []string{"position", "id", "name"},
	}
}

// A parameters is the filter of the list.
type parameters struct {
	All shopapi.Flag `json:"all"` // also features that apply to the product but have no value
}

// List implements [shopapi.Lister].
func (e *ofProduct) List(ctx context.Context, r *shopapi.Request) (any, error) {
	var p parameters
	page, err := r.BindList(&p, false, "position", "id", "name")
	if err != nil {
		return nil, err
	}
	var items []*inProduct
	total := 0
	err = e.view(ctx, r, func(ctx context.Context, tx store.Tx, product *products.Product) error {
		list, err := e.f.featuresOf(ctx, tx, &product.Summary, bool(p.All))
		if err != nil {
			return err
		}
		slices.SortFunc(list, func(a, b Feature) int { return compare(&a, &b, page.SortBy, page.Descending) })
		total = len(list)
		list = list[min(page.Offset(), total):]
		items, err = e.f.inProductOf(ctx, tx, list[:min(page.Limit(), len(list))], product.Features)
		return err
	})
	return shopapi.List{Name: "features", Items: items, Params: page.Params(int64(total))}, err
}

// compare orders features by a sort key, and by their ids where they tie.
func compare(a, b *Feature, key string, desc bool) int {
	order := 0
	switch key {
	case "position":
		order = cmp.Compare(a.Position, b.Position)
	case "name":
		order = cmp.Compare(store.Fold(a.Description), store.Fold(b.Description))
	}
	order = cmp.Or(order, cmp.Compare(a.FeatureID, b.FeatureID))
	if desc {
		return -order
	}
	return order
}

// Get implements [shopapi.Getter].
func (e *ofProduct) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	n, err := shopapi.ParseID("feature", id)
	if err != nil {
		return nil, err
	}
	var items []*inProduct
	err = e.view(ctx, r, func(ctx context.Context, tx store.Tx, product *products.Product) error {
		list, err := e.f.featuresOf(ctx, tx, &product.Summary, true, store.Equal("feature_id", store.Int(n)))
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return shopapi.NotFound("feature of the product", id)
		}
		items, err = e.f.inProductOf(ctx, tx, list, product.Features)
		return err
	})
	if err != nil {
		return nil, err
	}
	return items[0], nil
}

// Update implements [shopapi.Updater]: the payload is one value in the form of
// product_features.
func (e *ofProduct) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	n, err := shopapi.ParseID("feature", id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	sent, field, err := payloadOf(r.Payload, id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	err = e.change(ctx, r, func(ctx context.Context, p *products.Product) error {
		if known, err := e.f.typesOf(ctx, nil, n); err != nil || known[n] == "" || known[n] == Group {
			return cmp.Or(err, shopapi.NotFound("feature of the product", id))
		}
		return e.f.bindValues(ctx, "product_features", sent, &p.Summary)
	})
	return shopapi.Reply{ID: id}, ofField(err, field)
}

// payloadOf returns the payload as one of product_features, and the name of the field
// that says the value.
func payloadOf(p *shopapi.Payload, id string) (sent json.RawMessage, field string, err error) {
	var members shopapi.Map
	field = "value"
	for _, name := range []string{"value", "value_int", "variants", "variant_id"} {
		if p.Has(name) {
			members = append(members, shopapi.Member{Name: name, Value: p.Raw(name)})
			if raw := string(p.Raw(name)); raw != "null" && raw != `""` {
				field = name
			}
		}
	}
	sent, err = shopapi.Map{{Name: id, Value: members}}.MarshalJSON()
	return sent, field, err
}

// ofField has an error about the features of a product name the field of the value.
func ofField(err error, field string) error {
	var e *shopapi.Error
	if !errors.As(err, &e) || e.Fields["product_features"] == "" {
		return err
	}
	_, problem, found := strings.Cut(e.Fields["product_features"], "]: ")
	if !found {
		problem = e.Fields["product_features"]
	}
	return shopapi.Invalid(field, "%s", problem)
}

// Delete implements [shopapi.Deleter].
func (e *ofProduct) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	n, err := shopapi.ParseID("feature", id)
	if err != nil {
		return err
	}
	return e.change(ctx, r, func(_ context.Context, p *products.Product) error {
		switch {
		case p.Features.Of(n) == nil:
			return shopapi.NotFound("feature of the product", id)
		case p.MasterProductID != 0: // offers follow the common product
			return shopapi.Errorf(http.StatusBadRequest, "The product %d is an offer, which has the features of the common product %d.", p.ProductID, p.MasterProductID)
		}
		p.Features.Clear(n)
		return nil
	})
}

// view reads the product that the address leads through.
func (e *ofProduct) view(ctx context.Context, r *shopapi.Request, fn func(context.Context, store.Tx, *products.Product) error) error {
	id, err := e.productID(r)
	if err != nil {
		return err
	}
	return e.f.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		product, err := e.f.goods.Get(ctx, id)
		if err != nil {
			return err
		}
		return fn(ctx, tx, &product)
	})
}

// change has fn alter the product that the address leads through.
func (e *ofProduct) change(ctx context.Context, r *shopapi.Request, fn func(context.Context, *products.Product) error) error {
	id, err := e.productID(r)
	if err != nil {
		return err
	}
	return e.f.st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		_, err := e.f.goods.Update(ctx, id, func(p *products.Product) error { return fn(ctx, p) })
		return err
	})
}

// productID is the id of the product that the address leads through. Where products
// are not the library's they have no values.
func (e *ofProduct) productID(r *shopapi.Request) (int64, error) {
	parent, _ := r.Parent()
	return shopapi.ParseID("product", parent.ID)
}
