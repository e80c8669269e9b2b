package shopapi

import (
	"cmp"
	"context"
	"reflect"

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

// An Authorizer is an [Entity] that not everyone with its privileges reaches at
// every address, as discussions are closed to vendors but under products (§10).
type Authorizer interface {
	// Authorize is asked at the privilege check, before body and parents are read.
	// It returns nil, or the 403 of the response. Parents are the names
	// of the entities that the address passes through, outermost first.
	Authorize(user *User, op Operation, parents []string) error
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

// takesPayload reports whether requests for the operation have a body.
func (op Operation) takesPayload() bool {
	return op == OpCreate || op == OpUpdate || op == OpAction
}

// An Endpoint is an address of the API that is not an entity's: it answers in a form of
// its own, such as a report, a stream or an upload. An endpoint passes the checks of the
// request pipeline in their order (§2).
type Endpoint struct {
	// Address is the address below the entry point, such as "jobs/{id}/errors". A
	// segment in braces matches any one segment.
	Address string

	// OfEntity means that the first segment is the name of an entity, and that the endpoint
	// is below its objects, such as "users/{id}/keys". Otherwise the first segment is
	// reserved, and no entity can have that name.
	OfEntity bool

	// Methods are the methods of the address by their HTTP names: GET, which includes
	// HEAD, POST, PUT and DELETE. All others are refused with 405.
	Methods map[string]Method
}

// A Method is what an [Endpoint] does for one HTTP method.
type Method struct {
	// Serve answers the request. It returns after the change is committed. An [*Error] is
	// the response; another error gets a 500 and only logged.
	Serve func(ctx context.Context, r *EndpointRequest) (*Response, error)

	// Privileges are the names of the privileges that the user needs, all of them; none
	// where every user may call the method.
	Privileges []string

	// MediaTypes are media types that the method can produce beside the API's own
	// formats, such as "text/event-stream". The client chooses by Accept.
	MediaTypes []string

	// MaxBody is the greatest length of the body of a POST or PUT in bytes. 0 means
	// [Limits.Body].
	MaxBody int64

	// RawBody leaves the body of a POST or PUT, of any Content-Type, to Serve. Otherwise the
	// body is an object (§4), which may be empty. BodyTypes are the media types that Serve
	// understands, for the OpenAPI document; none are all.
	RawBody   bool
	BodyTypes []string

	// Unlimited frees the method from [Limits.Time]: its context ends when the client
	// goes away, or with [API.EndStreams].
	Unlimited bool

	// Cacheable is [Description.Cacheable] for GET. Such responses have an ETag.
	Cacheable bool

	// Summary is a sentence for the OpenAPI document. Parameters describe the query,
	// by name. Payload and Answer are the types of the body and of the response, nil where
	// there is none or it is not known.
	Summary         string
	Parameters      map[string]string
	Payload, Answer reflect.Type

	// Success is the status of a success in the OpenAPI document, such as 201; 0 means 200.
	Success int

	// RawJSON leaves the body, which must be JSON, to Serve in [EndpointRequest.JSON].
	RawJSON bool
}
