package shopapi

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/route"
	"github.com/shopapi/shopapi/store"
)

// An Entity is one kind of object of the shop under its name in the interface. It has at
// least one of the capabilities [Lister], [Getter], [Creator], [Updater], [Deleter] and
// [Actor]; operations without a capability get a 405.
type Entity interface {
	// Describe returns the same description at every call.
	Describe() Description
}

// A Description describes an entity, independently of requests.
type Description struct {
	// Name is the entity's segment in addresses, such as "call_requests".
	Name string

	// IDField is the name of the id in objects and in the answers to POST and
	// PUT, such as "request_id".
	IDField string

	// CodeField is the field whose value addresses may contain instead of the id, as in
	// products/code:MUG-41 (E2). Then the entity is [Coded]. "" means that it has no
	// codes.
	CodeField string

	// ItemIDField is the name of the id in objects, where it differs from IDField:
	// see [Description.ObjectIDField].
	ItemIDField string

	// Privileges name what a user needs for each operation (§3).
	Privileges Privileges

	// Parents are the names of entities below whose objects this entity has addresses
	// too, such as discussions below products/12. An entity that is not registered, or
	// that is not a [Getter], has no such addresses. Below each parent, the entity must
	// return only objects that belong to it; the parent is in [Request.Parents].
	// [API.DeclareParent] adds further parents.
	Parents []string

	// OfCompany says that objects belong to companies: users who are confined to one see
	// its objects (§11).
	OfCompany bool

	// Operations are the operations that the entity offers, of its capabilities. nil
	// means all of them.
	Operations []Operation

	// Actions are the actions that the entity, an [Actor], has for its objects.
	Actions []Action

	// Cacheable means that List and Get depend only on the request, its user, rows of a
	// store, and results of the API: their responses may be cached as long as those rows
	// do not change.
	Cacheable bool

	// Transactional means that Create, Update, Delete and Act themselves report their
	// changes ([API.Changed]) and run the hooks of [API.RefuseDelete] and
	// [API.BeforeDelete] ([API.RunDeleteHooks]), in the transaction of the change. For
	// other entities the API does both around the operation.
	Transactional bool

	// LoggedAs is the entity as which the change log has the changes of objects (E4), ""
	// where that is the entity itself.
	LoggedAs string

	// LargePayloads says that bodies may be as large as responses ([Limits]), so that an
	// object can be sent as it was read.
	LargePayloads bool

	// StringIDs says that the live dialect too answers POST with the id as a string
	// (§4).
	StringIDs bool

	// Translated are the fields with texts in several languages (§15). The field
	// lang_code of such an object is the requested language.
	Translated []string

	// TranslatedLists are the fields with lists of parts that have texts in several
	// languages, such as the variants of an option.
	TranslatedLists []TranslatedList

	// InFiles are fields of whole objects in files alone, such as the history of an order, which
	// has an address of its own. Imports by the rules of the entity do not know them.
	InFiles []string

	// Summary is a sentence on the entity for people who read of it.
	Summary string

	// Display says how pages show the objects.
	Display Display

	// Object, Item, Payload and Filter are types of one object and of an item of a
	// list as they are answered, and of the structs that bodies and filter parameters
	// are bound to, each nil when not known; bodies without Payload are bound to
	// Object. Sorts are the values of sort_by, the default first, and Descending says
	// which way lists go that name no order.
	Object, Item, Payload, Filter reflect.Type
	Sorts                         []string
	Descending                    bool

	// Body is a struct with the members of bodies that the entity reads by itself, in
	// the form that requests have: maps and slices are lists, which are objects or
	// arrays on the wire. It documents them, and wins over a field of Payload with the
	// same name. nil means that the entity reads no members itself.
	Body reflect.Type

	// Rules are the rules on the fields of bodies, and FilterRules the rules on the
	// parameters of lists, at most one on each. They document the API; the check of a
	// request may require more.
	Rules, FilterRules []Rule

	// Params is the type of [List.ParamsBody], nil for none.
	Params reflect.Type

	// ListKey is the key of the items in the envelope of a list, if it differs from Name.
	ListKey string

	// Shape is how lists are sent in the dialect of the API.
	Shape ListShape

	// MoreFields returns the names of fields that objects have in addition to the fields
	// of the types. It is called once, after the first request; nil means none.
	MoreFields func() []string

	// Custom are the fields that the host adds to objects, items of lists, bodies, filters
	// and sort keys ([Options.CustomFields]).
	Custom []CustomField

	// CreateParameters describe the parameters of the address of POST, by name.
	CreateParameters map[string]string

	// UpdateParameters describe the parameters of the address of PUT, by name. A PUT with
	// one of them may have an empty body.
	UpdateParameters map[string]string

	// More are the fields of the answers to POST and PUT beside the id, with values
	// of the types that they have.
	More Map
}

