package users

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/fair"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Users are the users of a shop in a store. The methods check the rights of the user of
// ctx, as the package comment describes; without a user, as in the host's own code,
// everything is allowed. Find and All return a 403 for the filter by group without the privilege
// to view groups.
type Users struct {
	resource.Lists[Filter, Summary] // Find, All

	api    *shopapi.API
	st     store.Store
	rows   resource.Collection[row, Summary]
	groups *Groups
	hash   func(password string) (string, error)
	// hashing has the slots of requests that hash a password, which takes CPU time alone.
	hashing *fair.Semaphore
	links   LinkOptions
	may     []SignInFunc
	legacy  func(password, hash string) bool

	keyEnds []func(ctx context.Context, tx store.Tx, keyID, by string) error
}

// Register creates the missing tables in st and adds the entities users, usergroups and
// users/…/usergroups to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Users, err error) {
	if err := migrate(ctx, st); err != nil {
		return nil, err
	}
	u := &Users{api: api, st: st, hash: bcryptHash, hashing: newHashing()}
	if u.rows, err = resource.Register(ctx, api, st, definition(u)); err != nil {
		return nil, err
	}
	u.Lists = resource.ListsOf[Filter](u.rows)
	if u.groups, err = u.registerGroups(ctx); err != nil {
		return nil, err
	}
	return u, api.RegisterUnder("users", &membershipEntity{u})
}

// migrate creates the tables and the two reserved groups.
func migrate(ctx context.Context, st store.Store) error {
	if err := st.Migrate(ctx, Schemas()...); err != nil {
		return err
	}
	return updateTwice(ctx, st, addReservedGroups)
}

// updateTwice runs an Update again if it inserted a row that another process inserted at
// the same time: the second run finds that row.
func updateTwice(ctx context.Context, st store.Store, fn func(store.Tx) error) error {
	update := func() error {
		return st.Update(ctx, func(_ context.Context, tx store.Tx) error { return fn(tx) })
	}
	err := update()
	if errors.Is(err, store.ErrConflict) {
		err = update()
	}
	return err
}

// Groups returns the groups of these users.
func (u *Users) Groups() *Groups { return u.groups }

// Get returns one user. It returns a 404 [*shopapi.Error] if the user does not exist or
// the user of ctx may not see it.
func (u *Users) Get(ctx context.Context, id int64) (User, error) {
	r, err := u.rows.Get(ctx, id)
	return r.User, err
}

// Create adds a user and returns the stored user. E-mail address and type are required.
// Other fields at their zero value get their defaults: active, created now, of the
// default company or, for an administrator in the edition with several storefronts, of
// all of them. With the password "" the user cannot sign in by password. Create returns
// a 400 [*shopapi.Error] that names the invalid fields, or a 403.
func (u *Users) Create(ctx context.Context, user User, password string) (User, error) {
	hash, err := u.hashPassword(ctx, password)
	if err != nil {
		return User{}, err
	}
	created, err := u.rows.Create(ctx, row{User: user, Password: password, PasswordHash: hash})
	return created.User, err
}

// CreateAll adds users without passwords in one transaction, all or none: see
// [resource.Objects.CreateAll].
func (u *Users) CreateAll(ctx context.Context, list []User) ([]User, error) {
	rows := make([]row, len(list))
	for i := range list {
		rows[i].User = list[i]
	}
	rows, err := u.rows.CreateAll(ctx, rows)
	if err != nil {
		return nil, err
	}
	created := make([]User, len(rows))
	for i := range rows {
		created[i] = rows[i].User
	}
	return created, nil
}

// Update runs change on the user with the id and returns the stored user. A user who
// becomes a customer leaves the groups of administrators. Update returns a 404, 400 or
// 403 [*shopapi.Error], or the error of change; then nothing is changed.
func (u *Users) Update(ctx context.Context, id int64, change func(*User) error) (User, error) {
	r, err := u.rows.Update(ctx, id, func(r *row) error { return change(&r.User) })
	return r.User, err
}

// Delete removes a user with the user's memberships. It returns a 404 [*shopapi.Error]
// if the user does not exist or the user of ctx may not see it, a 403, or a 400 for the
// last active root administrator.
func (u *Users) Delete(ctx context.Context, id int64) error { return u.rows.Delete(ctx, id) }

// Defaults returns a new user with the default values of a POST.
func (u *Users) Defaults(ctx context.Context) User { return u.rows.Defaults(ctx).User }

