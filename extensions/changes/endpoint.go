package changes

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi"
)

// The media type of event streams.
const eventStream = "text/event-stream"

// Limits of the parameters of GET /changes.
const (
	defaultLimit = 100
	maxWait      = 60 // seconds
)

// register adds the address of the log to the API.
func (l *Log) register() error {
	return l.api.RegisterEndpoint(shopapi.Endpoint{
		Address: "changes",
		Methods: map[string]shopapi.Method{http.MethodGet: {
			Serve:      l.serve,
			MediaTypes: []string{eventStream},
			Unlimited:  true,
			Summary:    "What changed after a position of the change log",
			Parameters: map[string]string{
				"since":   "The position after which the changes begin, as last_seq or seq told it; 0 is the oldest change that is kept, now (the default) the newest.",
				"limit":   "How many changes to answer at most, 1 to 1000; 100 by default.",
				"wait":    "How many seconds to wait where there is nothing yet, 0 to 60.",
				"entity":  "Names of entities, joined by commas: changes of others are left out.",
				"op":      "created, updated or deleted, several joined by commas.",
				"include": "object: what GET of each object answers now, null where that is nothing.",
			},
			Answer: reflect.TypeFor[described](),
		}},
	})
}

// An answer is the body of the response to GET /changes.
type answer struct {
	Changes []any  `json:"changes"` // of type Change or ChangeWithObject
	LastSeq string `json:"last_seq"`
	Pending *int64 `json:"pending"` // nil where the user may not see it
}

// described is the answer as the OpenAPI document describes it.
type described struct {
	Changes []describedChange `json:"changes"`  // in the order of their commits
	LastSeq string            `json:"last_seq"` // position of the last change that was looked at: the since of the next request
	Pending *int64            `json:"pending"`  // changes beyond it; null to all but root administrators
}

// A describedChange is a change with include=object, or without.
type describedChange struct {
	Change
	Object any `json:"object,omitempty"` // with include=object: null where it is gone or the user may not see it
}

// A ChangeWithObject is a change beside what GET of the object answers now.
type ChangeWithObject struct {
	Change
	Object any `json:"object"` // with include=object: null where it is gone or the user may not see it
}

// A query is what a request for changes asks.
type query struct {
	Filter
	since  string
	from   string // the name of the parameter or header that since is of
	limit  int
	wait   time.Duration
	object bool
}

// serve answers GET /changes.
func (l *Log) serve(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	q, err := l.parse(r)
	if err != nil {
		return nil, err
	}
	if r.MediaType == eventStream {
		return l.serveStream(ctx, r, q)
	}
	ctx, cancel := context.WithTimeout(ctx, q.wait+l.api.Limits().Time)
	defer cancel()
	p, user, err := l.await(ctx, r, q)
	if err != nil {
		return nil, responseTo(err, q)
	}
	ctx = shopapi.WithUser(ctx, user)
	body := answer{Changes: make([]any, len(p.Changes)), LastSeq: p.LastSeq}
	if user.Root && !user.IsConfined() {
		body.Pending = &p.Pending
	}
	for i, c := range p.Changes {
		if body.Changes[i], err = l.encodable(ctx, c, q); err != nil {
			return nil, err
		}
	}
	return &shopapi.Response{Body: body}, nil
}

// await reads the changes that a query asks for, and waits where there are none yet. It
// returns the user whose privileges of that moment it used.
func (l *Log) await(ctx context.Context, r *shopapi.EndpointRequest, q *query) (Page, *shopapi.User, error) {
	user, at := r.User, q.since
	end := time.Now().Add(q.wait)
	var waiting bool
	read := l.Page
	var last Page
	for {
		p, err := read(shopapi.WithUser(ctx, user), at, q.Filter, q.limit)
		if waiting && ctx.Err() != nil {
			return last, user, nil // the client is gone, or the server ends
		}
		last = p
		left := time.Until(end)
		if err != nil || len(p.Changes) > 0 || p.Pending > 0 || q.since == Now || left <= 0 {
			return p, user, err
		}
		at = p.LastSeq
		if !waiting {
			leave, err := r.EnterWait()
			if err != nil {
				return p, user, err
			}
			defer leave()
			defer l.enter()()
			waiting = true
		}
		timer := time.NewTimer(left)
		l.wait(ctx, at, timer.C, nil)
		timer.Stop()
		read = l.next
		if now, err := r.Identify(ctx); err == nil {
			user = now
		} else if ctx.Err() == nil {
			return p, nil, err
		}
	}
}

// encodable returns a change as it is sent.
func (l *Log) encodable(ctx context.Context, c Change, q *query) (any, error) {
	if !q.object {
		return c, nil
	}
	object, err := l.object(ctx, &c)
	return ChangeWithObject{c, object}, err
}

