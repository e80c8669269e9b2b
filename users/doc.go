// Package users is the entities users and usergroups, and the memberships of
// users in groups under users/5/usergroups (specification, Authentication;
// decisions §3, §11). [Register] adds all three to an API; the [Users] that it
// returns, and [Users.Groups], give Go code the same rules. A host that has users
// of its own does not need this package: it gives the API an Authenticator.
//
// # The first administrator
//
// In an empty database nobody can sign in. [EnsureRoot] makes the first root
// administrator and returns the API key, which is shown nowhere else:
//
//	key, created, err := users.EnsureRoot(ctx, st, "admin@shop.example")
//	api := shopapi.New(&shopapi.Options{Authenticator: users.NewAuthenticator(st)})
//	shopUsers, err := users.Register(ctx, api, st)
//
// # Secrets
//
// An API key is made by [Users.GenerateKey]; no request can make, set or read
// one, so that a stolen key of an administrator cannot breed others. Of a key only
// the SHA-256 is stored: a key is random, at least 128 bits, so that guessing it is
// hopeless at any speed, and a slow hash would only slow each request. A password
// is chosen by a person, and can be guessed: it is stored as a bcrypt hash, whose
// slowness and salt are what protects it. bcrypt rather than argon2id, because its
// format is read by every other part of a shop, and because a hash takes 4 KiB of
// memory where argon2id would take tens of megabytes for each request that sets one.
// A password has 8 to 72 bytes (decisions §23). It is hashed before the transaction
// of the change, and only after the request passed the checks of privilege, of
// existence and of the rights below, so that a refused request costs no hash.
//
// Neither hash is part of [User], so that no response and no log can hold one.
//
// # Rights over other users
//
// Whoever changes the e-mail address or password of another can act as that
// other. So a privilege to manage does not suffice to change someone who has more
// rights. What goes beyond these rules is answered 403, the last one 400:
//
//   - Only a root administrator may change or remove a root administrator. Nobody
//     becomes one over HTTP.
//   - Others may change, remove and put into groups only users all of whose
//     privileges they have themselves, those from disabled groups included.
//   - Others may add to a group, change it or remove it only when they have all
//     its privileges. Which privileges a group has, only a root administrator says.
//   - To a vendor's user only the users of the same company are visible. Such a user
//     changes no administrator among them, whose rights reach beyond the company,
//     makes none, and changes no groups, which are the whole shop's.
//   - The last active root administrator can be neither removed nor disabled nor
//     made anything else, by anyone, since nobody could undo it.
package users
