package users

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
)

// An entity answers for the users over the wire.
type entity struct{ users *Users }

var (
	_ shopapi.Lister  = (*entity)(nil)
	_ shopapi.Getter  = (*entity)(nil)
	_ shopapi.Creator = (*entity)(nil)
	_ shopapi.Updater = (*entity)(nil)
	_ shopapi.Deleter = (*entity)(nil)
)

func (e *entity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "users",
		IDField:    "user_id",
		Parents:    []string{"stores", "vendors"},
		Privileges: shopapi.Privileges{View: "view_users", Manage: "manage_users"},
		Cacheable:  true,
	}
}

func (e *entity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	var f Filter
	page, err := r.BindList(&f, false, Sorts()...)
	if err != nil {
		return nil, err
	}
	f.SortBy, f.Descending = page.SortBy, page.Descending
	f.Limit, f.Offset = page.Limit(), page.Offset()
	list, total, err := e.users.Find(ctx, f)
	return shopapi.List{Name: "users", Items: list, Params: page.Params(total)}, err
}

func (e *entity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	n, err := shopapi.ParseID("user", id)
	if err != nil {
		return nil, err
	}
	return e.users.Get(ctx, n)
}

// A secret is what is written of a user but never read.
type secret struct {
	Password string `json:"password"`
}

func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var problems shopapi.Problems
	var user User
	var s secret
	scope.Required(ctx, r, &problems)
	problems.Merge(r.Bind(&user))
	problems.Merge(r.Bind(&s))
	created, err := e.users.create(ctx, user, s.Password, &problems)
	return reply(shopapi.FormatID(created.UserID)), err
}

// Update keeps the password where an empty one is sent, as clients do that send
// back the whole form.
func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	n, err := shopapi.ParseID("user", id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	var s secret
	unfit := r.Bind(&s)
	err = e.users.updateAll(ctx, n, s.Password, func(u *User) error {
		var problems shopapi.Problems
		problems.Merge(r.Bind(u))
		problems.Merge(unfit)
		return problems.Err()
	})
	return reply(id), err
}

func (e *entity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	n, err := shopapi.ParseID("user", id)
	if err != nil {
		return err
	}
	return e.users.Delete(ctx, n)
}

// reply has the id of the user's profile, a text in every dialect. Users have one
// each, of the same id.
func reply(id string) shopapi.Reply {
	return shopapi.Reply{ID: id, More: shopapi.Map{{Name: "profile_id", Value: id}}}
}
