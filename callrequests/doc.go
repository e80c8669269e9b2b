// Package callrequests is the entity call_requests: customers who ask to be
// called back (specification, call_requests; decisions §9). [Register] adds it to
// an API; the [CallRequests] that it returns give Go code the same rules, so that
// a shop's contact form files a request without HTTP:
//
//	requests, err := callrequests.Register(ctx, api, st)
//	…
//	filed, err := requests.Create(ctx, callrequests.CallRequest{
//		Name: "Ana", Phone: "+10000000001", ProductID: mug,
//	})
//
// # Linked objects
//
// A request may refer to a product, an order and the administrator who answers
// it. They are looked up by name in the API, so that a host's own entities count
// too: of products the package reads product, of orders status, of users
// firstname and lastname, or name where they have neither. Of products and orders
// it also reads company_id: for a vendor those of another company do not exist
// (§11). Where an entity is not registered, each id counts as that of an object
// that exists, of which nothing more is known (§12).
//
// product and order_status are read when the request is read, and follow the
// linked objects. An object that is gone leaves its id, and null.
//
// # Cost
//
// The filters and sorts of a request's own fields are the database's work. Those
// of linked objects, order_status and order_exists and the sorts user and
// order_status, read the ids of all requests that match the other filters and look
// up each linked object once: as many lookups as there are different orders, or
// administrators. The products and orders of a page are looked up once each in any
// case.
package callrequests
