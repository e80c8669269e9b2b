package resource

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Collection is the objects of one entity in a store. Its methods act for the
// user of their context: one who is confined to a company finds only its rows, and
// the host's own code, which has no user, all. They may be called from many
// goroutines; hooks and parents are added before the first request is served.
type Collection[T, S any] struct {
	api     *shopapi.API
	st      store.Store
	def     Definition[T, S]
	parents []Parent[T]
	cloner  clonerFor[T]

	texts     *Texts[T]
	itemTexts *textView[S]
	textSorts map[string]*textSort // by column

	beforeSave   []SaveHook[T]
	beforeDelete []DeleteHook[T]
}

// New returns the collection that a definition describes, without an address. Its
// tables must exist: see [Register] and [Collection.Migrate].
func New[T, S any](api *shopapi.API, st store.Store, d Definition[T, S]) (*Collection[T, S], error) {
	if err := d.complete(); err != nil {
		return nil, err
	}
	s := d.Table.Schema()
	sorts, err := textSortsOf(s, d.Sorts)
	if err != nil {
		return nil, err
	}
	base := &languages{api, cmp.Or(api.BaseLanguage(), firstBaseLanguage)}
	c := &Collection[T, S]{
		api: api, st: st, def: d, parents: d.Parents, cloner: clonerOf[T](),
		texts: newTexts(api, st, base, d.Table), itemTexts: viewOf(s, d.Items), textSorts: sorts,
	}
	if companies := CompanyEntity(api); d.Company != nil && companies != "" {
		api.RefuseDelete(companies, c.refuseCompany)
	}
	return c, nil
}

// Register creates the tables that are missing in st, and adds the entity that a
// definition describes to the API.
func Register[T, S any](ctx context.Context, api *shopapi.API, st store.Store, d Definition[T, S]) (*Collection[T, S], error) {
	c, err := New(api, st, d)
	if err != nil {
		return nil, err
	}
	if err := c.Migrate(ctx); err != nil {
		return nil, err
	}
	return c, api.Register(c.Entity())
}

// Migrate creates the tables that are missing and runs the conversions, as [Register]
// does, and reads the base language where texts stand in several.
func (c *Collection[T, S]) Migrate(ctx context.Context) (err error) {
	own := append([]*store.Schema{c.def.Table.Schema()}, c.def.Tables...)
	all := store.WithTexts(own...)
	if err := c.st.Migrate(ctx, slices.Concat(all, Schemas())...); err != nil {
		return err
	}
	if len(all) > len(own) {
		if c.texts.languages.base, err = readBaseLanguage(ctx, c.api, c.st); err != nil {
			return err
		}
	}
	if len(c.def.Conversions) == 0 {
		return nil
	}
	return store.Upgrade(ctx, c.st, c.def.Conversions...)
}

// Under has the entity reached under the objects of another one too, a host's for
// instance, where it answers with what p says lies below them.
func (c *Collection[T, S]) Under(p Parent[T]) error {
	c.parents = append(slices.Clip(c.parents), p)
	return c.api.DeclareParent(c.def.Name, p.Entity)
}

// Defaults returns a new object as a POST with an empty payload would begin with.
func (c *Collection[T, S]) Defaults(ctx context.Context) T {
	var v T
	if c.def.Documented != nil {
		c.def.Documented(&v)
	}
	if c.def.Defaults != nil {
		c.def.Defaults(ctx, &v)
	}
	return v
}

// NotFound is the 404 for an id that no object has.
func (c *Collection[T, S]) NotFound(id int64) error {
	return shopapi.NotFound(c.def.Object, shopapi.FormatID(id))
}

func (c *Collection[T, S]) id(v *T) int64 { return c.def.Table.Key(v) }

// read reads an object in a transaction. It returns a 404 for one that does not
// exist, that the user may not see, or that does not lie where the address says.
func (c *Collection[T, S]) read(ctx context.Context, tx store.Tx, id int64, at place[T]) (T, error) {
	v, err := c.def.Table.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) {
		return v, c.NotFound(id)
	}
	if err != nil {
		return v, err
	}
	visible, err := c.visible(ctx, tx, &v, at)
	if err != nil {
		return v, err
	}
	if visible {
		if err := c.texts.Load(ctx, tx, &v); err != nil {
			return v, err
		}
		if err := c.load(ctx, tx, &v); err != nil {
			return v, err
		}
		visible, err = at.holds(ctx, tx, &v)
	}
	if err == nil && !visible {
		err = c.NotFound(id)
	}
	return orNone(v, err)
}

// load fills what is no column of one object.
func (c *Collection[T, S]) load(ctx context.Context, tx store.Tx, v *T) error {
	if c.def.Load != nil {
		if err := c.def.Load(ctx, tx, c.def.Item(v)); err != nil {
			return err
		}
	}
	if c.def.LoadOne == nil {
		return nil
	}
	return c.def.LoadOne(ctx, tx, v)
}

func (c *Collection[T, S]) visible(ctx context.Context, tx store.Tx, v *T, at place[T]) (bool, error) {
	switch {
	case at.anyCompany():
		return true, nil
	case c.def.Company != nil:
		company := *c.def.Company(v)
		return Visible(ctx, company) || c.shared(ctx) && company == c.api.DefaultCompany(), nil
	case c.def.Visible != nil:
		return c.def.Visible(ctx, tx, v)
	}
	return true, nil
}

// visibleConds confines a list to what the user may see.
func (c *Collection[T, S]) visibleConds(ctx context.Context, at place[T]) []store.Cond {
	switch {
	case at.anyCompany():
		return nil
	case c.def.Company != nil && c.shared(ctx):
		return []store.Cond{store.InInts("company_id", shopapi.UserFrom(ctx).CompanyID, c.api.DefaultCompany())}
	case c.def.Company != nil:
		return VisibleConds(ctx)
	case c.def.VisibleConds != nil:
		return c.def.VisibleConds(ctx)
	}
	return nil
}

// shared reports whether the objects of the default company are visible in ctx
// beside those of the user's own.
func (c *Collection[T, S]) shared(ctx context.Context) bool {
	return c.def.Shared && shopapi.UserFrom(ctx).IsVendor()
}

// authorize returns an error unless the user of ctx may change an object.
func (c *Collection[T, S]) authorize(ctx context.Context, tx store.Tx, op shopapi.Operation, v *T) error {
	if c.shared(ctx) && !Visible(ctx, *c.def.Company(v)) {
		return shopapi.Errorf(http.StatusForbidden, "This %s is the whole shop's: it can be read, and not changed.", c.def.Object)
	}
	if c.def.Authorize == nil {
		return nil
	}
	return c.def.Authorize(ctx, tx, op, v)
}
