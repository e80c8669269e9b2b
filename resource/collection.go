package resource

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// Hooks are the ways in which a host takes part in an entity: functions in the transactions of
// its changes, and further addresses. Each entity of the library has them.
type Hooks[T any] interface {
	// BeforeDelete adds a hook to every deletion, over HTTP and from Go. It runs for each
	// deleted object, including objects of this collection that are deleted with another
	// one.
	BeforeDelete(hook DeleteHook[T])

	// Under adds an address for the entity below the objects of another one, also a
	// host's: p selects the objects below them.
	Under(p Parent[T]) error

	// BeforeSave adds a hook to every create and every update that changes something,
	// over HTTP and from Go. It may refuse the change and set fields: see [SaveHook].
	BeforeSave(hook SaveHook[T])

	// AfterSave adds a hook that runs after an object was written, in the same transaction.
	// It may refuse the change, and it knows the id of a new object.
	AfterSave(hook SaveHook[T])
}

// Objects are the operations on the objects of an entity, with the hooks of a host. They act for
// the user of their context.
type Objects[T any] interface {
	Hooks[T]

	// Get returns one object. It returns a 404 [*shopapi.Error] if the user cannot see
	// such an object.
	Get(ctx context.Context, id int64) (T, error)

	// Create adds an object and returns it as stored. Fields at their zero value that may
	// not be so get their defaults; others are taken as they are, see
	// [Objects.Defaults]. It returns a 400 [*shopapi.Error] that names the invalid
	// fields, or the error of a hook; then nothing is changed.
	Create(ctx context.Context, v T) (T, error)

	// CreateAll adds objects in one transaction, all or none, and returns them as stored.
	// It is the fast way to add many: with a thousand small objects in a SQLite file,
	// each takes about a sixtieth of the time of a single Create (BenchmarkCreateAll).
	// The error of an object contains the object's number, from 1.
	CreateAll(ctx context.Context, list []T) ([]T, error)

	// Update has change alter the object with the id, stores it and returns it as
	// stored. What no request can change stays as it was. It returns a 404 or 400
	// [*shopapi.Error], or the error of change or of a hook; then nothing is
	// changed. A change that changes nothing is not written and not reported.
	Update(ctx context.Context, id int64, change func(*T) error) (T, error)

	// Delete deletes an object with its parts and dependent objects
	// ([shopapi.API.BeforeDelete]). It returns a 404 [*shopapi.Error] if the user cannot
	// see such an object, or the error of a hook that refuses; then nothing is changed.
	Delete(ctx context.Context, id int64) error

	// Defaults returns a new object as a POST with an empty payload would begin with.
	Defaults(ctx context.Context) T
}

// Lists finds the items S of an entity. F is a struct; a pointer to it is a [Filter].
type Lists[F, S any] interface {
	// Find returns the items that match, in the order that the filter's [ListOptions]
	// say, and their number without limit and offset, of one snapshot. It returns a
	// 400 [*shopapi.Error] that names the parts of the filter at fault.
	Find(ctx context.Context, f F) ([]S, int64, error)

	// All iterates over all items that match, in the order of their ids, whatever
	// order, limit and offset the filter says. It reads them in batches, so that it
	// takes the same memory for any number of them and no snapshot stays open; an item
	// that is changed meanwhile may be seen before or after the change. It ends after
	// the first error.
	All(ctx context.Context, f F) iter.Seq2[S, error]
}