func definition(u *Users) resource.Definition[row, Summary] {
	return resource.Definition[row, Summary]{
		Name:       "users",
		Object:     "user",
		Summary:    "Administrators, vendors' users and customers.",
		Privileges: shopapi.Privileges{View: "view_users", Manage: "manage_users"},
		Display: shopapi.Display{
			Columns: []string{"user_id", "firstname", "lastname", "email", "user_type", "status", "timestamp"},
			Widgets: map[string]shopapi.Widget{"b_country": shopapi.WidgetCountry, "s_country": shopapi.WidgetCountry},
		},
		Table:  table,
		Filter: func() resource.Filter { return new(Filter) },
		Sorts:  sorts,
		Rows: resource.Rows[row, Summary]{
			Load: u.nameListed,
			LoadDetails: func(ctx context.Context, _ store.Tx, rows ...*row) error {
				for _, r := range rows {
					r.namePlaces(ctx, u.api)
				}
				return nil
			},
			Write:    u.write,
			Conflict: func(error) error { return shopapi.Invalid("email", "is taken: another user has it") },
			Remove:   u.remove,
		},
		List: resource.List[row, Summary]{
			Items: summaries,
			Item:  func(r *row) *Summary { return &r.Summary },
		},
		Wire: resource.Wire[row, Summary]{
			BeforeTx:  u.prepare,
			Bind:      u.bind,
			EncodeOne: func(_ context.Context, r *row) any { return r.User },
			Reply:     reply,
			Codes:     &resource.Codes{Field: "email", OnlyInFiles: true, Find: findEmails},
		},
		Scope: resource.Scope[row]{
			Company:     func(r *row) *int64 { return &r.CompanyID },
			NameCompany: true,
			Parents:     resource.Companies[row](),
			Authorize:   authorize,
		},
		Rules: resource.Rules[row]{
			Defaults:         u.setDefaults,
			RestoreImmutable: keep,
			Normalize:        u.normalize,
			Check:            check,
		},
	}
}

// bind applies a payload to a user. On POST an empty status becomes the default status.
func (u *Users) bind(ctx context.Context, r *shopapi.Request, v *row) error {
	var problems shopapi.Problems
	isNew := v.UserID == 0
	problems.Merge(r.Bind(v))
	if isNew {
		u.setDefaults(ctx, v)
	}
	return problems.Err()
}

// normalize brings every value into the form that is stored. In the edition with several
// storefronts an administrator without a company has all of them (decisions §11).
func (u *Users) normalize(r *row, _ *shopapi.Problems) {
	r.normalize()
	r.everywhere = u.api.Edition() == shopapi.MultiStorefront && r.UserType == shopapi.Administrator && r.CompanyID == 0
}

// keep restores the creation time.
func keep(after, before *row, _ *shopapi.Problems) {
	if before.UserID != 0 {
		after.Timestamp = before.Timestamp
	}
}

// authorize returns a 403 unless the user of ctx may change or remove a user, and a 400
// for the removal of the last root administrator.
func authorize(ctx context.Context, tx store.Tx, op shopapi.Operation, r *row) error {
	err := mayChange(ctx, tx, &r.User)
	if err == nil && op == shopapi.OpDelete {
		err = keepRoot(tx, r, nil)
	}
	return err
}

// check adds the problems of a user, and returns the error of a change that is not
// allowed to the user of ctx or to anyone.
func check(ctx context.Context, tx store.Tx, before, after *row, problems *shopapi.Problems) error {
	if _, confined := shopapi.CompanyOf(ctx); bool(after.IsRoot) || after.everywhere && !confined {
		after.CompanyID = 0 // root has no company, whatever was assigned
	}
	after.validate(problems)
	checkPassword(after.Password, problems)
	if err := problems.Err(); err != nil {
		return err
	}
	if err := mayBecome(ctx, &before.User, &after.User); err != nil {
		return err
	}
	return keepRoot(tx, before, after)
}

func (u *Users) write(ctx context.Context, tx store.Tx, before, after *row) error {
	if before.UserID != 0 && before.UserType != shopapi.Customer && after.UserType == shopapi.Customer {
		if err := u.leaveAdministration(ctx, tx, after.UserID); err != nil {
			return err
		}
	}
	if endsLinks(before, after) {
		if err := endLinks(tx, after.UserID); err != nil {
			return err
		}
	}
	return u.rows.WriteRow(ctx, tx, before, after)
}

func (u *Users) remove(ctx context.Context, tx store.Tx, r *row) error {
	if err := u.recordMemberships(ctx, tx, store.Equal("user_id", store.Int(r.UserID))); err != nil {
		return err
	}
	if _, err := memberships.Delete(tx, store.Equal("user_id", store.Int(r.UserID))); err != nil {
		return err
	}
	if err := endLinks(tx, r.UserID); err != nil {
		return err
	}
	if err := u.endKeys(ctx, tx, r); err != nil {
		return err
	}
	return table.DeleteKey(tx, r.UserID)
}

// reply adds the id of the user's profile, a text in every dialect. Each user has one
// profile, with the user's id.
func reply(r *row) shopapi.Map {
	return shopapi.Map{{Name: "profile_id", Value: shopapi.FormatID(r.UserID)}}
}
