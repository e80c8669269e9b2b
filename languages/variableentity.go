package languages

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A variableEntity serves langvars over HTTP: PUT creates a missing variable (decisions
// §23).
type variableEntity struct {
	resource.Entity
	variables *Variables
}

// Describe implements [shopapi.Entity]. The variables below languages are another
// entity.
func (e *variableEntity) Describe() shopapi.Description {
	d := e.Entity.Describe()
	d.Parents = nil
	return d
}

// Update implements [shopapi.Updater].
func (e *variableEntity) Update(ctx context.Context, r *shopapi.Request, name string) (shopapi.Reply, error) {
	var problems shopapi.Problems
	if code := r.PayloadLanguage(&problems); code != "" {
		ctx = shopapi.WithLanguage(ctx, code)
	}
	if err := problems.Err(); err != nil {
		return shopapi.Reply{}, err
	}
	_, err := e.variables.set(ctx, name, func(v *Variable) error {
		var problems shopapi.Problems
		problems.Merge(r.Bind(v))
		problems.Merge(e.variables.rows.BindCustom(r, v))
		return problems.Err()
	})
	return shopapi.Reply{ID: name}, err
}

// IDsByName implements [github.com/shopapi/shopapi/extensions/bulk.NamedEntity].
func (e *variableEntity) IDsByName(ctx context.Context, names []string) (ids map[string][]string, err error) {
	values := make([]store.Value, len(names))
	for i, name := range names {
		values[i] = store.String(name)
	}
	err = e.variables.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		ids = map[string][]string{}
		found, err := variableTable.Select(tx, store.Query{Where: []store.Cond{store.In("name", values...)}})
		for i := range found {
			ids[found[i].Name] = []string{found[i].Name}
		}
		return err
	})
	return ids, err
}

// set runs change on a variable, and creates a missing one.
func (v *Variables) set(ctx context.Context, name string, change func(*Variable) error) (set Variable, err error) {
	err = v.st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		id, err := v.rows.IDOf(ctx, name)
		if err == nil {
			set, err = v.rows.Update(ctx, id, change)
			return err
		}
		if !errors.Is(err, shopapi.ErrNotFound) || !isVariable(name) {
			return err
		}
		return shopapi.CheckPreconditions(ctx, func() error {
			set, err = v.rows.CreateFunc(ctx, func(v *Variable) error {
				err := change(v)
				v.Name = name
				return err
			})
			return err
		})
	})
	return set, err
}

// An ofLanguage is the entity langvars below a language: its variables are read and
// written in that language. Deletion removes all languages and is possible only at the
// top.
type ofLanguage struct{ top *variableEntity }

var (
	_ shopapi.Lister     = (*ofLanguage)(nil)
	_ shopapi.Getter     = (*ofLanguage)(nil)
	_ shopapi.Creator    = (*ofLanguage)(nil)
	_ shopapi.Updater    = (*ofLanguage)(nil)
	_ shopapi.Authorizer = (*ofLanguage)(nil)
)

// Store is the store of the variables.
func (e *ofLanguage) Store() store.Store { return e.top.Store() }

// Describe implements [shopapi.Entity].
func (e *ofLanguage) Describe() shopapi.Description {
	d := e.top.Describe()
	d.Operations = []shopapi.Operation{shopapi.OpList, shopapi.OpGet, shopapi.OpCreate, shopapi.OpUpdate}
	d.Summary = "The texts of the storefront in one language."
	return d
}

// Authorize implements [shopapi.Authorizer].
func (e *ofLanguage) Authorize(user *shopapi.User, op shopapi.Operation, parents []string) error {
	return e.top.Authorize(user, op, parents)
}

// List implements [shopapi.Lister].
func (e *ofLanguage) List(ctx context.Context, r *shopapi.Request) (any, error) {
	return e.top.List(within(ctx, r), r)
}

// Get implements [shopapi.Getter].
func (e *ofLanguage) Get(ctx context.Context, r *shopapi.Request, name string) (any, error) {
	return e.top.Get(within(ctx, r), r, name)
}

// Create implements [shopapi.Creator].
func (e *ofLanguage) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	if err := sameLanguage(r); err != nil {
		return shopapi.Reply{}, err
	}
	return e.top.Create(within(ctx, r), r)
}

// Update implements [shopapi.Updater].
func (e *ofLanguage) Update(ctx context.Context, r *shopapi.Request, name string) (shopapi.Reply, error) {
	if err := sameLanguage(r); err != nil {
		return shopapi.Reply{}, err
	}
	return e.top.Update(within(ctx, r), r, name)
}

// within returns the context with the language of the address.
func within(ctx context.Context, r *shopapi.Request) context.Context {
	return shopapi.WithLanguage(ctx, codeAbove(r))
}

// codeAbove returns the code of the language in the address.
func codeAbove(r *shopapi.Request) string {
	parent, _ := r.Parent()
	code, _ := shopapi.Field(parent.Data, store.TextLanguage)
	return code
}

// sameLanguage refuses a payload whose language differs from the address.
func sameLanguage(r *shopapi.Request) error {
	var problems shopapi.Problems
	if code := r.PayloadLanguage(&problems); code != "" && code != codeAbove(r) {
		problems.Add(store.TextLanguage, "must be that of the address, %s, or left out", codeAbove(r))
	}
	return problems.Err()
}
