package resource

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Definition is what is particular to an entity. T is one object, a row of the
// table; S is an item of a list, which often is T itself. Only Name, Object,
// Privileges, Table and Sorts are required.
type Definition[T, S any] struct {
	Name       string // as in addresses, such as "call_requests"
	Object     string // one of them in messages, such as "call request"
	Summary    string // a sentence for people who read of the entity
	Privileges shopapi.Privileges

	// Of is another collection of the same objects, which have an address of their own
	// here. Its hooks run, and events and [shopapi.API.BeforeDelete] use its name.
	Of Collection[T, S]

	// Table holds the rows. Its key is the id of an object. Tables are further ones
	// that the entity needs. [Register] migrates all of them.
	Table  *store.Table[T]
	Tables []*store.Schema

	// Conversions change rows that older versions of the program wrote, once.
	// [Register] runs them by [store.Upgrade].
	Conversions []store.Conversion

	// Items reads the columns that lists show, where S is not T, and Item returns
	// the part of an object that lists show.
	Items *store.Reader[S]
	Item  func(*T) *S

	// Code is the column, unique, whose text stands for the id in addresses, replies and
	// events, such as the name of a language variable. "" is the id.
	Code string

	// Operations are those that the entity offers; nil means all five.
	Operations []shopapi.Operation

	// Actions are what can be done to an object beside those.
	Actions []Action[T]

	// Company returns the field, with the column company_id, that holds the company
	// which an object belongs to (decisions §11). Without it the objects are the
	// whole shop's, and Visible, if any, says which of them the user of ctx may see;
	// VisibleConds then says the same of lists.
	Company      func(*T) *int64
	Visible      func(ctx context.Context, tx store.Tx, v *T) (bool, error)
	VisibleConds func(ctx context.Context) []store.Cond

	// Shared says that vendors may read the objects of the default company too, and not
	// change them (decisions §11). The default storefront is one among others, and shares
	// nothing.
	Shared bool

	// Parents are the entities under whose objects this one is reached.
	Parents []Parent[T]

	// Filter returns a new filter of lists; nil means a filter without parameters.
	// Sorts are the sort keys, the default first; Descending is the direction of
	// lists that name none.
	Filter     func() Filter
	Sorts      []Sort
	Descending bool

	// Select reads the items of a list that a query alone does not describe, with
	// what is no column, and their number without limit and offset. The default
	// reads a page of Items and has Load fill it.
	Select func(ctx context.Context, tx store.Tx, f Filter, q store.Query) ([]S, int64, error)

	// Arrange puts the items that were read for a filter into the form of its list,
	// such as a tree, once they have their texts.
	Arrange func(f Filter, list []S) []S

	// Shape is how lists are sent. Key is the name of an item in lists that are
	// objects; the default is its id.
	Shape Shape
	Key   func(*S) string

	// ListKey is what lists stand under in their envelope, where that is not Name.
	ListKey string

	// Defaults fills the fields of a new object that are at their zero value and
	// may not be, before a payload is laid over it, or after Go code made it.
	Defaults func(ctx context.Context, v *T)

	// Documented fills a new object that comes from a payload with the documented
	// defaults of fields whose zero value means something, such as a flag that is Y
	// unless it is sent. Go code starts with [Collection.Defaults].
	Documented func(v *T)

	// Prepare runs before the transaction of a POST or PUT, for what is slow or
	// waits, and returns what is done to the object in it, after Bind. Either may
	// be nil. before is the object of a PUT, which the user may see and Authorize
	// lets the user change; it is nil on POST.
	Prepare func(ctx context.Context, r *shopapi.Request, before *T) (func(*T) error, error)

	// BindFilter lays the query parameters over a filter that Filter made. The
	// default is [shopapi.Request.BindFilter].
	BindFilter func(r *shopapi.Request, f Filter) error

	// Bind lays a payload over an object. The default is [shopapi.Request.Bind]. The
	// object's id is 0 on POST.
	Bind func(ctx context.Context, r *shopapi.Request, v *T) error

	// Load fills what is no column, for many objects at once.
	Load func(ctx context.Context, tx store.Tx, items ...*S) error

	// LoadOne fills what is no column and stands on a single object alone, LoadItems
	// what stands on the items of lists alone. Both follow Load.
	LoadOne   func(ctx context.Context, tx store.Tx, v *T) error
	LoadItems func(ctx context.Context, tx store.Tx, f Filter, items ...*S) error

	// Keep restores what no change alters, and notes what one must not have tried.
	// The id stays in any case. before is zero for a new object.
	Keep func(after, before *T, problems *shopapi.Problems)

	// Normalize gives every value the one form in which it is stored, and notes what
	// has none.
	Normalize func(v *T, problems *shopapi.Problems)

	// Authorize returns an error unless the user of ctx may do the operation to the
	// object, beyond the privileges. It is asked for update, delete and
	// actions, with the object as it is.
	Authorize func(ctx context.Context, tx store.Tx, op shopapi.Operation, v *T) error

	// AuthorizeRequest is [shopapi.Authorizer].
	AuthorizeRequest func(user *shopapi.User, op shopapi.Operation, parents []string) error

	// Check notes what is wrong with an object that is to be stored, and may fill in
	// what follows from other fields. before is zero for a new object. It returns an
	// error when it cannot tell, or for what is not the fault of a field.
	Check func(ctx context.Context, tx store.Tx, before, after *T, problems *shopapi.Problems) error

	// Touch notes a change on an object that has one, such as its time.
	Touch func(ctx context.Context, after *T)

	// Write stores an object; before is zero for a new one, whose id it sets. The
	// default is [Collection.WriteRow].
	Write func(ctx context.Context, tx store.Tx, before, after *T) error

	// Wrote runs after an object was stored with its texts in all languages.
	Wrote func(ctx context.Context, tx store.Tx, after *T) error

	// Detail is the [shopapi.Event.Detail] of a create or update; before is zero for a
	// new object.
	Detail func(before, after *T) any

	// Conflict turns a [store.ErrConflict] into words for clients. The default names
	// the columns of the unique index.
	Conflict func(err error) error

	// Subtree returns the ids of all objects that go when v goes, v's own among
	// them. The default is v's own.
	Subtree func(ctx context.Context, tx store.Tx, v *T) ([]int64, error)

	// Remove removes an object and what is a part of it. The default deletes its
	// row.
	Remove func(ctx context.Context, tx store.Tx, v *T) error

	// Answer and Answers return objects as the wire shows them, where that is not
	// as they are. Answers returns a slice.
	Answer  func(ctx context.Context, v *T) any
	Answers func(ctx context.Context, list []S) any

	// Params returns what a list in an envelope tells as params, where that is more than
	// page and order: p itself and further members.
	Params func(f Filter, p *shopapi.Params) any

	// Reply returns the further fields of the answers to POST and PUT.
	Reply func(v *T) shopapi.Map

	// StringIDs is [shopapi.Description.StringIDs].
	StringIDs bool

	// Uncacheable says that what is read depends on more than rows of a store and
	// the API.
	Uncacheable bool
}

