// Package callrequests is the entity call_requests: customers who ask to be called back
// (specification, call_requests; decisions §9).
//
// [Register] adds the entity to an API; the [CallRequests] that it returns give Go code
// the same rules, so that a shop's contact form files a request without HTTP:
//
//	requests, err := callrequests.Register(ctx, api, st)
//	…
//	filed, err := requests.Create(ctx, callrequests.CallRequest{
//		Name: "Ana", Phone: "+10000000001", ProductID: mug,
//	})
//
// # Linked objects
//
// A request may link to a product, an order and the administrator in charge. The API
// looks them up by the entity's name, so that a host's own entities work too. The
// package reads the field product of products, status of orders, and firstname and
// lastname of users, or name if both are empty. Of products and orders it also reads
// company_id: a vendor cannot link to objects of another company (§11). Without an
// entity for them every id is accepted, and nothing is shown (§12).
//
// product and order_status are read from the linked objects with each read. After the
// deletion of the object they are null, and the id stays.
//
// # Cost
//
// The database filters and sorts by a request's own fields. The filters order_status and
// order_exists and the sort keys user and order_status read the ids of all requests that
// match the other filters, and look up each linked order or user once. The products and
// orders of a page are looked up once each in any case.
package callrequests
