package shopapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/shopapi/shopapi/store/driver"
)

// Credentials are what a client sends with every request: the e-mail address of
// a user and his API key.
type Credentials struct {
	Email string
	Key   string
}

// String hides the key, so that credentials cannot reach a log by accident.
func (c Credentials) String() string { return fmt.Sprintf("credentials of %q", c.Email) }

// GoString is [Credentials.String].
func (c Credentials) GoString() string { return c.String() }

// An Authenticator tells who credentials belong to. A host that has users of its
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

// nobody is the Authenticator of an API that was given none.
type nobody struct{}

func (nobody) Authenticate(context.Context, Credentials) (*User, error) {
	return nil, ErrBadCredentials
}

// authenticate is the first check of the road: 401 and 429 (§3).
func (a *API) authenticate(ctx context.Context, req *http.Request) (*User, error) {
	proof := sha256.Sum256([]byte(req.Header.Get("Authorization")))
	if user, ok := a.memory.userOf(proof); ok && len(req.Header["Authorization"]) == 1 {
		return user, nil
	}
	credentials, err := credentialsOf(req.Header)
	if err != nil {
		return nil, a.unauthorized("Send the header Authorization: Basic with the e-mail address of a user and his API key.")
	}
	attempt := attempt{
		address: a.ClientAddress(req),
		email:   sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(credentials.Email)))),
		proof:   proof,
	}
	if wait, blocked := a.guard.blocked(attempt, a.opts.Clock()); blocked {
		return nil, &Error{
			Status:     http.StatusTooManyRequests,
			Message:    "Too many wrong credentials. Try again later.",
			retryAfter: wait,
		}
	}
	trace, asked := &driver.ReadSet{}, time.Now()
	user, err := a.opts.Authenticator.Authenticate(driver.WithReadSet(ctx, trace), credentials)
	switch {
	case errors.Is(err, ErrBadCredentials), err == nil && (user == nil || user.Type == Customer):
		a.guard.failed(attempt, a.opts.Clock())
		return nil, a.unauthorized("The e-mail address or the API key is wrong.")
	case err != nil:
		return nil, err
	}
	a.guard.proved(attempt)
	a.memory.keepUser(proof, user, trace, asked)
	return user, nil
}

func (a *API) unauthorized(message string) error {
	return &Error{Status: http.StatusUnauthorized, Message: message}
}

// credentialsOf reads the one Authorization header of a request.
func credentialsOf(h http.Header) (Credentials, error) {
	values := h["Authorization"]
	if len(values) != 1 {
		return Credentials{}, ErrBadCredentials
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Basic") {
		return Credentials{}, ErrBadCredentials
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(token))
	if err != nil {
		return Credentials{}, ErrBadCredentials
	}
	email, key, ok := strings.Cut(string(plain), ":")
	if !ok {
		return Credentials{}, ErrBadCredentials
	}
	return Credentials{Email: email, Key: key}, nil
}

// An Authorizer is an [Entity] that not everyone with its privileges reaches at
// every address, as discussions are closed to sellers but under products (§10).
type Authorizer interface {
	// Authorize is asked at the privilege check, before body and parents are read.
	// It returns nil, or the 403 that answers the request. Parents are the names
	// of the entities that the address passes through, outermost first.
	Authorize(user *User, op Operation, parents []string) error
}

// authorize is the privilege check of the road: that of the operation, of reading
// each parent, and what the entity itself asks for (§2, §3).
func authorize(user *User, t *target) error {
	var parents []string
	for _, step := range t.parents {
		if !user.Can(step.entry.Privileges.View) {
			return forbidden(step.entry.Privileges.View)
		}
		parents = append(parents, step.entry.Name)
	}
	if needed := t.entry.Privileges.privilege(t.op); !user.Can(needed) {
		return forbidden(needed)
	}
	if t.entry.authorize == nil {
		return nil
	}
	return t.entry.authorize(user, t.op, parents)
}

func forbidden(privilege string) error {
	return Errorf(http.StatusForbidden, "Your user groups do not have the privilege %s.", privilege)
}