// A Collection is the objects of one entity in a store. Its methods act for the user of
// their context: a user of one company finds only its rows; the host's own code, which
// has no user, finds all. The methods may be called from many goroutines; hooks and
// parents are added before the first request is served.
//
// Collection is an interface, which [New] implements, because every package that uses a
// type with a generic struct in it compiles all methods of that struct again.
type Collection[T, S any] interface {
	// Migrate creates the missing tables and runs the conversions, as [Register] does,
	// and reads the base language if texts are in several.
	Migrate(ctx context.Context) error

	// Entity returns the HTTP entity of the collection. [Register] registers it; wrap it
	// to serve some operations differently.
	Entity() Entity

	Objects[T]

	// Saved runs the hooks of AfterSave for an update that the entity itself wrote.
	Saved(ctx context.Context, tx store.Tx, old, after *T) error

	// GetIn is Get in the transaction that tx is of.
	GetIn(ctx context.Context, tx store.Tx, id int64) (T, error)

	// Changeable is Get for an object that the user of ctx is about to change: the error
	// may also be the error of [Scope.Authorize]. Do slow work, such as hashing a
	// password, between Changeable and [Objects.Update], which authorizes again.
	Changeable(ctx context.Context, id int64) (T, error)

	// Find is [Lists.Find] with any filter of the definition, or nil for all items.
	Find(ctx context.Context, f Filter) ([]S, int64, error)

	// All is [Lists.All] with any filter of the definition, or nil for all items.
	All(ctx context.Context, f Filter) iter.Seq2[S, error]

	// CreateFunc is [Objects.Create] for the object that fill makes from the defaults
	// ([Objects.Defaults]).
	CreateFunc(ctx context.Context, fill func(*T) error) (T, error)

	// Draft returns the object that a POST of r would store, and stores nothing. alter, which
	// may be nil, changes it after the payload was bound. Hooks of BeforeSave run, hooks of
	// AfterSave do not. Draft returns the error of the POST.
	Draft(ctx context.Context, r *shopapi.Request, alter func(*T)) (T, error)

	// BindCustom sets the custom fields of an object from a payload, for entities that bind
	// payloads by themselves. POST and PUT of the collection's own entity do that.
	BindCustom(r *shopapi.Request, v *T) error

	// WriteRow stores the row of an object. It inserts the row of a new object and sets
	// the object's id.
	WriteRow(ctx context.Context, tx store.Tx, before, after *T) error

	// NotFound is the 404 for an id that no object has.
	NotFound(id int64) error

	// IDOf returns the id of the object with a code in its address: see [Wire.Code]. It
	// returns a 404 [*shopapi.Error] if there is none.
	IDOf(ctx context.Context, code string) (int64, error)

	// Texts returns the translated texts of the collection's table.
	Texts() Texts[T]

	// Language returns the code of the language in which ctx reads and writes.
	Language(ctx context.Context) (string, error)
}

// A collection implements [Collection].
type collection[T, S any] struct {
	api     *shopapi.API
	st      store.Store
	short   func(context.Context, func(context.Context, store.Tx) error) error // a View of st for few rows
	def     Definition[T, S]
	parents []Parent[T]
	cloner  clonerFor[T]

	wireNames          map[string]string // of columns
	rules, filterRules *rules.Plan
	filters            *matchers

	texts     *texts.Table[T]
	itemTexts *texts.Reader[S]
	textSorts map[string]*texts.Sort // by column

	company *store.Projection // of the company of an object alone; may be nil

	custom     *customFields
	customOf   func(*T) *shopapi.Custom // nil without custom fields
	customItem func(*S) *shopapi.Custom

	hookFields   []hookField[T]
	beforeSave   []SaveHook[T]
	afterSave    []SaveHook[T]
	beforeDelete []DeleteHook[T]
}

// reported is the collection that changes run the hooks of and are reported as.
func (c *collection[T, S]) reported() *collection[T, S] {
	if c.def.AliasOf == nil {
		return c
	}
	return c.def.AliasOf.(*collection[T, S])
}

