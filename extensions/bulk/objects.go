package bulk

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Matcher is an entity whose objects PUT with match finds by a field (E6).
type Matcher interface {
	shopapi.Updater

	// MatchField is the field, "" for none.
	MatchField() string

	// IDsByCodes returns the ids of the objects that the user of ctx may see, by their
	// values of the field: see [shopapi.Coded].
	IDsByCodes(ctx context.Context, codes []string) (map[string][]string, error)

	// Store is the store of the objects.
	Store() store.Store
}

// A RowMatcher is an entity whose objects rows of files name by a field beside the id,
// such as users by their email.
type RowMatcher interface {
	// RowField is the field, "" for none.
	RowField() string

	// IDsByRowField returns the ids of the objects by their values of the field, of the
	// objects that the user of ctx may see.
	IDsByRowField(ctx context.Context, values []string) (map[string][]string, error)
}

// A NamedEntity is an entity with names that clients choose as ids, such as language variables: a
// row with a name that no object has is a missing one.
type NamedEntity interface {
	// IDsByName returns the ids of the objects that the user of ctx may see, by their names.
	IDsByName(ctx context.Context, names []string) (map[string][]string, error)
}

// A TextRemover is an entity whose objects have texts in several languages.
type TextRemover interface {
	// RemoveTexts removes the texts that an object has of its own in a language, within the
	// transaction of ctx. It returns [shopapi.ErrNotFound] for an object that does not exist.
	RemoveTexts(ctx context.Context, id, language string, fields []string) error
}

// A ListTexter is an entity with lists of parts that have texts in several languages: see
// [shopapi.Description.TranslatedLists].
type ListTexter interface {
	// ListTexts returns the texts that the parts of an object have of their own in a language,
	// by the id of the part and the field; "" is the base language. A part without texts is
	// there too. The caller has checked that the user may see the object.
	ListTexts(ctx context.Context, id, language, list string) (map[string]map[string]string, error)

	// RemoveListTexts removes texts, by the id of the part, within the transaction of ctx. Texts
	// in the base language stay.
	RemoveListTexts(ctx context.Context, id, language, list string, removed map[string][]string) error
}

// The objects of an entity as rows change them.
type objects struct {
	api  *shopapi.API
	path shopapi.EntityPath

	create      func(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error)            // nil: objects cannot be created
	update      func(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) // nil: objects cannot be changed
	preparation func(ctx context.Context, r *shopapi.Request, id string) (any, error)           // nil: nothing is prepared
	removeTexts func(ctx context.Context, id, language string, fields []string) error           // nil: texts are removed as they are written
	listTexter  ListTexter                                                                      // nil: no lists have texts
	matcher     Matcher                                                                         // nil: PUT with match finds none
	rowMatcher  RowMatcher                                                                      // nil: rows of files name objects by nothing else
}

// objectsOf returns the objects of an entity at the top, nil where it is not registered.
func objectsOf(api *shopapi.API, entity string) *objects {
	path, err := api.EntityAt(entity)
	if err != nil {
		return nil
	}
	o := &objects{api: api, path: path}
	e := path.Entity()
	if c, ok := e.(shopapi.Creator); ok && path.Offers(shopapi.OpCreate) {
		o.create = c.Create
	}
	if u, ok := e.(shopapi.Updater); ok && path.Offers(shopapi.OpUpdate) {
		o.update = u.Update
	}
	if p, ok := e.(shopapi.Preparer); ok {
		o.preparation = p.Preparation()
	}
	if t, ok := e.(TextRemover); ok {
		o.removeTexts = t.RemoveTexts
	}
	o.listTexter, _ = e.(ListTexter)
	if m, ok := e.(Matcher); ok && m.MatchField() != "" {
		o.matcher = m
	}
	if m, ok := e.(RowMatcher); ok && m.RowField() != "" {
		o.rowMatcher = m
	}
	return o
}

// customFor returns the custom fields that rows of a user may have. Rows of users and of orders have
// the fields of addresses by name (E13); of orders, requests read them in user_data alone.
func (o *objects) customFor(user *shopapi.User) []shopapi.CustomField {
	fields := shopapi.CustomFieldsFor(user, o.path.Custom)
	if o.path.Name == "users" || o.path.Name == "orders" {
		fields = slices.Concat(fields, o.api.CustomerFields())
	}
	return fields
}

// isPossible reports whether the objects are in a store, whose transactions carry out many of
// them.
func (o *objects) isPossible() bool {
	return o.path.Store() != nil && o.path.Transactional && o.path.Offers(shopapi.OpList) && o.update != nil
}

// authorize checks the privileges of the user of ctx, as PUT with match does.
func (o *objects) authorize(ctx context.Context) error {
	if user := shopapi.UserFrom(o.api.Confine(ctx)); !user.Can(o.path.Privileges.View) {
		return shopapi.Forbidden(o.path.Privileges.View)
	}
	return o.api.Authorize(ctx, o.path.Name, shopapi.OpUpdate)
}
