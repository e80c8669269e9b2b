package shopapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/shopapi/shopapi/internal/basicauth"
	"github.com/shopapi/shopapi/internal/loginlimit"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Credentials are what a client sends with every request: the e-mail address and
// the API key of a user. However they are printed, logged or encoded, the key stays
// out.
type Credentials struct {
	Email string
	Key   string `json:"-"`
}

// String hides the key, so that credentials cannot reach a log by accident.
func (c Credentials) String() string { return fmt.Sprintf("credentials of %q", c.Email) }

// GoString is [Credentials.String].
func (c Credentials) GoString() string { return c.String() }

// LogValue is the e-mail address alone.
func (c Credentials) LogValue() slog.Value { return slog.GroupValue(slog.String("email", c.Email)) }

// An Authenticator finds the user of credentials. A host with its own users implements
// it; package users has one over the users entity.
type Authenticator interface {
	// Authenticate returns the user; [ErrBadCredentials] for an unknown e-mail, a wrong
	// key, a disabled user and one without API access alike; or another error if it
	// cannot decide. It takes the same time for each, and compares e-mails
	// case-insensitively and without surrounding space.
	Authenticate(ctx context.Context, c Credentials) (*User, error)
}

// ErrBadCredentials is returned by an [Authenticator] that refuses.
var ErrBadCredentials = errors.New("shopapi: unknown e-mail or wrong key")

// The AuthenticatorFunc type makes a function an [Authenticator].
type AuthenticatorFunc func(ctx context.Context, c Credentials) (*User, error)

// Authenticate calls f.
func (f AuthenticatorFunc) Authenticate(ctx context.Context, c Credentials) (*User, error) {
	return f(ctx, c)
}

// refuseAll is the Authenticator of an API that was given none.
func refuseAll(context.Context, Credentials) (*User, error) { return nil, ErrBadCredentials }

// identify is the first half of the check of credentials, before the response
// cache: whether the host knows the user of the request, or the Authorization
// header is that of a cached user.
func (a *API) identify(p *pipeline) error {
	if a.opts.Identify != nil {
		ctx, cancel := p.Context()
		defer cancel()
		user, err := a.hostsUser(ctx, p.Req)
		if err != nil {
			return err
		}
		if user != nil {
			p.identified(user, a.keyOf(user))
			return nil
		}
	}
	if user, key, ok := partsOf(a).cache.User(p.Outer(), p.Req.Header); ok {
		p.identified(user, key)
	}
	return nil
}

// hostsUser returns the user of a request that the host knows, nil where it knows none.
func (a *API) hostsUser(ctx context.Context, req *http.Request) (*User, error) {
	if a.opts.Identify == nil {
		return nil, nil
	}
	user, err := a.opts.Identify(req.WithContext(ctx))
	switch {
	case err != nil:
		return nil, identifyError(err)
	case user != nil && user.Type == Customer:
		return nil, unauthorized("Customers have no access to the API.")
	}
	if err := a.checkCompany(user); err != nil {
		return nil, fmt.Errorf("Options.Identify: %w", err)
	}
	return a.confine(user), nil
}

// Identify returns the user of the request with the privileges of now. An operation calls it
// before it creates something that outlives an API key, since the body may have come slowly. The error is
// the response to credentials that became invalid meanwhile. Go code and members of a batch have the user that they began with.
func (r *Request) Identify(ctx context.Context) (*User, error) {
	if r.http == nil || r.inBatch {
		return r.User, nil
	}
	user, _, err := r.identify(ctx)
	return user, err
}

// checkCompany refuses a vendor's user without a company (§11): such a user would be confined
// to the rows that belong to no vendor, which are the common products.
func (a *API) checkCompany(u *User) error {
	if a.opts.Edition != MultiVendor || u == nil || u.Type != Vendor || u.CompanyID > 0 {
		return nil
	}
	return fmt.Errorf("the user %d is of the type V and needs a CompanyID above 0, not %d", u.ID, u.CompanyID)
}