// complete sets the defaults, and finds what is missing.
func (d *Definition[T, S]) complete() error {
	switch {
	case d.Name == "" || d.Object == "":
		return errors.New("resource: a definition needs Name and Object")
	case d.Table == nil:
		return fmt.Errorf("resource: %s needs a Table", d.Name)
	case len(d.Sorts) == 0:
		return fmt.Errorf("resource: %s needs at least one of Sorts", d.Name)
	}
	for _, a := range d.Actions {
		if a.Run == nil {
			return fmt.Errorf("resource: the action %s of %s needs Run", a.Name, d.Name)
		}
	}
	if d.Item == nil {
		d.Item, _ = any(func(v *T) *T { return v }).(func(*T) *S)
	}
	if d.Items == nil {
		d.Items, _ = any(&d.Table.Reader).(*store.Reader[S])
	}
	if d.Item == nil || d.Items == nil {
		return fmt.Errorf("resource: %s lists another type than its objects have, and needs Item and Items", d.Name)
	}
	if d.Key == nil {
		d.Key = func(v *S) string { return shopapi.FormatID(d.Items.Key(v)) }
	}
	d.ListKey = cmp.Or(d.ListKey, d.Name)
	if d.Filter == nil {
		d.Filter = func() Filter { return &plainFilter{} }
	}
	return nil
}