// New returns the collection that a definition describes, without an address. Its
// tables must exist: see [Register] and [Collection.Migrate].
func New[T, S any](api *shopapi.API, st store.Store, d Definition[T, S]) (Collection[T, S], error) {
	if err := d.complete(); err != nil {
		return nil, err
	}
	if st == nil {
		return nil, fmt.Errorf("resource: %s needs a store", d.Name)
	}
	s := d.Table.Schema()
	columns := make([]string, len(d.Sorts))
	for i, sort := range d.Sorts {
		columns[i] = sort.Column
	}
	sorts, err := texts.SortsOf(s, columns)
	if err != nil {
		return nil, err
	}
	plan, err := rules.Of(reflect.TypeFor[T](), slices.Concat(d.Rules.Fields, d.companyRules(api))...)
	if err != nil {
		return nil, fmt.Errorf("resource: %s: %w", d.Name, err)
	}
	filter := reflect.TypeOf(d.Filter()).Elem()
	filterPlan, err := rules.Of(filter, d.List.Parameters...)
	if err != nil {
		return nil, fmt.Errorf("resource: the filter of %s: %w", d.Name, err)
	}
	languages := texts.NewLanguages(api)
	c := &collection[T, S]{
		api: api, st: st, short: store.ShortViewOf(st), def: d, parents: d.Scope.Parents, cloner: clonerOf[T](), hookFields: hookFieldsOf[T](),
		wireNames: wireNames(reflect.TypeFor[T]()),
		rules:     plan, filterRules: filterPlan, filters: newMatchers(s),
		texts: texts.New(api, st, d.Name, languages, d.Table), itemTexts: texts.ReaderOf(languages, s, d.List.Items), textSorts: sorts,
		company: d.company(),
	}
	if _, err := c.filters.of(filter); err != nil {
		return nil, fmt.Errorf("resource: the filter of %s: %w", d.Name, err)
	}
	if err := c.takeCustom(); err != nil {
		return nil, err
	}
	if companies := CompanyEntity(api); d.Scope.Company != nil && companies != "" {
		api.RefuseDelete(companies, c.refuseCompany)
	}
	return c, nil
}

// Register creates the missing tables in st, and adds the entity that a definition
// describes to the API.
func Register[T, S any](ctx context.Context, api *shopapi.API, st store.Store, d Definition[T, S]) (Collection[T, S], error) {
	c, err := New(api, st, d)
	if err != nil {
		return nil, err
	}
	if err := c.Migrate(ctx); err != nil {
		return nil, err
	}
	return c, api.Register(c.Entity())
}

// Migrate implements [Collection].
func (c *collection[T, S]) Migrate(ctx context.Context) (err error) {
	own := append([]*store.Schema{c.def.Table.Schema()}, c.def.Rows.Tables...)
	all := store.WithTexts(own...)
	if err := c.st.Migrate(ctx, slices.Concat(all, Schemas())...); err != nil {
		return err
	}
	if len(all) > len(own) {
		if c.texts.Languages.Base, err = texts.ReadBaseLanguage(ctx, c.api, c.st); err != nil {
			return err
		}
	}
	if err := c.custom.migrate(ctx, c.st); err != nil {
		return err
	}
	if len(c.def.Rows.Conversions) == 0 {
		return nil
	}
	return store.Upgrade(ctx, c.st, c.def.Rows.Conversions...)
}

// Under implements [Collection].
func (c *collection[T, S]) Under(p Parent[T]) error {
	if err := p.check(c.def.Name, c.def.Table.Schema()); err != nil {
		return err
	}
	if err := c.api.DeclareParent(c.def.Name, p.Entity); err != nil {
		return err
	}
	c.parents = append(slices.Clip(c.parents), p)
	return nil
}

// Defaults implements [Collection].
func (c *collection[T, S]) Defaults(ctx context.Context) T {
	var v T
	c.setDefaults(ctx, &v)
	return v
}

// setDefaults has v be a new object.
func (c *collection[T, S]) setDefaults(ctx context.Context, v *T) {
	*v = *new(T)
	if c.def.Wire.PayloadDefaults != nil {
		c.def.Wire.PayloadDefaults(v)
	}
	c.fillDefaults(ctx, v)
}

// fillDefaults sets the fields of a new object that are empty and have a default.
func (c *collection[T, S]) fillDefaults(ctx context.Context, v *T) {
	c.rules.SetDefaults(v, func() time.Time { return c.api.Now(ctx) })
	if c.def.Rules.Defaults != nil {
		c.def.Rules.Defaults(ctx, v)
	}
}

// NotFound implements [Collection].
func (c *collection[T, S]) NotFound(id int64) error {
	return shopapi.NotFound(c.def.Object, shopapi.FormatID(id))
}

func (c *collection[T, S]) id(v *T) int64 { return c.def.Table.Key(v) }