// identifyError returns the error to answer where the host could not identify the user. Only
// an [*Error] keeps its status.
func identifyError(err error) error {
	var told *Error
	switch {
	case errors.As(err, &told), errors.Is(err, store.ErrUnavailable),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("Options.Identify: %v", err) // not %w: the wrapped error must not decide the status
}

// authenticate is the second half: Basic credentials, 401 and 429 (§3).
func (a *API) authenticate(ctx context.Context, p *pipeline) error {
	credentials, err := credentialsOf(p.Req.Header)
	if err != nil {
		return err
	}
	try, wait := partsOf(a).limiter.Begin(a.attempt(p.Req, credentials), a.opts.Clock())
	if wait > 0 {
		return tooManyAttempts(wait)
	}
	defer try.Cancel()
	began := time.Now()
	ctx, lookup := partsOf(a).cache.Lookup(ctx)
	user, key, err := a.userOf(ctx, p.Req, credentials, lookup)
	switch {
	case errors.Is(err, errWrongCredentials):
		wait := try.Failed(a.opts.Clock())
		partsOf(a).refusals.Wait(began)
		if wait > 0 {
			return tooManyAttempts(wait)
		}
		return err
	case err != nil:
		return err
	}
	try.Succeeded()
	p.identified(user, key)
	return nil
}

// userOf returns the user of the credentials of a request, and caches the user. ctx
// records the reads of the lookup. For wrong credentials the error is errWrongCredentials.
func (a *API) userOf(ctx context.Context, req *http.Request, c Credentials, lookup *respcache.Lookup) (*User, respcache.UserKey, error) {
	user, err := a.opts.Authenticator.Authenticate(ctx, c)
	switch {
	case errors.Is(err, ErrBadCredentials), err == nil && (user == nil || user.Type == Customer):
		return nil, respcache.UserKey{}, errWrongCredentials
	case err != nil:
		return nil, respcache.UserKey{}, err
	}
	if err := a.checkCompany(user); err != nil {
		return nil, respcache.UserKey{}, fmt.Errorf("Options.Authenticator: %w", err)
	}
	a.noteKeyUse(req.Context(), lookup.Reads, user.KeyID)
	user = a.confine(user)
	key := a.keyOf(user)
	partsOf(a).cache.PutUser(req.Header, lookup, user, key, user.size())
	return user, key, nil
}

// attempt is the attempt that the login limiter counts.
func (a *API) attempt(req *http.Request, c Credentials) loginlimit.Attempt {
	addr, shared := a.clientOf(req)
	return loginlimit.NewAttempt(addr, shared, c.Email, c.Key)
}

func tooManyAttempts(wait time.Duration) error {
	return RetryLater(http.StatusTooManyRequests, wait, "Too many wrong credentials. Try again later.")
}

func unauthorized(message string) error {
	return &Error{Status: http.StatusUnauthorized, Message: message}
}

var (
	errNoCredentials    = unauthorized("Send the header Authorization: Basic with the e-mail address of a user and their API key.")
	errWrongCredentials = unauthorized("The e-mail address or the API key is wrong.")
)

// credentialsOf reads the credentials of a request. The error is the 401 of the response.
func credentialsOf(h http.Header) (Credentials, error) {
	email, key, err := basicauth.Parse(h)
	switch {
	case errors.Is(err, basicauth.ErrTooLong):
		return Credentials{}, errWrongCredentials
	case err != nil:
		return Credentials{}, errNoCredentials
	}
	return Credentials{Email: email, Key: key}, nil
}

// A UserCacher is an [Authenticator] that allows caching: its users depend only on the
// credentials and on rows of a store. A user is cached until one of the tables changes,
// whichever process changes it. If the store cannot report changes (it is neither a
// [driver.Versioned] nor a [driver.Asked]), the user is cached for half a second.
type UserCacher interface {
	CacheUsers() bool
}

func cachesUsers(a Authenticator) bool {
	u, ok := a.(UserCacher)
	return ok && u.CacheUsers()
}

// usersEntities are the entities that authentication depends on.
var usersEntities = []string{"users", "usergroups", "vendors"}

// keyOf returns the key of a user in the response cache.
func (a *API) keyOf(u *User) respcache.UserKey {
	if !partsOf(a).cache.Enabled() {
		return respcache.UserKey{}
	}
	return u.key()
}

// size is the number of bytes that a cached user takes.
func (u *User) size() int64 { return respcache.SizeOfUser(u.Privileges, u.Name, u.Email) }

// checkOrigin refuses a write that a browser sends from another site, with
// whatever credentials it holds for this one: a form there needs no script and no
// permission (§2). Programs send neither Sec-Fetch-Site nor Origin, and pass.
func (a *API) checkOrigin(req *http.Request) error {
	if partsOf(a).crossOrigin.Check(req) == nil {
		return nil
	}
	return Errorf(http.StatusForbidden, "Changes are not accepted from pages of another site. Its origin has to be trusted by this service.")
}

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
// In the edition with vendors, a user of the type [Vendor] needs a CompanyID above 0: a
// request of another is a 500, which is logged.
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
// (§11). Vendors are confined to their company. In the edition with several storefronts,
// administrators who have a CompanyID and are not root are confined to that storefront.
// The edition is known in requests, and in contexts that [API.Confine] returns.
func (u *User) IsConfined() bool { return u.IsVendor() || u != nil && u.Confined }

// key identifies the user with the privileges in the response cache.
func (u *User) key() respcache.UserKey {
	return respcache.UserKeyOf(u.Privileges, FormatID(u.ID), FormatID(u.CompanyID),
		strconv.FormatBool(u.Root), strconv.FormatBool(u.Confined), string(u.Type), u.Name, u.Email)
}

// authorize checks the privileges of the operation, of reading each parent, and what the
// entity itself asks for (§2, §3).
func authorize(user *User, t *target) error {
	for _, step := range t.Parents {
		if !user.Can(step.Entry.Privileges.View) {
			return Forbidden(step.Entry.Privileges.View)
		}
	}
	if needed := t.Entry.Privileges.privilege(t.op); !user.Can(needed) {
		return Forbidden(needed)
	}
	if t.Entry.authorize == nil {
		return nil
	}
	return t.Entry.authorize.Authorize(user, t.op, t.route().Parents)
}

type userContextKey struct{}

// WithUser returns a context in which Go calls are made on behalf of u. The API
// does this for every request.
func WithUser(ctx context.Context, u *User) context.Context {
	return context.WithValue(ctx, userContextKey{}, u)
}

// AsHost returns a context in which Go calls act for the host itself, confined to no
// company. It has neither the user of ctx nor the storefront of a nested address.
func AsHost(ctx context.Context) context.Context {
	return context.WithValue(WithUser(ctx, nil), companyKey{}, nil)
}

// UserFrom returns the user that ctx acts for, nil for the host itself.
func UserFrom(ctx context.Context) *User {
	u, _ := ctx.Value(userContextKey{}).(*User)
	return u
}

// OnKeyUse has record called when an API key, named by its [User.KeyID], is used for the
// first time on a day, and again after an error, which is logged. The day is given by its
// start in UTC. Each process calls record, and calls it again after a restart. Call OnKeyUse
// before the first request.
//
//go:noinline
func (a *API) OnKeyUse(record func(ctx context.Context, keyID string, day time.Time) error) {
	partsOf(a).keyUses.Record = record
}

// noteKeyUse notes that a key was used. A failure is only logged.
func (a *API) noteKeyUse(ctx context.Context, reads *driver.ReadSet, keyID string) {
	if err := partsOf(a).keyUses.Note(ctx, a.opts.Clock, reads, keyID); err != nil {
		a.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "the use of an API key could not be stored", slog.String("error", err.Error()))
	}
}

// ErrNoUserByID is the error of [API.UserByID] without [Options.UserByID].
var ErrNoUserByID = errors.New("shopapi: Options.UserByID is missing: it is needed to act for users between their requests")

// UserByID returns a user with the present privileges, for streams, webhooks and jobs that
// act for the user between requests. It returns [ErrNotFound] for a user who was deleted or
// disabled or has no access to the API, and [ErrNoUserByID].
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
	if err := a.checkCompany(user); err != nil {
		return nil, fmt.Errorf("Options.UserByID: %w", err)
	}
	return a.confine(user), nil
}