// ObjectIDField returns the name of the id in objects. The answers to POST and PUT may have
// another name for it, such as store_id for the company_id of a storefront.
func (d *Description) ObjectIDField() string { return cmp.Or(d.ItemIDField, d.IDField) }

// A TranslatedList is a field with parts of an object, by their ids, that have translated texts.
type TranslatedList struct {
	Name    string   // of the field, such as variants
	IDField string   // the name of the id in a part, such as variant_id
	Fields  []string // of a part that have texts in several languages, its name first
}

// A PayloadFormer is a type of fields that reads its JSON by itself, and describes the
// forms which it reads. Without it, the OpenAPI document has no type for such a field.
type PayloadFormer interface {
	// PayloadForms returns a value for each form, of a type with that form: a map or a
	// slice for a list, a struct for an object, a string for a text.
	PayloadForms() []any
}

// Rules on fields, and fields that a host adds.
type (
	// A Rule says which values a field or a parameter takes.
	Rule = field.Rule
	// A Range is the least and the greatest value of a number.
	Range = field.Range
	// An Amount is the least and the greatest value of a decimal, and its decimals.
	Amount = field.Amount
	// A CustomField is a field that a host adds to an entity (extensions E13).
	CustomField = field.CustomField
	// A CustomType is the type of a [CustomField].
	CustomType = field.CustomType
	// Custom are the values of the custom fields of an object.
	Custom = field.Custom
)

// The types of custom fields, with the Go types of their values.
const (
	CustomText   = field.CustomText   // string
	CustomNumber = field.CustomNumber // int64
	CustomAmount = field.CustomAmount // decimal.Decimal
	CustomFlag   = field.CustomFlag   // Flag
	CustomOneOf  = field.CustomOneOf  // string
)

// How pages show objects.
type (
	// A Display says how pages, such as the console's, show the objects of an entity.
	Display = field.Display
	// A Widget is a control with which a form shows and changes a field.
	Widget = field.Widget
)

// The widgets.
const (
	WidgetTime    = field.WidgetTime    // a date and a time of day, of seconds since 1970
	WidgetMoney   = field.WidgetMoney   // an amount in the shop's currency
	WidgetCountry = field.WidgetCountry // a country, of its code of two letters
	WidgetLines   = field.WidgetLines   // a text of several lines
	WidgetHTML    = field.WidgetHTML    // a text in HTML, edited as it looks
	WidgetSecret  = field.WidgetSecret  // a text that is not shown while it is typed
	WidgetJSON    = field.WidgetJSON    // lists and objects
)

// A ListShape is how a list is sent (§14).
type ListShape string

// The shapes of lists.
const (
	EnvelopedList      ListShape = ""                // {"<entity>": […], "params": {…}}
	BareList           ListShape = "bare"            // […], a page of it only where one is asked for
	KeyedList          ListShape = "keyed"           // {"<id>": {…}, …}, a page of it only where one is asked for
	EnvelopedKeyedList ListShape = "enveloped keyed" // {"<entity>": {"<code>": {…}, …}, "params": {…}}
)

// Privileges are the names of the privileges that an entity's operations need.
// A list and a single object are both read with View; create, update, delete and
// actions all need Manage. An empty name is refused at registration.
type Privileges struct {
	View   string
	Manage string
}

// An Ownership decides which users a change of an object concerns: the users who may see
// the objects of its company.
type Ownership struct {
	CompanyID int64
	Audience  Audience

	// ParentEntity and ParentID name the object that this one is about, where the change
	// log shows it although this one has an address of its own, such as the product of a
	// review. They are "" for other objects.
	ParentEntity, ParentID string
}

// An Audience is a set of users who see the objects of a company, in addition to users
// who are not confined to a company.
type Audience uint8

// The audiences.
const (
	ForCompany Audience = iota // users of the company
	ForVendors                 // users of the company and all vendors
	ForAll                     // all users: the object belongs to the whole shop
)

// An Owner is an entity that determines the owner of its objects. For other entities, it
// is the field company_id.
type Owner interface {
	// Owner returns the owner of an object as the transaction of ctx sees it.
	Owner(ctx context.Context, id string) (Ownership, error)
}

