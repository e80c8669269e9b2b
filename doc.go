// Package shopapi gives a Go program the store-administration REST API, version
// 2.0, as one [http.Handler], for the connectors, apps and scripts that already
// speak this interface. It is the pipeline that requests pass; the entities are
// packages beside it. A program that only mounts the API begins with package
// [github.com/shopapi/shopapi/shop], which registers all of them over a store in
// one call, and needs no more of this package than [Options].
//
// # Mounting
//
// An [API] serves the three address forms, /api/2.0/…, /api/… and /api.php?_d=…. It has
// no state that several processes would have to share, never redirects, and works at the
// root or below a prefix with [http.StripPrefix]:
//
//	mux.Handle("/api/", api)
//	mux.Handle("/api.php", api)
//
// [API.Shutdown] ends it after the requests in flight.
//
// # The request pipeline
//
// Every request passes the same checks in the same order: the site that a browser sends
// it from, credentials, address, method, Accept, privilege, body, parents, preconditions,
// and then the entity's operation (§2). The first check that fails ends the request. One
// table turns errors into responses: an [*Error] is a mistake of the client and names the
// invalid fields ([Problems]); any other error is logged and answered 500 without its
// text.
//
// # Users
//
// An [Authenticator] finds the user of credentials, [Options.Identify] the user of a
// session; both return a [User] with privileges. The context of an operation
// acts for the user ([WithUser], [UserFrom]); without one it acts for the program
// itself, which may do everything. [API.Authorize] gives Go code the check of
// privileges that requests pass, and [CompanyOf] the company that a context is
// confined to (§11).
//
// # Entities
//
// An [Entity] describes itself and has at least one of the capabilities [Lister],
// [Getter], [Creator], [Updater], [Deleter] and [Actor]. [API.Register] looks at them
// once: dispatch, the status 405 and its Allow header follow from them. Package
// [github.com/shopapi/shopapi/resource] makes an entity of a table and a few rules; a
// program registers entities of its own in the same way, under a new name or in place of
// one of the library's.
//
// # Relations
//
// A child names its parents ([Description.Parents], [API.DeclareParent]), and gets an
// address below them; [API.RegisterUnder] adds an entity that only exists below one
// parent. [Request.Parents] has the parent objects of an address.
//
// An entity reads objects of another by its name: [API.Lookup] and
// [API.CheckReference] find a program's own entities too. Code that removes the
// dependents of a deleted object, or forbids its deletion, is registered for the name of
// its entity by [API.BeforeDelete] and [API.RefuseDelete].
//
// # Binding
//
// JSON and form bodies become one [Payload]. [Request.Bind] sets the fields of a struct
// from it, by their json tags. A field with the tag bind:"-" is read-only. A PUT binds to the
// stored object, so that fields which are not sent keep their values. [Request.BindList] binds
// the parameters of a list.
//
// # Hooks
//
// Hooks in the transaction of a change belong to the collections of the entities:
// see [github.com/shopapi/shopapi/resource.SaveHook].
//
// # Events
//
// [Options.Observer] gets an [Event] for each committed change, from one goroutine
// of the API and in order, so that no request waits for it. [API.Changed] reports a
// change in the transaction that makes it; [API.Flush] waits for the observer.
//
// # Caching
//
// If the store reports changes of tables by any process, responses of entities that are
// [Description.Cacheable] are cached, by user, until a change affects the rows that they
// were read from. [Limits] bounds the cache in bytes. Every response to GET has an ETag, and
// If-None-Match gets a 304 as long as it is valid.
//
// # Preconditions and repeated requests
//
// If-Match and If-None-Match on PUT and DELETE are checked in the transaction of the
// change, against the response that GET would give there: see [CheckPreconditions]. A
// POST with an Idempotency-Key creates its object once (§25): see
// [Request.IdempotencyKey]. Entities of package resource do both.
//
// # Around a request
//
// [Options.Completed] gets the result of each request, for metrics; [API.Match] returns
// the entity and operation of a request before it is served, for tracing.
//
// # Inside the package
//
// Three types depend on each other: the [API] keeps the registry of entities, the
// registry's entries call operations with a [Request], and the Request knows its API, so
// that an entity can look up others. Everything else is layered. From the top: api.go
// makes an API, starts and ends it, and takes in requests, members of batches among them.
// pipeline.go sends each to an entity, an [Endpoint] or the function of PUT with match. auth.go
// finds the user, nested.go finds the target below its parents and runs its operation, and
// format.go writes lists, responses and exports. relations.go, event.go and settings.go are the
// services that entities use: other objects and their companies, reports of changes and
// requests, and the settings of the shop. registry.go, request.go, entity.go and errors.go are
// their contract. Package field and packages below internal/ know nothing of
// this one: exchange reads a request from its connection and writes the response, admission
// limits what each client uses, route finds what an address names, format and response make
// bytes, and so on.
//
// Sections of the form §4 refer to the decisions that complete the published
// specification of the interface.
package shopapi
