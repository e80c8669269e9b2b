package users

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

// Users keeps the users of a shop in a store. Its methods act for the user of
// their context, within the rights that the package comment tells of; the host's
// own code, which has no user, has all.
type Users struct {
	st           store.Store
	api          *shopapi.API
	passwordCost int // of bcrypt
}

// New returns the users kept in st, whose tables must exist: see [Register]. The
// api gives clock and edition, and may be nil.
func New(st store.Store, api *shopapi.API) *Users {
	return &Users{st: st, api: api, passwordCost: passwordCost}
}

// Register creates the tables that are missing in st and adds the entities users,
// usergroups and users/…/usergroups to the API, which may be nil for Go code that
// serves none.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Users, error) {
	if err := migrate(ctx, st); err != nil {
		return nil, err
	}
	u := New(st, api)
	if err := api.Register(&entity{u}); err != nil {
		return nil, err
	}
	if err := api.Register(&groupEntity{u.Groups()}); err != nil {
		return nil, err
	}
	if err := api.RegisterUnder("users", &membershipEntity{u}); err != nil {
		return nil, err
	}
	return u, nil
}

// migrate creates the tables and the two reserved groups.
func migrate(ctx context.Context, st store.Store) error {
	if err := st.Migrate(ctx, table.Schema(), groups.Schema(), memberships.Schema()); err != nil {
		return err
	}
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error { return addReservedGroups(tx) })
}

// Groups returns the groups of these users.
func (u *Users) Groups() *Groups { return &Groups{st: u.st, api: u.api} }

// Find returns the users that match, in the order that the filter asks for. The
// total counts them without limit and offset. It returns a 400 [*shopapi.Error]
// for a value that a filter does not know.
func (u *Users) Find(ctx context.Context, f Filter) (list []User, total int64, err error) {
	q, err := f.query(ctx)
	if err != nil {
		return nil, 0, err
	}
	err = u.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if list, total, err = users.Page(tx, q); err != nil {
			return err
		}
		return u.nameCompanies(ctx, list)
	})
	return list, total, err
}

// Get returns one user. It returns a 404 [*shopapi.Error] when there is none that
// the user of ctx may see.
func (u *Users) Get(ctx context.Context, id int64) (user User, err error) {
	err = u.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if user, err = users.Get(tx, id); err != nil || !scope.Sees(ctx, user.CompanyID) {
			return missing(err, id)
		}
		one := []User{user}
		err = u.nameCompanies(ctx, one)
		user = one[0]
		return err
	})
	return user, err
}

// get reads a user with his secrets, to change him.
func get(ctx context.Context, tx store.Tx, id int64) (row, error) {
	r, err := table.Get(tx, id)
	if err != nil || !scope.Sees(ctx, r.CompanyID) {
		return row{}, missing(err, id)
	}
	return r, nil
}

// missing is the 404 of a user that does not exist or may not be seen.
func missing(err error, id int64) error {
	if err == nil || errors.Is(err, store.ErrNotFound) {
		return shopapi.NotFound("user", shopapi.FormatID(id))
	}
	return err
}

// Create adds a user and returns him as stored. E-mail address and type are
// required; he is active unless said otherwise, and of the default company. The
// password may be empty: then he has none. Create returns a 400 [*shopapi.Error]
// that names the fields at fault, or a 403.
func (u *Users) Create(ctx context.Context, user User, password string) (User, error) {
	return u.create(ctx, user, password, &shopapi.Problems{})
}

// create adds a user unless he has problems, those noted already among them.
func (u *Users) create(ctx context.Context, user User, password string, problems *shopapi.Problems) (created User, err error) {
	user.Status = cmp.Or(user.Status, Active)
	user.Timestamp = cmp.Or(user.Timestamp, u.api.Now(ctx).Unix())
	user.Email = strings.TrimSpace(user.Email)
	user.validate(problems)
	checkPassword(password, problems)
	if err := problems.Err(); err != nil {
		return User{}, err
	}
	hash, err := u.hashPassword(password)
	if err != nil {
		return User{}, err
	}
	err = u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		r := row{User: user, PasswordHash: hash}
		r.UserID = 0
		if err := mayBecome(ctx, &User{}, &r.User); err != nil {
			return err
		}
		var problems shopapi.Problems
		problems.Merge(scope.Settle(ctx, u.api, &problems, 0, &r.CompanyID))
		if err := problems.Err(); err != nil {
			return err
		}
		r.prepare()
		if err := table.Insert(tx, &r); err != nil {
			return conflict(err)
		}
		created = r.User
		u.changed(ctx, shopapi.OpCreate, r.UserID)
		return nil
	})
	return created, err
}

// Update has change alter the user with the id, and stores him. Fields that the
// shop itself keeps (user_id, timestamp) stay as they were. A user who becomes a
// customer leaves the groups of administrators. Update returns a 404, 400 or 403
// [*shopapi.Error], or the error of change; then nothing is changed.
func (u *Users) Update(ctx context.Context, id int64, change func(*User) error) error {
	return u.update(ctx, id, func(r *row) error { return change(&r.User) })
}

func (u *Users) update(ctx context.Context, id int64, change func(*row) error) error {
	return u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := get(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := mayChange(ctx, tx, &before.User); err != nil {
			return err
		}
		after := before
		var problems shopapi.Problems
		problems.Merge(change(&after))
		if err := u.settle(ctx, &before, &after, &problems); err != nil {
			return err
		}
		if err := keepRoot(tx, &before, &after); err != nil {
			return err
		}
		if after.UserType == shopapi.Customer && before.UserType != shopapi.Customer {
			if err := leaveAdministration(tx, id); err != nil {
				return err
			}
		}
		u.changed(ctx, shopapi.OpUpdate, id)
		return conflict(table.Update(tx, &after))
	})
}

// settle puts right what follows from a change of a user. It returns what is wrong
// with him, the problems noted already among it.
func (u *Users) settle(ctx context.Context, before, after *row, problems *shopapi.Problems) error {
	after.UserID, after.Timestamp = before.UserID, before.Timestamp
	after.prepare()
	after.validate(problems)
	if !after.IsRoot { // who is of no company
		if err := scope.Settle(ctx, u.api, problems, before.CompanyID, &after.CompanyID); err != nil {
			return err
		}
	}
	if err := problems.Err(); err != nil {
		return err
	}
	return mayBecome(ctx, &before.User, &after.User)
}

// Delete removes a user and his memberships. It returns a 404 [*shopapi.Error]
// when there is none that the user of ctx may see, a 403, or a 400 for the last
// active root administrator.
func (u *Users) Delete(ctx context.Context, id int64) error {
	return u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := get(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := mayChange(ctx, tx, &before.User); err != nil {
			return err
		}
		if err := keepRoot(tx, &before, nil); err != nil {
			return err
		}
		if _, err := memberships.Delete(tx, store.Equal("user_id", store.Int(id))); err != nil {
			return err
		}
		u.changed(ctx, shopapi.OpDelete, id)
		return table.DeleteKey(tx, id)
	})
}

func (u *Users) changed(ctx context.Context, op shopapi.Operation, id int64) {
	u.api.Changed(ctx, "users", op, shopapi.FormatID(id))
}

// conflict names the field whose value another user has.
func conflict(err error) error {
	if errors.Is(err, store.ErrConflict) {
		return shopapi.Invalid("email", "is taken: another user has it")
	}
	return err
}