// A Lister answers GET on the entity's own address. The result is a [List], a
// [Map], or any value that encodes as it should be sent.
type Lister interface {
	List(ctx context.Context, r *Request) (any, error)
}

// A Getter answers GET on one object. It returns [ErrNotFound], or another error
// that is one by [errors.Is], for an id that does not exist.
type Getter interface {
	Get(ctx context.Context, r *Request, id string) (any, error)
}

// A Creator answers POST. It returns after the new object is committed.
type Creator interface {
	Create(ctx context.Context, r *Request) (Reply, error)
}

// An Updater answers PUT on one object. Fields that the payload lacks keep their
// values.
type Updater interface {
	Update(ctx context.Context, r *Request, id string) (Reply, error)
}

// A Deleter answers DELETE on one object.
type Deleter interface {
	Delete(ctx context.Context, r *Request, id string) error
}

// A Coded is an entity whose objects addresses also name by a code in place of the id, as
// in products/code:MUG-41 (E2). Its description names the field ([Description.CodeField]).
type Coded interface {
	// IDsByCode returns the ids of the objects with exactly this code that the user of
	// ctx may see, in ascending order. It may leave out ids beyond the first
	// [MaxSameCode]+1.
	IDsByCode(ctx context.Context, code string) ([]string, error)

	// Store is the store of the objects.
	Store() store.Store
}

// MaxSameCode is how many ids the 409 names where several objects have a code.
const MaxSameCode = route.MaxSame // 10

// A Preparer is an entity whose POST and PUT do something slow before their transaction,
// such as storing images. The API asks it where it begins the transaction itself.
type Preparer interface {
	// Preparation returns the function that does so, nil where there is nothing to do. Its
	// result is [Request.Prepared] in the operation. id is "" for POST.
	Preparation() func(ctx context.Context, r *Request, id string) (any, error)
}

// A Reply is the answer to POST and PUT: the id of the object, under the
// entity's IDField, and any further fields. That to an action has no id where ID is
// empty.
type Reply struct {
	ID   string
	More Map

	// Answer is sent with the status 200 in place of the id and More, where POST changed
	// nothing and answers a question, such as what an order would cost.
	Answer any

	// Existing has an action answered with 200 in place of 201: what it makes was there.
	Existing bool
}

// An Operation is one of the things that a request can ask of an entity: these five
// and [OpAction].
type Operation string

// The operations.
const (
	OpList   Operation = "list"
	OpGet    Operation = "get"
	OpCreate Operation = "create"
	OpUpdate Operation = "update"
	OpDelete Operation = "delete"
)

// privilege returns the name that op needs.
func (p Privileges) privilege(op Operation) string {
	if op == OpList || op == OpGet {
		return p.View
	}
	return p.Manage
}

// An Action is a change of one object that has a name of its own. It is the last segment
// of an address: POST /product_variations/5/generate_product_variations. Like other
// changes it needs the privilege Manage; its payload may be empty (§4), and it gets a
// 201. Other methods at its address are 405.
//
// A child of the entity under the same name is found by [API.Check]: the address
// would mean both.
type Action struct {
	Name    string // as in addresses: a-z, 0-9 and _
	Summary string // a sentence, for the OpenAPI document

	// Payload is the type that the payload is bound to, and Answer that of the response,
	// with the id. They are nil when there is none or it is not known.
	Payload, Answer reflect.Type

	// MayExist means that the answer may be a 200 ([Reply.Existing]).
	MayExist bool
}

// An Actor carries out the [Description.Actions] of an entity.
type Actor interface {
	// Act carries out an action on the object with the id, and returns after it is
	// committed. The answer is the id of the reply, where it has one, and its further
	// fields. It returns [ErrNotFound] for an object that does not exist.
	Act(ctx context.Context, r *Request, action, id string) (Reply, error)
}

// OpAction is the operation of a request for an action; [Route.Action] says which
// one.
const OpAction Operation = "action"

// checkActions finds what would only show at a request for an action.
func (e *entry) checkActions() error {
	if len(e.Actions) > 0 && e.act == nil {
		return fmt.Errorf("shopapi: entity %s describes actions but is no Actor", e.Name)
	}
	seen := map[string]bool{}
	for _, a := range e.Actions {
		if !apipath.IsName(a.Name) || seen[a.Name] {
			return fmt.Errorf("shopapi: entity %s has the action %q, which is not a valid name or is repeated", e.Name, a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// takesPayload reports whether requests for the operation have a body.
func (op Operation) takesPayload() bool {
	return op == OpCreate || op == OpUpdate || op == OpAction
}
