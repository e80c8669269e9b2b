package resource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Definition describes an entity whose objects are the rows of a table. T is the type
// of one object. S is the type of an item of a list; it is T where lists show whole
// objects.
//
// Name, Object, Privileges, Table and Sorts are required. Nearly every entity sets the
// fields of this struct; the five groups have the rest.
//
// A function makes the Definition, not a method of an exported type: every package that
// uses a type compiles the generic types in the signatures of its methods again.
type Definition[T, S any] struct {
	Name       string // as in addresses, such as "call_requests"
	Object     string // one object in messages, such as "call request"
	Summary    string // a sentence for the OpenAPI document
	Privileges shopapi.Privileges
	Display    shopapi.Display // how pages show objects

	// Table holds the rows. Its key is the id of an object.
	Table *store.Table[T]

	// Filter returns a new filter of lists; nil means a filter without parameters.
	Filter func() Filter

	// Sorts are the sort keys of lists, the default first.
	Sorts []Sort

	// Operations are the operations that the entity offers; nil means all five.
	Operations []shopapi.Operation

	// Actions are further changes of one object, each with an address of its own.
	Actions []Action[T]

	// AliasOf is another collection of the same objects, which have a second address
	// here. Its hooks run, and events and [shopapi.API.BeforeDelete] use its name.
	AliasOf Collection[T, S]

	Rows  Rows[T, S] // how objects are read and stored
	List  List[T, S] // what lists show
	Wire  Wire[T, S] // how requests are read and answers are written
	Scope Scope[T]   // which objects a user may see and change
	Rules Rules[T]   // what a stored object must be like
}

// Rows say how objects are read and stored.
type Rows[T, S any] struct {
	// Tables are further tables that the entity needs. [Register] migrates them too.
	Tables []*store.Schema

	// TextLists are the fields with lists of parts that have texts in several languages.
	TextLists []TextList

	// InFiles are the names of fields that whole objects have in files alone, and LoadInFiles
	// reads them for many objects at once, as the user of ctx may see them.
	InFiles     []string
	LoadInFiles func(ctx context.Context, tx store.Tx, objects ...*T) (map[int64]shopapi.Map, error)

	// Conversions change rows that older versions of the program wrote, once.
	// [Register] runs them by [store.Upgrade].
	Conversions []store.Conversion

	// Load sets the fields that are not columns, for many objects at once.
	Load func(ctx context.Context, tx store.Tx, items ...*S) error

	// LoadDetails sets the fields that lists do not show, after Load, for many objects at
	// once: lists show these fields too where a client asks for them.
	LoadDetails func(ctx context.Context, tx store.Tx, objects ...*T) error

	// Needs lists the columns that a field of the response needs, if they differ from the
	// column with its name; the columns under "" are always read. Without Needs, a choice
	// of fields reads all columns, unless every field is a column.
	Needs map[string][]string

	// Write stores an object; before is zero for a new one, whose id it sets. The
	// default is [Collection.WriteRow].
	Write func(ctx context.Context, tx store.Tx, before, after *T) error

	// AfterWrite runs after an object was stored with its texts in all languages.
	AfterWrite func(ctx context.Context, tx store.Tx, after *T) error

	// Conflict turns a [store.ErrConflict] of Write into an error for clients. The
	// default names the columns of the unique index.
	Conflict func(err error) error

	// Subtree returns the ids of all objects that are deleted with v, including v. The
	// default is v alone.
	Subtree func(ctx context.Context, tx store.Tx, v *T) ([]int64, error)

	// Remove deletes an object and its parts. The default deletes its row.
	Remove func(ctx context.Context, tx store.Tx, v *T) error
}

// A TextList is a field with a list of parts of an object, such as the variants of an option,
// that have texts in several languages.
type TextList struct {
	Name  string        // of the field
	Parts *store.Schema // the table of the parts, one of [Rows.Tables]
	Owner string        // its column with the id of the object
}

// A List describes the lists of an entity.
type List[T, S any] struct {
	// Items reads the columns that lists show, and Item returns the part of an object
	// that lists show. Both are required where S is not T.
	Items *store.Reader[S]
	Item  func(*T) *S

	// Descending is the direction of lists that ask for none.
	Descending bool

	// Select reads the items of a list that a query alone does not describe, including
	// the fields that are not columns, and their number without limit and offset. The
	// default reads a page of Items and calls [Rows.Load].
	Select func(ctx context.Context, tx store.Tx, f Filter, q store.Query) ([]S, int64, error)

	// LoadItems sets the fields that only items of lists show, after [Rows.Load].
	LoadItems func(ctx context.Context, tx store.Tx, f Filter, items ...*S) error

	// BuildTree arranges the items that were read for a filter, for instance as a tree,
	// after their texts were loaded.
	BuildTree func(f Filter, list []S) []S

	// Shape is the form of lists.
	Shape Shape

	// Key returns the name of an item in lists that are objects; the default is its id.
	Key func(*S) string

	// Name is the name of the list in its envelope; the default is [Definition.Name].
	Name string

	// Parameters are rules on the parameters of the filter that tags cannot express: see
	// [Rules.Fields]. They and the rules in tags are checked before [Filter.Where], for
	// given parameters.
	Parameters []shopapi.Rule

	// Params returns the member params of a list in an envelope, where that has more
	// than page and order: p itself and further members.
	Params func(ctx context.Context, f Filter, p *shopapi.Params) any
}

