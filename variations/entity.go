package variations

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A groupEntity is the entity product_variations_groups. A group is named by its id or
// its code.
type groupEntity struct {
	resource.Entity
	v *Variations
}

// Describe implements [shopapi.Entity].
func (e *groupEntity) Describe() shopapi.Description {
	d := e.Entity.Describe()
	d.Payload = reflect.TypeFor[groupPayload]()
	d.Body = d.Payload // features are no field that can be bound
	return d
}

// Get implements [shopapi.Getter].
func (e *groupEntity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	id, err := e.v.idOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return e.Entity.Get(ctx, r, id)
}

// Update implements [shopapi.Updater].
func (e *groupEntity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	id, err := e.v.idOf(ctx, id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	return e.Entity.Update(ctx, r, id)
}

// Delete implements [shopapi.Deleter].
func (e *groupEntity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	id, err := e.v.idOf(ctx, id)
	if err != nil {
		return err
	}
	return e.Entity.Delete(ctx, r, id)
}

// idOf returns the id of the group in an address, which may be the group's code. A group that
// the user cannot see has no id: the error would name it.
func (v *Variations) idOf(ctx context.Context, name string) (id string, err error) {
	if isDigits(name) {
		return name, nil
	}
	ctx = v.api.Confine(ctx)
	err = v.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		g, err := table.First(tx, store.Query{Where: []store.Cond{store.Equal("code", store.String(name))}})
		if errors.Is(err, store.ErrNotFound) || err == nil && !resource.Visible(ctx, g.CompanyID) {
			return shopapi.NotFound("group of variations", name)
		}
		id = shopapi.FormatID(g.GroupID)
		return err
	})
	return id, err
}

// A productEntity is the entity product_variations: products; its lists contain only
// products in groups.
type productEntity struct {
	resource.Entity
	v *Variations
}

// A payload is that of a product of a group.
type payload struct {
	products.Product
	// the new group of the product; 0 removes it from its group
	GroupID int64        `json:"variation_group_id"`
	Values  shopapi.JSON `json:"variation_feature_values"` // changed values, in the form of product_features
}

// A generation is the payload of the action that makes variations.
type generation struct {
	// Maps of ids of features to ids of variants, such as [{"31": 70}], at most 100. For
	// each that no product of the group has, one is made.
	Combinations []Combination `json:"combinations"`
}

// Describe implements [shopapi.Entity].
func (e *productEntity) Describe() shopapi.Description {
	d := e.Entity.Describe()
	d.Name, d.ListKey, d.LoggedAs = "product_variations", "products", "products"
	d.Summary = "Products that are variations of one another."
	d.Parents = []string{"product_variations_groups"}
	d.Payload, d.Body = reflect.TypeFor[payload](), reflect.TypeFor[body]()
	d.Actions = []shopapi.Action{
		{Name: "detach_product_variation", Summary: "Takes a product out of its group."},
		{Name: "set_default_product_variation", Summary: "Makes a product the parent of its variations."},
		{Name: "generate_product_variations", Summary: "Makes the variations of a product that are missing.", Payload: reflect.TypeFor[generation]()},
	}
	return d
}

// List implements [shopapi.Lister].
func (e *productEntity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	asked, group, err := e.asked(r)
	if err != nil {
		return nil, err
	}
	var sent struct {
		GroupID  *int64        `json:"variation_group_id"`
		HasGroup *shopapi.Flag `json:"has_variation_group"`
	}
	if err := r.BindFilter(&sent); err != nil {
		return nil, err
	}
	asked.Filter = url.Values{}
	maps.Copy(asked.Filter, r.Filter)
	asked.Filter["has_variation_group"] = []string{"Y"}
	switch {
	case sent.HasGroup != nil && !bool(*sent.HasGroup), group != 0 && sent.GroupID != nil && *sent.GroupID != group:
		asked.Filter["variation_group_id"] = []string{"0"} // finds none
	case group != 0:
		asked.Filter["variation_group_id"] = []string{shopapi.FormatID(group)}
	}
	if choice := r.Choice(); choice != nil && choice.HasAny(variationFields...) {
		ctx = withInfo(ctx)
	}
	return e.Entity.List(ctx, asked)
}

