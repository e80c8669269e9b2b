package shopapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
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
		user, err := a.hostsUser(ctx, p.req)
		if err != nil {
			return err
		}
		if user != nil {
			p.identified(user, a.keyOf(user))
			return nil
		}
	}
	if user, key, ok := a.cache.User(p.outer(), p.req.Header); ok {
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
	return a.confine(user), nil
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
	credentials, err := credentialsOf(p.req.Header)
	if err != nil {
		return err
	}
	try, wait := a.limiter.Begin(a.attempt(p.req, credentials), a.opts.Clock())
	if wait > 0 {
		return tooManyAttempts(wait)
	}
	defer try.Cancel()
	began := time.Now()
	user, key, err := a.userOf(ctx, p.req, credentials)
	switch {
	case errors.Is(err, errWrongCredentials):
		wait := try.Failed(a.opts.Clock())
		a.refusals.Wait(began)
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

// userOf returns the user of the credentials of a request, and caches it. The error is
// errWrongCredentials where there is none.
func (a *API) userOf(ctx context.Context, req *http.Request, c Credentials) (*User, respcache.UserKey, error) {
	ctx, lookup := a.cache.Lookup(ctx)
	user, err := a.opts.Authenticator.Authenticate(ctx, c)
	switch {
	case errors.Is(err, ErrBadCredentials), err == nil && (user == nil || user.Type == Customer):
		return nil, respcache.UserKey{}, errWrongCredentials
	case err != nil:
		return nil, respcache.UserKey{}, err
	}
	a.noteKeyUse(req.Context(), lookup.Reads, user.KeyID)
	user = a.confine(user)
	key := a.keyOf(user)
	a.cache.PutUser(req.Header, lookup, user, key, user.size())
	return user, key, nil
}

// attempt is the attempt that the login limiter counts. The e-mail is normalized, so that
// no spelling of it has a separate limit.
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

// A UserCacher is an [Authenticator] that allows caching: its users depend only on the
// credentials and on rows of a store. A user is cached until one of these
// tables changes, whichever process changes it; if the store is neither a [driver.Versioned] nor a
// [driver.Asked], for half a second.
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
