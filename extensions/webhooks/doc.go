// Package webhooks sends changes of the shop to addresses that users name (extensions E5), by
// Standard Webhooks 1.0. It follows the change log of package changes, so that no change is
// missed while the program does not run, or while a receiver is down. A message is delivered
// at least once, and in the order of the changes of its object.
//
//	hooks, err := webhooks.Register(ctx, api, st, log, webhooks.Options{On: true})
//	…
//	hook, secret, err := hooks.Create(ctx, webhooks.Webhook{URL: "https://erp.example.com/in", Events: webhooks.NewEvents("orders.*")})
//
// A message is thin: it names the object, which the receiver reads with its own rights. A
// webhook acts for the user who made it: it sends what that user may see.
//
// [github.com/shopapi/shopapi/shop.Options] switches webhooks on in a whole shop.
package webhooks
