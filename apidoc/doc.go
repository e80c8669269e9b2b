// Package apidoc describes an API as OpenAPI 3.1: the entities that are registered, a
// host's own among them, as they answer in its edition and dialect. [Document] makes
// the document, [Handler] serves it with a reference that sends requests.
//
//	docs, err := apidoc.Handler(ctx, admin.API, nil)
//	…
//	mux.Handle("/docs/", http.StripPrefix("/docs", docs))
//
// What it says comes from where the API has it: addresses, privileges and sort keys
// from the descriptions, types from the structs, and the rules on fields from the
// definitions, which are run to observe them. An entity that implements
// [shopapi.Entity] itself is described as far as its [shopapi.Description] goes. Fields of
// the library's structs are described by the comments on them, and objects of its entities
// have an example.
//
// A program that does not import this package carries none of it.
package apidoc
