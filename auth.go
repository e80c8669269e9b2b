package shopapi

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/basicauth"
	"github.com/shopapi/shopapi/internal/loginlimit"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/store"
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

// An Authenticator tells which user credentials belong to. A host that has users of its
// own gives one; package users has one over the users entity.
type Authenticator interface {
	// Authenticate returns the user, [ErrBadCredentials] for an unknown e-mail, a
	// wrong key, a disabled user and one without API access alike, or another
	// error when it cannot tell. It takes the same time for each, and compares
	// e-mails without regard to case and surrounding space.
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
type refuseAll struct{}

func (refuseAll) Authenticate(context.Context, Credentials) (*User, error) {
	return nil, ErrBadCredentials
}

// identify is the first half of the check of credentials, before the response
// cache: whether the host knows the user of the request, or the Authorization
// header is that of a cached user.
func (a *API) identify(p *pipeline) error {
	if a.opts.Identify != nil {
		ctx, cancel := p.context()
		defer cancel()
		user, err := a.opts.Identify(p.req.WithContext(ctx))
		switch {
		case err != nil:
			return identifyError(err)
		case user != nil && user.Type == Customer:
			return unauthorized("Customers have no access to the API.")
		case user != nil:
			user = a.confine(user)
			p.identified(user, a.keyOf(user))
			return nil
		}
	}
	if user, key, ok := a.cache.User(p.req.Header); ok {
		p.identified(user, key)
	}
	return nil
}

// identifyError is the error of a request whose user could not be identified.
// Only errors that are meant for the client have a status of their own.
func identifyError(err error) error {
	var told *Error
	switch {
	case errors.As(err, &told), errors.Is(err, store.ErrUnavailable),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("Options.Identify: %v", err) // not %w: what it wraps has no say
}

// authenticate is the second half: Basic credentials, 401 and 429 (§3).
func (a *API) authenticate(ctx context.Context, p *pipeline) error {
	credentials, err := credentialsOf(p.req.Header)
	if err != nil {
		return err
	}
	try, wait := a.limiter.Begin(a.attempt(p.req, credentials), a.opts.Clock())
	if wait > 0 {
		return tooManyAttempts(wait)
	}
	defer try.Cancel()
	ctx, lookup := a.cache.Lookup(ctx)
	user, err := a.opts.Authenticator.Authenticate(ctx, credentials)
	switch {
	case errors.Is(err, ErrBadCredentials), err == nil && (user == nil || user.Type == Customer):
		wait := try.Failed(a.opts.Clock())
		a.refusals.Wait(lookup.Began)
		if wait > 0 {
			return tooManyAttempts(wait)
		}
		return errWrongCredentials
	case err != nil:
		return err
	}
	try.Succeeded()
	user = a.confine(user)
	key := a.keyOf(user)
	p.identified(user, key)
	a.cache.PutUser(p.req.Header, lookup, user, key, user.size())
	return nil
}

// attempt is what the login limiter counts. An e-mail has the form in which it is
// looked up, so that no spelling of it has a limit of its own.
func (a *API) attempt(req *http.Request, c Credentials) loginlimit.Attempt {
	email := store.Fold(strings.TrimSpace(c.Email))
	addr, shared := a.clientOf(req)
	return loginlimit.Attempt{
		Address:     addr,
		Shared:      shared,
		Email:       email,
		Credentials: sha256.Sum256([]byte(email + "\x00" + c.Key)),
	}
}

func tooManyAttempts(wait time.Duration) error {
	return &Error{
		Status:     http.StatusTooManyRequests,
		Message:    "Too many wrong credentials. Try again later.",
		retryAfter: wait,
	}
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

// A UserCacher is an [Authenticator] whose users may be cached: one that depends
// only on the credentials and on rows of a store. A user is cached until one
// of these tables changes, whichever process changes it; where the store is not
// [driver.Versioned], for half a second.
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
	if !a.cache.Enabled() {
		return respcache.UserKey{}
	}
	return u.key()
}

// size is the number of bytes that a cached user takes.
func (u *User) size() int64 {
	const perUser, perPrivilege = 512, 64
	size := perUser + len(u.Name) + len(u.Email)
	for name := range u.Privileges {
		size += perPrivilege + len(name)
	}
	return int64(size)
}

// ClientAddress returns the address of the client that sent a request (§10): that of
// the connection or, when it comes from a trusted proxy, the last address in
// [Options.ProxyHeader] that is not a trusted proxy. It is the zero Addr when the server
// does not know the address.
func (a *API) ClientAddress(req *http.Request) netip.Addr {
	addr, _ := a.proxies.Client(req)
	return addr
}

// clientOf returns the address of the client, and whether many clients may have it. It
// logs once that a proxy is not named in the options. Where the host names no proxy at all,
// headers of proxies prove nothing: the address counts as one client.
func (a *API) clientOf(req *http.Request) (addr netip.Addr, shared bool) {
	addr, shared = a.proxies.Client(req)
	if !a.proxies.Unnamed(addr, req.Header) {
		return addr, shared
	}
	a.warnOfProxy.Do(func() {
		a.opts.Logger.LogAttrs(context.WithoutCancel(req.Context()), slog.LevelWarn,
			"requests seem to come through a proxy that Options.TrustedProxies does not name: its clients share one limit of wrong credentials",
			slog.String("address", addr.String()))
	})
	return addr, len(a.opts.TrustedProxies) > 0 || a.opts.ProxyHeader != ""
}

// An Authorizer is an [Entity] that not everyone with its privileges reaches at
// every address, as discussions are closed to vendors but under products (§10).
type Authorizer interface {
	// Authorize is asked at the privilege check, before body and parents are read.
	// It returns nil, or the 403 of the response. Parents are the names
	// of the entities that the address passes through, outermost first.
	Authorize(user *User, op Operation, parents []string) error
}

// authorize is the privilege check: that of the operation, of reading
// each parent, and what the entity itself asks for (§2, §3).
func authorize(user *User, t *target) error {
	for _, step := range t.parents {
		if !user.Can(step.entry.Privileges.View) {
			return forbidden(step.entry.Privileges.View)
		}
	}
	if needed := t.entry.Privileges.privilege(t.op); !user.Can(needed) {
		return forbidden(needed)
	}
	if t.entry.authorize == nil {
		return nil
	}
	return t.entry.authorize(user, t.op, t.route().Parents)
}

func forbidden(privilege string) error {
	return Errorf(http.StatusForbidden, "Your user groups do not have the privilege %s.", privilege)
}

// A UserType tells administrators, vendors and customers apart (§3).
type UserType string

// The types of users.
const (
	Administrator UserType = "A"
	Vendor        UserType = "V"
	Customer      UserType = "C"
)

// A User makes requests, as an [Authenticator] or [Options.Identify] tells. It is
// shared between requests and does not change.
//
// A nil *User is the host's own Go code: it may do everything.
type User struct {
	ID         int64
	Name       string
	Email      string
	Type       UserType
	Root       bool // may do everything
	CompanyID  int64
	Privileges map[string]bool // those of the user's groups

	// Confined says that the user sees and touches the rows of CompanyID alone, as
	// vendors do in any case. The API sets it for administrators of one storefront.
	Confined bool
}

// LogValue is what a log shows of a user: who it is, without name and e-mail
// address.
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

// IsConfined reports whether the user sees and touches the rows of one company alone
// (§11): a vendor and, in the edition with several storefronts, an administrator of
// one of them, who has its CompanyID and is not root. Outside of a request the latter
// is known only in a context that [API.Confine] returned.
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

// Confine returns a context whose user is confined as the API's edition has it
// ([User.IsConfined]). Requests, and the collections of package resource, do this
// themselves; an entity of another kind does it in what Go code calls with a context of
// its own.
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

// CompanyOf returns the company whose rows alone may be seen and touched in ctx: that
// of a user who [User.IsConfined], or the storefront that a nested address leads
// through (§11).
func CompanyOf(ctx context.Context) (company int64, confined bool) {
	if u := UserFrom(ctx); u.IsConfined() {
		return u.CompanyID, true
	}
	company, confined = ctx.Value(companyKey{}).(int64)
	return company, confined
}

type companyKey struct{}

// enterCompany confines ctx to the company that a parent is, if it is one. For a
// user who is confined there is no other than the user's own.
func enterCompany(ctx context.Context, parent step) (context.Context, error) {
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
	return context.WithValue(ctx, companyKey{}, id), nil
}

// newCrossOrigin returns the check of writes that browsers send, which trusts the
// pages of the given origins. [Options.Validate] has looked at them.
func newCrossOrigin(trusted []string) *http.CrossOriginProtection {
	c := http.NewCrossOriginProtection()
	for _, origin := range trusted {
		if err := c.AddTrustedOrigin(origin); err != nil {
			panic(err)
		}
	}
	return c
}

// checkOrigin refuses a write that a browser sends from another site, with
// whatever credentials it holds for this one: a form there needs no script and no
// permission (§2). Programs send neither Sec-Fetch-Site nor Origin, and pass.
func (a *API) checkOrigin(req *http.Request) error {
	if a.crossOrigin.Check(req) == nil {
		return nil
	}
	return Errorf(http.StatusForbidden, "Changes are not accepted from pages of another site. Its origin has to be trusted by this service.")
}