// variationFields are the fields of a product on its own that name its group.
var variationFields = []string{
	"variation_group_id", "variation_group_code", "variation_parent_product_id", "variation_sub_group_id",
	"variation_feature_ids", "variation_feature_collection", "variation_features",
}

// withInfo returns a context in which products on their own show their groups.
func withInfo(ctx context.Context) context.Context {
	return products.WithVariationDetails(ctx, products.VariationDetails{Info: true})
}

// Get implements [shopapi.Getter].
func (e *productEntity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	asked, err := e.within(ctx, r, id)
	if err != nil {
		return nil, err
	}
	return e.Entity.Get(withInfo(ctx), asked, id)
}

// IDsByCode implements [shopapi.Coded], of the products that are in groups.
func (e *productEntity) IDsByCode(ctx context.Context, code string) (ids []string, err error) {
	ctx = e.v.api.Confine(ctx)
	err = store.ShortView(ctx, e.v.st, func(ctx context.Context, tx store.Tx) error {
		found, err := e.v.goods.FindCodes(ctx, tx, []string{code}, inGroups())
		for _, id := range found[code] {
			ids = append(ids, shopapi.FormatID(id))
		}
		return err
	})
	return ids, err
}

// MatchField implements [github.com/shopapi/shopapi/extensions/bulk.Matcher]: products are changed by code under products.
func (e *productEntity) MatchField() string { return "" }

// Preparation implements [shopapi.Preparer].
func (e *productEntity) Preparation() func(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	prepare := e.Entity.Preparation()
	if prepare == nil {
		return nil
	}
	return func(ctx context.Context, r *shopapi.Request, id string) (any, error) {
		asked, _, err := e.asked(r)
		if err != nil {
			return nil, err
		}
		return prepare(ctx, asked, id)
	}
}

// Create implements [shopapi.Creator]: the product joins the group of the address or of
// the payload. A repeated request does not put it there again.
func (e *productEntity) Create(ctx context.Context, r *shopapi.Request) (reply shopapi.Reply, err error) {
	asked, group, err := e.asked(r)
	if err != nil {
		return reply, err
	}
	if err := e.Entity.Ready(ctx, asked, ""); err != nil {
		return reply, err
	}
	return e.Entity.Idempotent(ctx, r, func(ctx context.Context, _ store.Tx) (reply shopapi.Reply, err error) {
		if reply, err = e.Entity.Create(ctx, asked); err != nil {
			return reply, err
		}
		return reply, e.v.joinAsked(ctx, r, reply.ID, group)
	})
}

// Update implements [shopapi.Updater]. With variation_group_id the product joins a group,
// or leaves its group.
func (e *productEntity) Update(ctx context.Context, r *shopapi.Request, id string) (reply shopapi.Reply, err error) {
	asked, err := e.within(ctx, r, id)
	if err == nil {
		err = e.Entity.Ready(ctx, asked, id)
	}
	if err != nil {
		return reply, err
	}
	change := func(ctx context.Context) (err error) {
		if reply, err = e.Entity.Update(ctx, asked, id); err != nil {
			return err
		}
		return e.v.joinAsked(ctx, r, id, 0)
	}
	err = e.v.st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		if _, err := e.within(ctx, r, id); err != nil {
			return err
		}
		if !r.Payload.Has("variation_group_id") {
			return change(ctx)
		}
		n, err := shopapi.ParseID("product", id)
		if err != nil {
			return err
		}
		// The response has the ETag of the product after it joined its new group.
		return e.v.on(ctx, n, func(ctx context.Context, _ store.Tx, _ *products.Product) error {
			return shopapi.CheckPreconditions(ctx, func() error { return change(ctx) })
		})
	})
	if err != nil {
		return shopapi.Reply{}, err
	}
	return reply, nil
}

