package languages

import (
	"context"
	"sync"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Variables are the language variables of a store. The methods act for the user of ctx,
// in its language ([shopapi.WithLanguage]).
type Variables struct {
	resource.Lists[VariableFilter, Item] // Find, All

	api    *shopapi.API
	st     store.Store
	rows   resource.Collection[Variable, Item]
	copies sync.Mutex // see copyNext
}

// RegisterVariables creates the missing tables, copies the variables that a stopped process
// has not copied into a new language, and adds the entity langvars to the API, at the top and
// below languages.
func (l *Languages) RegisterVariables(ctx context.Context) (*Variables, error) {
	v := &Variables{api: l.api, st: l.st}
	rows, err := resource.New(l.api, l.st, definition(v))
	if err != nil {
		return nil, err
	}
	v.rows, v.Lists, l.variables = rows, resource.ListsOf[VariableFilter](rows), v
	if err := rows.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := v.copyRest(ctx); err != nil {
		return nil, err
	}
	e := &variableEntity{rows.Entity(), v}
	if err := l.api.Register(e); err != nil {
		return nil, err
	}
	return v, l.api.RegisterUnder("languages", &ofLanguage{e})
}

func definition(v *Variables) resource.Definition[Variable, Item] {
	return resource.Definition[Variable, Item]{
		Name:       "langvars",
		Object:     "language variable",
		Summary:    "The texts of the storefront, each under its name.",
		Privileges: privileges,
		Table:      variableTable,
		Filter:     func() resource.Filter { return new(VariableFilter) },
		Sorts:      []resource.Sort{{Key: "name", Column: "name"}},
		Rows: resource.Rows[Variable, Item]{
			Tables:   []*store.Schema{copyings.Schema()},
			Conflict: func(error) error { return shopapi.Invalid("name", "is taken: there is a variable of this name") },
		},
		List: resource.List[Variable, Item]{
			Items: variableItems,
			Item:  func(v *Variable) *Item { return &v.Item },
		},
		Wire: resource.Wire[Variable, Item]{
			Code:      "name",
			StringIDs: true,
		},
		Scope: resource.Scope[Variable]{
			Parents:          []resource.Parent[Variable]{{Entity: "languages"}},
			AuthorizeRequest: resource.ReadOnlyForVendors,
		},
		Rules: resource.Rules[Variable]{
			RestoreImmutable: keepVariable,
			Check:            checkVariable,
		},
	}
}

// Get returns the variable with the name. It returns a 404 [*shopapi.Error].
func (v *Variables) Get(ctx context.Context, name string) (Variable, error) {
	id, err := v.rows.IDOf(ctx, name)
	if err != nil {
		return Variable{}, err
	}
	return v.rows.Get(ctx, id)
}

// Create adds a variable and returns the stored object. It returns a 400
// [*shopapi.Error] for an invalid or existing name.
func (v *Variables) Create(ctx context.Context, variable Variable) (Variable, error) {
	return v.rows.Create(ctx, variable)
}

// CreateAll adds variables in one transaction: see [resource.Objects.CreateAll].
func (v *Variables) CreateAll(ctx context.Context, list []Variable) ([]Variable, error) {
	return v.rows.CreateAll(ctx, list)
}

// Set sets the value of a variable in the language of ctx, and creates the variable if
// it does not exist.
func (v *Variables) Set(ctx context.Context, name, value string) (Variable, error) {
	return v.set(ctx, name, func(v *Variable) error { v.Value = value; return nil })
}

// Delete removes a variable from all languages. It returns a 404 [*shopapi.Error].
func (v *Variables) Delete(ctx context.Context, name string) error {
	id, err := v.rows.IDOf(ctx, name)
	if err != nil {
		return err
	}
	return v.rows.Delete(ctx, id)
}

// BeforeSave adds a hook to every create and update: see [resource.SaveHook].
func (v *Variables) BeforeSave(hook resource.SaveHook[Variable]) { v.rows.BeforeSave(hook) }

// AfterSave adds a hook that runs after every create and update, with the id: see
// [resource.SaveHook].
func (v *Variables) AfterSave(hook resource.SaveHook[Variable]) { v.rows.AfterSave(hook) }

// BeforeDelete adds a hook to every deletion: see [resource.DeleteHook].
func (v *Variables) BeforeDelete(hook resource.DeleteHook[Variable]) { v.rows.BeforeDelete(hook) }