// Wire says how requests are read and how objects are shown in answers and events.
type Wire[T, S any] struct {
	// Code is a unique column. Its text replaces the id in addresses, replies and
	// events, for instance the name of a language variable. "" means the id.
	Code string

	// Codes say by which field clients name objects beside the id; nil for none.
	Codes *Codes

	// LargePayloads is [shopapi.Description.LargePayloads].
	LargePayloads bool

	// StringIDs is [shopapi.Description.StringIDs].
	StringIDs bool

	// PayloadDefaults sets the fields of a new object whose documented default is not
	// their zero value, such as a flag that is Y unless the payload says N. Go code
	// starts with [Objects.Defaults].
	PayloadDefaults func(v *T)

	// BindFilter sets the fields of a filter from the query parameters. The default is
	// [shopapi.Request.BindFilter].
	BindFilter func(r *shopapi.Request, f Filter) error

	// Bind sets the fields of an object from a payload. The default is
	// [shopapi.Request.Bind]. The object's id is 0 on POST.
	Bind func(ctx context.Context, r *shopapi.Request, v *T) error

	// Body is a struct with the members of payloads that Bind reads itself, for the
	// OpenAPI document: see [shopapi.Description.Body].
	Body any

	// BeforeTx runs before the transaction of a POST or PUT, for work that is slow or
	// waits. It returns a function that changes the object in the transaction, after
	// Bind. Either may be nil. before is the object of a PUT, which the user may see
	// and change; it is nil on POST.
	BeforeTx func(ctx context.Context, r *shopapi.Request, before *T) (func(*T) error, error)

	// EncodeOne and EncodeList return objects as answers show them, where that is not
	// as they are. EncodeList returns a slice.
	EncodeOne  func(ctx context.Context, v *T) any
	EncodeList func(ctx context.Context, list []S) any

	// Reply returns further fields of the answers to POST and PUT.
	Reply func(v *T) shopapi.Map

	// EventDetail is the [shopapi.Event.Detail] of a create or update; before is zero
	// for a new object.
	EventDetail func(before, after *T) any

	// SplitChange returns the changes that the change log keeps of a create or update:
	// c, and changes of objects that are a part of this one in the store and objects of
	// their own in the log.
	SplitChange func(before, after *T, c shopapi.Change) []shopapi.Change

	// CreateParameters is [shopapi.Description.CreateParameters].
	CreateParameters map[string]string

	// UpdateParameters is [shopapi.Description.UpdateParameters].
	UpdateParameters map[string]string

	// Uncacheable says that answers depend on more than rows of a store and the API.
	Uncacheable bool
}

// A Scope says which objects a user may see and change.
type Scope[T any] struct {
	// Company returns the field, with the column company_id, that holds the company
	// which an object belongs to (decisions §11). Without it the objects belong to the
	// whole shop, and Visible, if any, reports whether the user of ctx may see one;
	// VisibleConds then confines lists in the same way.
	Company      func(*T) *int64
	Visible      func(ctx context.Context, tx store.Tx, v *T) (bool, error)
	VisibleConds func(ctx context.Context) []store.Cond

	// Owner returns the owner of an object, for the change log, if Company is nil and
	// Visible is set. Without it, the log shows changes only to users who are not
	// confined to a company.
	Owner func(ctx context.Context, tx store.Tx, v *T) (shopapi.Ownership, error)

	// About returns the object that an object with a Company is about, "" for none: the
	// change log shows it as the parent.
	About func(*T) (entity string, id int64)

	// NameCompany says that the payload of a new object must name its company in the
	// edition with several storefronts, where neither the user nor the address does.
	NameCompany bool

	// VendorReadable says that vendors may also read, but not change, the objects of
	// the default company (decisions §11). Administrators of a storefront may not: the
	// default storefront shares nothing.
	VendorReadable bool

	// Parents are the entities below whose objects this entity is reached.
	Parents []Parent[T]

	// VendorsLimited says that vendors write only some fields of the objects that they may
	// change: of the custom fields only fields with a privilege Set (§11).
	VendorsLimited bool

	// Authorize returns an error unless the user of ctx may do the operation to the
	// object, beyond the privileges. It is called for updates, deletions and actions,
	// with the object as it is stored.
	Authorize func(ctx context.Context, tx store.Tx, op shopapi.Operation, v *T) error

	// AuthorizeRequest is [shopapi.Authorizer].
	AuthorizeRequest func(user *shopapi.User, op shopapi.Operation, parents []string) error
}

