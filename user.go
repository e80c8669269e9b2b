package shopapi

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/store/driver"
)

// A UserType is the kind of a user: administrator, vendor or customer (§3).
type UserType string

// The types of users.
const (
	Administrator UserType = "A"
	Vendor        UserType = "V"
	Customer      UserType = "C"
)

// A User is the user of a request, as returned by an [Authenticator] or
// [Options.Identify]. It is shared between requests and does not change.
//
// A nil *User is the host's own Go code: it may do everything.
type User struct {
	ID         int64
	Name       string
	Email      string
	Type       UserType
	Root       bool // may do everything
	CompanyID  int64
	Privileges map[string]bool // of the user's groups

	// KeyID is the id of the API key that the request was made with, "" for a request of
	// another kind, such as one of a host's session.
	KeyID string

	// Confined says that the user sees and touches the rows of CompanyID alone, as
	// vendors do in any case. The API sets it for administrators of one storefront.
	Confined bool
}

// LogValue is the user in logs: without name and e-mail address.
func (u *User) LogValue() slog.Value {
	if u == nil {
		return slog.StringValue("host")
	}
	return slog.GroupValue(slog.Int64("id", u.ID), slog.String("type", string(u.Type)), slog.Int64("company", u.CompanyID))
}

// Can reports whether the user has the privilege.
func (u *User) Can(privilege string) bool {
	return u == nil || u.Root || u.Privileges[privilege]
}

// IsVendor reports whether the user is a vendor, confined to the rows of one company
// (§11).
func (u *User) IsVendor() bool { return u != nil && u.Type == Vendor }

// IsConfined reports whether the user may only read and change the rows of one company
// (§11): a vendor and, in the edition with several storefronts, an administrator of one
// storefront, who has its CompanyID and is not root. Outside of a request, the latter is
// known only in a context that [API.Confine] returned.
func (u *User) IsConfined() bool { return u.IsVendor() || u != nil && u.Confined }

// key is a hash of everything in a user.
func (u *User) key() respcache.UserKey {
	names := make([]string, 0, len(u.Privileges))
	for name, has := range u.Privileges {
		if has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	b := make([]byte, 0, 512)
	b = binary.AppendVarint(b, u.ID)
	b = binary.AppendVarint(b, u.CompanyID)
	b = strconv.AppendBool(b, u.Root)
	b = strconv.AppendBool(b, u.Confined)
	for _, text := range append([]string{string(u.Type), u.Name, u.Email}, names...) {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return sha256.Sum256(b)
}

type userContextKey struct{}

// WithUser returns a context in which Go calls are made on behalf of u. The API
// does this for every request.
func WithUser(ctx context.Context, u *User) context.Context {
	return context.WithValue(ctx, userContextKey{}, u)
}

// UserFrom returns the user that ctx acts for, nil for the host itself.
func UserFrom(ctx context.Context) *User {
	u, _ := ctx.Value(userContextKey{}).(*User)
	return u
}

// AsHost returns a context in which Go calls act for the host itself, confined to no company:
// without the user of ctx and the storefront that a nested address leads through.
func AsHost(ctx context.Context) context.Context {
	return context.WithValue(WithUser(ctx, nil), companyKey{}, nil)
}

// Confine returns a context whose user is confined according to the API's edition
// ([User.IsConfined]). Requests, and the collections of package resource, call it; an
// entity of another kind calls it where Go code passes its own context.
func (a *API) Confine(ctx context.Context) context.Context {
	if a.opts.Edition != MultiStorefront {
		return ctx
	}
	u := UserFrom(ctx)
	if confined := a.confine(u); confined != u {
		return WithUser(ctx, confined)
	}
	return ctx
}

// confine returns the user as the edition confines it. Users are shared, so that it is
// a copy where that makes a difference.
func (a *API) confine(u *User) *User {
	if a.opts.Edition != MultiStorefront || u == nil || u.Confined ||
		u.Type != Administrator || u.Root || u.CompanyID == 0 {
		return u
	}
	confined := *u
	confined.Confined = true
	return &confined
}

// CompanyOf returns the company whose rows may be read and changed in ctx: the company of
// a user who [User.IsConfined], or the storefront in a nested address (§11).
func CompanyOf(ctx context.Context) (company int64, confined bool) {
	if u := UserFrom(ctx); u.IsConfined() {
		return u.CompanyID, true
	}
	company, confined = ctx.Value(companyKey{}).(int64)
	return company, confined
}

type companyKey struct{}

// enterCompany confines ctx to the company that a parent is, if it is one. For a
// user who is confined there is no other than the user's own. Below the only store is the
// whole shop (decisions §27), whose company is the default one.
func (a *API) enterCompany(ctx context.Context, parent step) (context.Context, error) {
	if parent.entry.Name != "stores" && parent.entry.Name != "vendors" {
		return ctx, nil
	}
	object := strings.TrimSuffix(parent.entry.Name, "s")
	id, err := ParseID(object, parent.id)
	if err != nil {
		return ctx, err
	}
	if u := UserFrom(ctx); u.IsConfined() && u.CompanyID != id {
		return ctx, NotFound(object, parent.id)
	}
	if a.opts.Edition == SingleStore && id == a.DefaultCompany() {
		return ctx, nil
	}
	return context.WithValue(ctx, companyKey{}, id), nil
}

// keyUses knows on which day each API key was used last.
type keyUses struct {
	record func(ctx context.Context, keyID string, day time.Time) error // nil: uses are not recorded
	days   sync.Map                                                     // of key id to its last day
}

// OnKeyUse has record called when an API key, by its [User.KeyID], is used for the first time
// on a day, which is given by its start in UTC, and after a failure again. Several processes,
// and a process that starts again, each call it. An error is only logged. Call OnKeyUse before the first
// request.
func (a *API) OnKeyUse(record func(ctx context.Context, keyID string, day time.Time) error) {
	a.keyUses.record = record
}

// noteKeyUse notes that a key was used. reads are what the user of the key depends on: the
// user is looked up again on another day.
func (a *API) noteKeyUse(ctx context.Context, reads *driver.ReadSet, keyID string) {
	if a.keyUses.record == nil || keyID == "" {
		return
	}
	today := func() time.Time { return a.opts.Clock().UTC().Truncate(24 * time.Hour) }
	day := today()
	reads.While(func() bool { return today().Equal(day) })
	if last, known := a.keyUses.days.Load(keyID); known && last == day {
		return
	}
	if err := a.keyUses.record(ctx, keyID, day); err != nil {
		a.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "the use of an API key could not be stored", slog.String("error", err.Error()))
		return
	}
	a.keyUses.days.Store(keyID, day)
}

// ErrNoUserByID is the error of [API.UserByID] without [Options.UserByID].
var ErrNoUserByID = errors.New("shopapi: Options.UserByID is missing: it is needed to act for users between their requests")

// UserByID returns a user with the privileges of now, for what acts for the user between
// requests. It returns [ErrNotFound] for a user who is gone or disabled or has no access to
// the API, and [ErrNoUserByID].
func (a *API) UserByID(ctx context.Context, id int64) (*User, error) {
	if a.opts.UserByID == nil {
		return nil, ErrNoUserByID
	}
	user, err := a.opts.UserByID(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case user == nil || user.Type == Customer:
		return nil, ErrNotFound
	}
	return a.confine(user), nil
}
