// Package resource is the life cycle of entities whose objects are rows of a
// table: find, get, create, update and delete, each in one transaction, within
// what the user may see and below what the address leads through. The entities of
// the library stand on it, and so can a host's own. A program that only mounts the
// API needs package shop instead.
//
// A [Definition] says what is particular to an entity: its table, its rules, its
// filter and its sort keys. [Register] makes a [Collection] of it, which answers
// over HTTP and has the same operations for Go code:
//
//	type Supplier struct {
//		SupplierID int64  `json:"supplier_id,string" store:"key" bind:"-"`
//		Name       string `json:"supplier" store:"fold,index"`
//	}
//
//	suppliers, err := resource.Register(ctx, api, st, resource.Definition[Supplier, Supplier]{
//		Name: "suppliers", Object: "supplier",
//		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
//		Table:      store.MustTable[Supplier]("suppliers"),
//		Sorts:      []resource.Sort{{Key: "id", Column: "supplier_id"}, {Key: "name", Column: "supplier"}},
//	})
//
// # An update
//
// The row is read in the transaction: one that does not exist, or that the user may
// not see, is a 404. The change is laid over it; what Keep restores stays as it
// was; Normalize gives every value its one form. When nothing differs then, nothing
// is written, checked or reported. Otherwise come the company (decisions §11),
// Check, the hooks of [Collection.BeforeSave], Write, the hooks of [Collection.AfterSave] and the event. A create goes
// the same way from the entity's defaults. From Go and over HTTP all of it is the
// same.
//
// As a transaction may run again, so may every function of a Definition and every
// hook: they touch nothing outside the transaction.
//
// # Checks
//
// Check notes problems by field, so that a client learns all of them at once. The
// rules on one field, such as [shopapi.Problems.Length], pass over a field that the
// change leaves as it was (decisions §5): a row stored under an older rule can be
// changed elsewhere.
//
// # Caching
//
// Responses are cached, and dropped when a table that they were read from changes.
// So what a Definition's functions read for List and Get must be rows of a store,
// or asked of the API; one that reads anything else sets Uncacheable.
//
// # What does not fit
//
// An entity whose objects are no rows of one table, or that has operations of its
// own, implements [shopapi.Entity] by hand.
package resource