// Rules are the rules on stored objects. Rules on one field are tags of T, which are
// checked before Check:
//
//	Name   string `json:"tax" rule:"required,len=255" hint:"the name of the tax"`
//	Status string `json:"status" rule:"oneof=A D H"`
//
// The tag rule takes required, len (characters), bytes, oneof (texts separated by
// spaces), min and max of whole numbers (int32 is the greatest of 32 bits), time (seconds
// since 1970, until the year 9999), scale and max of decimals, which are not negative, and
// default, a fixed text or number of new objects, or now for the time. A decimal without a rule is
// limited by its column: the scale of its store tag, and 18 digits; the rule - leaves it to Check.
// The tag hint describes a required field in the message for a missing one; without it, Check must
// check the field itself. A field is described as required if the default of a new object breaks
// its rule, as an empty code does, unless there is a Derive or a Wire.Bind. [New] returns an error
// for a bad tag. The functions run in the order of these fields.
type Rules[T any] struct {
	// Fields are rules that tags cannot express, such as codes that depend on the
	// edition. On a field of T they add to its tag and are checked like it, apart from
	// Note. Rules on other names, and on fields whose types do not support the rule, only
	// document the checks of Bind and Check.
	Fields []shopapi.Rule

	// Defaults sets the fields of a new object that are zero and may not be, before a
	// payload is bound to it, or after Go code made it. The rule default has set its fields
	// by then.
	Defaults func(ctx context.Context, v *T)

	// RestoreImmutable restores the fields that no change alters, and adds a problem
	// where the attempt is an error. The id is restored in any case. before is zero for
	// a new object.
	RestoreImmutable func(after, before *T, problems *shopapi.Problems)

	// Normalize gives every value the one form in which it is stored, and adds a problem
	// for a value that has none.
	Normalize func(v *T, problems *shopapi.Problems)

	// Derive sets the fields that follow from others, such as the position of a new
	// object or the amounts of an order, once the object has its company. It adds a
	// problem for a field from which nothing follows. before is zero for a new object.
	Derive func(ctx context.Context, tx store.Tx, before, after *T, problems *shopapi.Problems) error

	// Check adds a problem for everything that is wrong with an object that is to be
	// stored. before is zero for a new object. It returns an error when it cannot
	// decide, or for a fault that is not a field's.
	Check func(ctx context.Context, tx store.Tx, before, after *T, problems *shopapi.Problems) error
}

// complete sets the defaults, and reports missing fields.
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
	if d.List.Item == nil {
		d.List.Item, _ = any(func(v *T) *T { return v }).(func(*T) *S)
	}
	if d.List.Items == nil {
		d.List.Items, _ = any(&d.Table.Reader).(*store.Reader[S])
	}
	if d.List.Item == nil || d.List.Items == nil {
		return fmt.Errorf("resource: %s lists another type than its objects have, and needs Item and Items", d.Name)
	}
	if d.List.Key == nil {
		d.List.Key = func(v *S) string { return shopapi.FormatID(d.List.Items.Key(v)) }
	}
	d.List.Name = cmp.Or(d.List.Name, d.Name)
	if d.Filter == nil {
		d.Filter = func() Filter { return &plainFilter{} }
	}
	if f := reflect.ValueOf(d.Filter()); f.Kind() != reflect.Pointer || f.IsNil() {
		return fmt.Errorf("resource: the Filter of %s returns nil", d.Name)
	}
	if err := checkColumns(d.Name, d.Table.Schema(), d.Sorts, d.Wire.Code); err != nil {
		return err
	}
	for _, p := range d.Scope.Parents {
		if err := p.check(d.Name, d.Table.Schema()); err != nil {
			return err
		}
	}
	return nil
}

// checkColumns finds columns that the table lacks, which would only show at a request
// otherwise.
func checkColumns(name string, s *store.Schema, sorts []Sort, code string) error {
	keys := map[string]bool{}
	for _, sort := range sorts {
		switch {
		case sort.Key == "" || keys[sort.Key]:
			return fmt.Errorf("resource: %s has the sort key %q, which is empty or repeated", name, sort.Key)
		case sort.Column != "" && s.Index(sort.Column) < 0:
			return fmt.Errorf("resource: %s sorts %s by the column %q, which its table lacks", name, sort.Key, sort.Column)
		}
		keys[sort.Key] = true
	}
	if code == "" {
		return nil
	}
	if i := s.Index(code); i < 0 || s.Columns[i].Kind != store.Text {
		return fmt.Errorf("resource: %s has the Wire.Code %q, which is not a column of texts in its table", name, code)
	}
	return nil
}
