// Package users is the entities users and usergroups, and the memberships of
// users in groups under users/5/usergroups (specification, Authentication;
// decisions §3, §11). [Register] adds all three to an API; the [Users] that it
// returns, and [Users.Groups], give Go code the same rules. A host that has users
// of its own does not need this package: it gives the API an Authenticator.
//
// # The first administrator
//
// An empty database knows nobody. [EnsureRoot] makes its first root administrator
// and returns his API key, which is shown nowhere else:
//
//	key, created, err := users.EnsureRoot(ctx, st, "admin@shop.example")
//	api := shopapi.New(&shopapi.Options{Authenticator: users.NewAuthenticator(st)})
//	shopUsers, err := users.Register(ctx, api, st)
//
// # Secrets
//
// An API key is made by [Users.GenerateKey]; no request can make, set or read
// one, so that a stolen key of an administrator cannot breed others. Of a key only
// the SHA-256 is kept: a key is random, at least 128 bits, so that guessing it is
// hopeless at any speed, and a slow hash would only slow each request. A password
// is chosen by a person, and can be guessed: it is kept as a bcrypt hash, whose
// slowness and salt are what protects it. bcrypt rather than argon2id, because its
// format is read by every other part of a shop, and because a hash takes 4 KiB of
// memory where argon2id would take tens of megabytes for each request that sets one.
//
// Neither hash is part of [User], so that no answer and no log can hold one.
//
// # Who may change whom
//
// Whoever changes the e-mail address or password of another can act as that
// other. So a privilege to manage does not suffice to change someone who has more
// rights. What goes beyond these rules is answered 403, the last one 400:
//
//   - Only a root administrator may change or remove a root administrator. Nobody
//     becomes one over the wire.
//   - Others may change, remove and put into groups only users all of whose
//     privileges they have themselves, those from disabled groups included.
//   - Others may add to a group, change it or remove it only when they have all
//     its privileges. Which privileges a group has, only a root administrator says.
//   - A seller sees and touches only the users of his company. He changes no
//     administrator among them, who reaches beyond it, and makes none. He may not
//     change groups, which are the whole shop's.
//   - The last active root administrator can be neither removed nor disabled nor
//     made anything else, by whomever, since nobody could undo it.
package users
