// Package discussions is the entity discussions: comments and reviews of products,
// categories, pages, orders and the home page (specification, discussions;
// decisions §10). [Register] adds it to an API; the [Discussions] that it returns
// give Go code the same rules, as a shop's own pages need them:
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
// The posts about one object form its [Thread], which comes into being with the
// first of them. A post holds a copy of what it has from its thread, the object
// and the type: neither can change, and so every filter and every order of a list
// reads one index of one table. Both are deleted with the object.
//
// Neither a message nor a rating is required, whatever the type of the thread: the
// interface requires the object or the thread alone, and there are programs that
// file a rating first and its text later.
//
// # Vendors
//
// In the edition with several vendors their users reach discussions only under a
// product of their company (decisions §10), and under it all posts, those from
// before the product was the company's among them. A post is listed elsewhere as of
// the company that its object had when it was filed.
package discussions
