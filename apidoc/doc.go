// Package apidoc describes an API as OpenAPI 3.1: the registered entities, a host's own
// included, in the API's edition and dialect. Pages with the shop's data are in package
// console.
//
// [Document] returns the document; [Handler] serves it with a reference that sends
// requests.
//
//	docs, err := apidoc.Handler(ctx, admin.API, nil)
//	…
//	mux.Handle("/docs/", http.StripPrefix("/docs", docs))
//
// Addresses, privileges and sort keys come from the entities' descriptions, types from
// the structs, and the rules on fields from the definitions. An entity that implements
// [shopapi.Entity] itself is described as far as its [shopapi.Description] goes.
// Comments on the fields of the library's structs describe them, and objects of its
// entities have an example.
//
// A program that does not import this package does not contain any of it.
package apidoc