// Delete implements [shopapi.Deleter].
func (e *productEntity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	return e.v.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		asked, err := e.within(ctx, r, id)
		if err != nil {
			return err
		}
		return e.Entity.Delete(ctx, asked, id)
	})
}

// Act implements [shopapi.Actor].
func (e *productEntity) Act(ctx context.Context, r *shopapi.Request, action, id string) (reply shopapi.Reply, err error) {
	n, err := shopapi.ParseID("product", id)
	if err != nil {
		return reply, err
	}
	return e.Entity.Idempotent(ctx, r, func(ctx context.Context, _ store.Tx) (reply shopapi.Reply, err error) {
		if _, err := e.within(ctx, r, id); err != nil {
			return reply, err
		}
		err = shopapi.CheckPreconditions(ctx, func() (err error) {
			reply.ID = id
			switch action {
			case "detach_product_variation":
				err = e.v.Detach(ctx, n)
			case "set_default_product_variation":
				err = e.v.SetDefault(ctx, n)
			case "generate_product_variations":
				reply, err = e.v.generateAsked(ctx, r, n)
			default:
				err = shopapi.Errorf(http.StatusNotFound, "There is no action named %s.", action)
			}
			return err
		})
		return reply, err
	})
}

// generateAsked makes the combinations of a payload.
func (v *Variations) generateAsked(ctx context.Context, r *shopapi.Request, product int64) (shopapi.Reply, error) {
	combinations, err := bindCombinations(r.Payload)
	if err != nil {
		return shopapi.Reply{}, err
	}
	g, status, err := v.Generate(ctx, product, combinations)
	if err != nil {
		return shopapi.Reply{}, err
	}
	told := make(shopapi.Map, 0, len(status))
	for _, id := range slices.Sorted(maps.Keys(status)) {
		told = append(told, shopapi.Member{Name: shopapi.FormatID(id), Value: int64(status[id])})
	}
	return shopapi.Reply{More: shopapi.Map{{Name: "group", Value: g}, {Name: "products_status", Value: told}}}, nil
}

// joinAsked puts a product into the group that an address leads through, or else that
// the payload names.
func (v *Variations) joinAsked(ctx context.Context, r *shopapi.Request, product string, group int64) error {
	var sent struct {
		GroupID *int64 `json:"variation_group_id"`
	}
	if err := r.Bind(&sent); err != nil {
		return err
	}
	switch {
	case sent.GroupID == nil && group == 0:
		return nil
	case sent.GroupID == nil:
		sent.GroupID = &group
	case group != 0 && *sent.GroupID != group:
		return shopapi.Invalid("variation_group_id", "must be that of the address, %d, not %d", group, *sent.GroupID)
	}
	id, err := strconv.ParseInt(product, 10, 64)
	if err != nil {
		return err
	}
	return v.Join(ctx, id, *sent.GroupID)
}

// asked is a request as the entity products answers it, and the group that its address
// leads through, 0 for none.
func (e *productEntity) asked(r *shopapi.Request) (*shopapi.Request, int64, error) {
	asked := *r
	asked.Parents = nil
	parent, nested := r.Parent()
	if !nested {
		return &asked, 0, nil
	}
	if g, ok := parent.Data.(Group); ok {
		return &asked, g.GroupID, nil
	}
	return nil, 0, shopapi.Errorf(http.StatusNotFound, "There is no entity named product_variations under %s.", parent.Entity)
}

// within is asked of one product. Below a group it is a 404 for one of another.
func (e *productEntity) within(ctx context.Context, r *shopapi.Request, id string) (*shopapi.Request, error) {
	asked, group, err := e.asked(r)
	if err != nil || group == 0 {
		return asked, err
	}
	n, err := shopapi.ParseID("product", id)
	if err != nil {
		return nil, err
	}
	return asked, e.v.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		m, err := membership(tx, n)
		if err == nil && (m == nil || m.GroupID != group) {
			err = shopapi.NotFound("product of the group", id)
		}
		return err
	})
}