// object returns what GET of the changed object answers now, nil where that is nothing
// that the user may see.
func (l *Log) object(ctx context.Context, c *Change) (any, error) {
	if c.ID == Every {
		return nil, nil
	}
	for _, segments := range l.addressesOf(c) {
		object, err := l.api.LookupAt(ctx, segments...)
		var e *shopapi.Error
		switch {
		case err == nil:
			return object, nil
		case errors.Is(err, shopapi.ErrNotRegistered):
		case errors.As(err, &e) && e.Status < http.StatusInternalServerError:
		default:
			return nil, err
		}
	}
	return nil, nil
}

// responseTo returns the response to an error of Page.
func responseTo(err error, q *query) error {
	var gone *GoneError
	if !errors.As(err, &gone) {
		return err
	}
	return &shopapi.Error{
		Status: http.StatusGone,
		Message: "The change log does not have what follows " + q.from + ". Read everything again: ask for last_seq with since=now, " +
			"read the lists, then ask for the changes since that position. first_seq is the oldest change that is kept; since=0 begins with it.",
		Members: shopapi.Map{{Name: "first_seq", Value: gone.FirstSeq}},
	}
}

// parse reads the parameters of a request. The error is a 400 that names each parameter
// at fault, or the 403 of a user who may view none of the entities.
func (l *Log) parse(r *shopapi.EndpointRequest) (*query, error) {
	var problems shopapi.Problems
	q := &query{since: r.Filter.Get("since"), from: "since", limit: defaultLimit}
	if id := r.Header.Get("Last-Event-ID"); r.MediaType == eventStream && id != "" {
		q.since, q.from = id, "Last-Event-ID"
	}
	if q.since == "" {
		q.since = Now
	}
	number := func(name string, low, high int, into *int) {
		text := r.Filter.Get(name)
		if text == "" {
			return
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			problems.Add(name, "must be a whole number from %d to %d, not %s", low, high, quoted(text))
			return
		}
		*into = n
	}
	var wait int
	number("limit", 1, maxPage, &q.limit)
	number("wait", 0, maxWait, &wait)
	q.wait = time.Duration(wait) * time.Second
	q.Entities = oneOf(&problems, r, "entity", l.entities(), func(word string) string { return NameProblem(l.api, word) })
	q.Operations = oneOf(&problems, r, "op", []string{Created, Updated, Deleted}, nil)
	q.object = len(oneOf(&problems, r, "include", []string{"object"}, nil)) > 0
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if !l.mayAsk(r.User, q) {
		return nil, shopapi.Errorf(http.StatusForbidden, "Your user groups do not have the privilege to view %s.", strings.Join(q.Entities, ", "))
	}
	return q, nil
}

// mayAsk reports whether a user may view one of the entities that a query names.
func (l *Log) mayAsk(user *shopapi.User, q *query) bool {
	return len(q.Entities) == 0 || slices.ContainsFunc(q.Entities, func(name string) bool { return l.api.MayView(user, name, "") })
}

// oneOf reads a parameter with names that are joined by commas, or repeated. explain, which may
// be nil, returns the problem of a name that is not allowed, "" for the general one.
func oneOf(problems *shopapi.Problems, r *shopapi.EndpointRequest, name string, allowed []string, explain func(word string) string) (chosen []string) {
	for _, value := range r.Filter[name] {
		for word := range strings.SplitSeq(value, ",") {
			word = strings.TrimSpace(word)
			switch {
			case word == "":
			case slices.Contains(allowed, word):
				chosen = append(chosen, word)
			case explain != nil && explain(word) != "":
				problems.Add(name, "%s", explain(word))
			default:
				problems.Add(name, "must be one or more of %s, not %s", strings.Join(allowed, ", "), quoted(word))
			}
		}
	}
	return chosen
}

// entities returns the names of the entities whose changes the log has, sorted.
func (l *Log) entities() []string {
	l.namesOnce.Do(func() {
		l.names, l.addresses = EntityNames(l.api), map[[2]string]string{}
		for _, p := range l.api.EntityPaths() {
			if p.OnlyHere && p.LoggedAs != "" {
				l.addresses[[2]string{p.Parents[len(p.Parents)-1].Name, p.LoggedAs}] = p.Name
			}
		}
	})
	return l.names
}

// EntityNames returns the names of the entities whose changes the log of an API has,
// sorted. All entities are registered before the call.
func EntityNames(api *shopapi.API) []string {
	var names []string
	for _, p := range api.EntityPaths() {
		if name := p.LogName(); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// NameProblem returns why [EntityNames] lacks a name: the log has the changes of the entity under
// another name, which the problem says (extensions E4). It is "" for unknown names.
func NameProblem(api *shopapi.API, entity string) string {
	for _, p := range api.EntityPaths() {
		if p.Name == entity && p.LoggedAs != "" && p.LoggedAs != entity {
			return "must not name " + entity + ": its changes are told as " + p.LoggedAs
		}
	}
	return ""
}
