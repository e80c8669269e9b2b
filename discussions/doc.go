// Package discussions is the entity discussions: comments and reviews of products,
// categories, pages, orders and the home page (specification, discussions; decisions
// §10).
//
// [Register] adds the entity to an API; the [Discussions] that it returns give Go code
// the same rules, for instance for a shop's own pages:
//
//	reviews, err := discussions.Register(ctx, api, st)
//	…
//	_, err = reviews.Create(ctx, discussions.Post{
//		ObjectType: discussions.Product, ObjectID: 41,
//		Name: "Ana", Message: "Holds heat well", RatingValue: 5,
//	})
//	…
//	shown, err := reviews.Approved(ctx, discussions.Product, 41, 10, 0)
//
// # Posts and threads
//
// The posts about one object form its [Thread], which the first post creates. A post
// copies the object and the type of its thread, which never change: so every filter and
// sort order of a list reads one index of one table. Threads and posts are deleted with
// their object.
//
// Neither a message nor a rating is required, whatever the type of the thread: the
// interface requires only the object or the thread, and some programs file a rating
// first and its text later.
//
// # Vendors
//
// In the edition with several vendors their users reach discussions only below a product
// of their company (decisions §10), and list the reviews of their products (extensions E12).
// A post belongs to the company of its object, and moves with the object to another company.
package discussions
