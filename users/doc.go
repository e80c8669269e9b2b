// Package users has the entities users, usergroups and auth, and the memberships of
// users in groups under users/5/usergroups (specification, Authentication; decisions §3,
// §11, §23). A host with users of its own does not need this package: it gives the API
// an Authenticator.
//
// [Register] adds users, groups and memberships to an API, [Users.RegisterAuth] the
// one-time links; the [Users] that Register returns, and [Users.Groups], give Go code
// the same rules.
//
// # The first administrator
//
// In an empty database nobody can sign in. [EnsureRoot] creates the first root
// administrator and returns the API key, which is shown nowhere else:
//
//	key, created, err := users.EnsureRoot(ctx, st, "admin@shop.example")
//	api := shopapi.New(&shopapi.Options{Authenticator: users.NewAuthenticator(st)})
//	shopUsers, err := users.Register(ctx, api, st)
//
// # Secrets
//
// [Users.GenerateKey] and [Users.AddKey] create API keys, and so do requests where
// [Users.RegisterKeys] switched users/ID/keys on (extensions E12). A key that a request made
// names the key of that request, and ends with it: the thief of a key gains nothing that
// outlives it. No request reads a key. The database stores only
// the SHA-256 of a key: a key is random and has at least 128 bits, so that it cannot be
// guessed at any speed, and a slow hash would only slow down each request.
//
// People choose passwords, which therefore can be guessed: they are stored as bcrypt
// hashes, protected by the slowness and the salt. bcrypt is used rather than argon2id
// because other parts of a shop read its format, and because a hash takes 4 KiB of
// memory, where argon2id would take tens of megabytes for each request that sets a
// password. A password has 8 to 72 bytes (decisions §23). It is hashed before the
// transaction of the change, and only after the request passed the checks of privilege,
// of existence and of the rights below: a refused request costs no hash.
//
// [User] contains neither hash, so that no response and no log can contain one.
//
// # Rights over other users
//
// Whoever changes the e-mail address or password of another user can act as that user.
// So the privilege to manage users does not suffice to change a user with more rights. A
// violation of these rules is a 403, of the last one a 400:
//
//   - Only a root administrator may change or remove a root administrator. No request
//     makes a user root.
//   - Other users may change, remove and put into groups only users all of whose
//     privileges they have themselves, including privileges from disabled groups.
//   - Other users may add to a group, change it or remove it only if they have all
//     its privileges. Only a root administrator sets the privileges of a group.
//   - A vendor's user sees only the users of the same company. Such a user cannot
//     change the administrators among them, whose rights reach beyond the company,
//     create administrators, or change groups, which belong to the whole shop.
//   - The last active root administrator can be neither removed nor disabled nor
//     given another type, by anyone, because nobody could undo it.
package users
