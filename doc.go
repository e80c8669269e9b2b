// Package shopapi gives a Go program the store-administration REST API, version
// 2.0, as one [http.Handler]: categories, products, reviews, callback requests,
// users and the other entities of a shop, for the connectors, apps and scripts
// that already speak this interface. Package
// [github.com/shopapi/shopapi/shop] registers all of them over a store in one
// call; a program that only mounts the API needs that package and the [Options] of
// this one.
//
// # Mounting
//
// An [API] serves the three address forms, /api/2.0/…, /api/… and /api.php?_d=….
// It has no state that another process would miss, never redirects, and works
// at the root or under a prefix with [http.StripPrefix]:
//
//	mux.Handle("/api/", api)
//	mux.Handle("/api.php", api)
//
// # Entities
//
// An [Entity] describes itself and has at least one of the capabilities
// [Lister], [Getter], [Creator], [Updater] and [Deleter]. [API.Register] looks at
// them once; dispatch, the status 405 and its Allow header come from what it
// found. A host registers entities of its own in the same way, under a new name
// or in place of one of the library's.
//
// What one entity must know of another it asks by name, with [API.Lookup], which
// also finds the host's.
//
// # The request pipeline
//
// Every request passes the same checks in the same order: credentials, address,
// method, Accept, privilege, body, parents, and then the entity's operation. The
// first that fails ends it. One table turns errors into responses; see [Error].
//
// # Binding
//
// JSON and form bodies become one [Payload], which [Request.Bind] lays over a
// struct by its json tags. A field with the tag bind:"-" is read-only. Binding
// over what is stored is what makes a partial PUT leave the other fields alone.
//
// # The response cache
//
// Where the store can tell whether a table has changed, whichever process changed
// it, the API caches the responses of entities that are [Description.Cacheable], by
// user, until something that they were read from changes. [Limits] bounds the cache
// in bytes. Every response to GET has an ETag, and If-None-Match is answered 304 as
// long as it holds.
//
// # Around a request
//
// [Options.Identify] signs users in by what the host already has, such as a session;
// [Options.Completed] tells how each request went, for metrics; [API.Match] tells
// beforehand which entity and operation a request names, for tracing.
// [API.Authorize] gives Go code the privilege check that requests pass.
//
// Sections of the form §4 refer to the decisions that complete the published
// specification of the interface.
package shopapi
