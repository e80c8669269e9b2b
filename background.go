package shopapi

import (
	"context"
	"errors"
	"sync"
)

// background are the functions that run beside requests.
type background struct {
	functions []func(context.Context)
	ctx       context.Context // ends with [API.Shutdown]
	end       context.CancelFunc
	running   sync.WaitGroup
}

// Background adds a function that runs beside requests, such as a sender of webhooks.
// It runs once, from [API.Start] on. Its context ends with [API.Shutdown], which waits until
// the function has returned. Call Background before Start.
func (a *API) Background(run func(ctx context.Context)) {
	a.background.functions = append(a.background.functions, run)
}

// Start begins what runs beside requests, such as the sending of webhooks. The first
// request starts it too; a host calls Start so that it does not wait for a request. All
// entities are registered before. Start returns the error of [API.Check]. Further calls do
// nothing and return the same.
func (a *API) Start() error {
	a.start.Do(func() {
		a.serving.Store(true)
		if a.misconfigured = a.Check(); a.misconfigured != nil {
			return
		}
		a.mu.Lock() // a Shutdown before or after it sees all of the functions
		defer a.mu.Unlock()
		if a.closing {
			return
		}
		for _, run := range a.background.functions {
			a.background.running.Go(func() { run(a.background.ctx) })
		}
	})
	return a.misconfigured
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
