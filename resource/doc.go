// Package resource is the life cycle of entities whose objects are rows of a table: find,
// get, create, update and delete, each in one transaction, restricted to the objects that
// the user may see and that lie below the parents in the address. The entities of the
// library use it, and a host's entities can too. A program that only mounts the API needs
// package shop instead.
//
// A [Definition] describes one entity: its table, its rules, its filter and its sort
// keys. [Register] makes a [Collection] of it, which serves HTTP and has the same
// operations for Go code:
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
// The row is read in the transaction: if it does not exist or the user may not see it,
// the response is 404. The change is applied to a copy; RestoreImmutable restores immutable fields;
// Normalize brings values into their stored form. If nothing differs then, nothing is
// checked, written or reported. Otherwise the company is assigned (decisions §11), and
// Check, the hooks of [Hooks.BeforeSave], Write, the hooks of [Hooks.AfterSave]
// and the event follow. A create takes the same steps from the entity's defaults. Go
// calls and HTTP requests take the same steps.
//
// As a transaction may run again, so may every function of a Definition and every
// hook: they touch nothing outside the transaction.
//
// # Checks
//
// Check notes problems by field, so that a client learns all of them at once. The rules
// on one field, such as [shopapi.Problems.Length], skip unchanged fields (decisions §5):
// other fields of a row stored under an older rule can be changed.
//
// # Caching
//
// Responses are cached, and invalidated by changes of the rows that they were read from.
// So the functions of a Definition may only read rows of a store, or call the API, for
// List and Get; a definition that reads anything else sets Uncacheable.
//
// # Other entities
//
// An entity whose objects are not rows of one table, or that has other operations,
// implements [shopapi.Entity] itself.
package resource
