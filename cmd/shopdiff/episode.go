package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// poolSize is how many requests an episode compares after each change. It replaces some of
// them by others, and sends the rest again after the next change.
const poolSize = 50

// aboutEntities is how many entities most requests of an episode are about, so that changes
// and responses meet.
const aboutEntities = 4

// An episode is a shop that lives for some comparisons. Everything in it follows from its
// seed, except for keys.
type episode struct {
	seed           uint64
	edition, store string
	compare        int
	dsn            string   // of a PostgreSQL server
	standbys       []string // the DSNs of its standbys
	entities       []string // that most requests are about; none for random ones
	wrap           func(store.Store) store.Store

	random  *mathrand.Rand
	path    string // of the file of SQLite, or the DSN of the schema in PostgreSQL
	clock   clock
	caching *handle // its responses are compared
	beside  *handle // changes rows too, and has caches of its own
	process *process

	replicated *postgres.Store       // of caching, nil for other stores
	people     []login               // the root user first
	about      []shopapi.Description // entities that most requests are about
	ids        ids
	pool       []request
	figures    figures
}

// arguments are the flags that repeat the episode.
func (e *episode) arguments() string {
	list := fmt.Sprintf("-edition %s -store %s -seed %d -compare %d", e.edition, e.store, e.seed, e.compare)
	if len(e.standbys) > 0 {
		list += fmt.Sprintf(" -replicas %d", len(e.standbys))
	}
	if len(e.entities) > 0 {
		list += " -entities " + strings.Join(e.entities, ",")
	}
	return list
}

func (e *episode) run(ctx context.Context) (_ figures, err error) {
	e.figures = figures{episodes: 1, changes: map[string]int{}}
	e.random = mathrand.New(mathrand.NewPCG(e.seed, e.seed))
	e.ids = ids{}
	dir, remove, err := temporary()
	if err != nil {
		return e.figures, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	e.path = filepath.Join(dir, "shop.db")
	if e.store == "postgres" {
		if err := e.makeSchema(ctx); err != nil {
			return e.figures, err
		}
		defer func() { err = errors.Join(err, e.dropSchema()) }()
	}
	if err := e.open(ctx); err != nil {
		return e.figures, errors.Join(err, e.close())
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if err := e.fill(ctx); err != nil {
		return e.figures, err
	}
	all := e.caching.Descriptions()
	e.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, d := range all {
		if len(e.entities) == 0 && len(e.about) < aboutEntities || slices.Contains(e.entities, d.Name) {
			e.about = append(e.about, d)
		}
	}
	if len(e.about) == 0 {
		return e.figures, fmt.Errorf("the edition %s has none of the entities %q", e.edition, e.entities)
	}
	for len(e.pool) < poolSize {
		e.pool = append(e.pool, e.read())
	}
	for e.figures.comparisons < e.compare && ctx.Err() == nil {
		if err := e.round(ctx); err != nil {
			return e.figures, err
		}
	}
	e.figures.replicated = e.replicaViews()
	return e.figures, context.Cause(ctx)
}

// open opens the store, the shop with caches, and a second shop that changes rows beside it.
func (e *episode) open(ctx context.Context) (err error) {
	st, err := e.openStore(ctx)
	if err != nil {
		return err
	}
	if replicated, ok := st.(*postgres.Store); ok {
		defer func() { e.replicated = replicated }()
	}
	if e.wrap != nil {
		st = e.wrap(st)
	}
	if e.caching, err = open(ctx, st, editions[e.edition], &e.clock, true); err != nil {
		return err
	}
	if st, err = e.openStore(ctx); err != nil {
		return err
	}
	e.beside, err = open(ctx, st, editions[e.edition], &e.clock, true)
	return err
}

// openStore opens the store once more. In memory there is only one.
func (e *episode) openStore(ctx context.Context) (store.Store, error) {
	switch {
	case e.store == "sqlite":
		return sqlite.Open(ctx, e.path, &sqlite.Options{CacheBytes: 1 << 20, Readers: 2})
	case e.store == "postgres" && e.caching == nil:
		return postgres.OpenWith(ctx, e.path, postgres.Options{Replicas: e.replicas()})
	case e.store == "postgres":
		return postgres.Open(ctx, e.path)
	case e.caching != nil:
		return shared{e.caching.st}, nil
	}
	return memory.New(), nil
}

// openAnew opens a store with the rows that are there now, and no cache. With SQLite it is
// a copy: a shop that is opened writes, which would drop the cached responses.
func (e *episode) openAnew(ctx context.Context) (store.Store, error) {
	switch e.store {
	case "memory":
		return e.openStore(ctx)
	case "postgres":
		return postgres.OpenWith(ctx, e.path, postgres.Options{NoCache: true})
	}
	copied := fmt.Sprintf("%s.%d", e.path, e.figures.comparisons)
	if _, err := e.sqlite().DB().ExecContext(ctx, "VACUUM INTO ?", copied); err != nil {
		return nil, err
	}
	st, err := sqlite.Open(ctx, copied, &sqlite.Options{CacheBytes: -1, Readers: 1})
	if err != nil {
		return nil, err
	}
	return temporaryStore{st, copied}, nil
}

// A temporaryStore removes its file when it is closed.
type temporaryStore struct {
	*sqlite.Store
	path string
}

func (s temporaryStore) Close() error { return errors.Join(s.Store.Close(), os.Remove(s.path)) }

// A shared store is closed by another handle.
type shared struct{ store.Store }

func (shared) Close() error { return nil }

func (e *episode) close() (err error) {
	err = e.process.end()
	for _, h := range []*handle{e.beside, e.caching} {
		if h != nil {
			err = errors.Join(err, h.close())
		}
	}
	return err
}

// fill makes the users of the episode and the first objects.
func (e *episode) fill(ctx context.Context) error {
	root := login{"root@example.com", rand.Text()}
	if err := users.EnsureRootKey(ctx, e.caching.st, root.email, root.key); err != nil {
		return err
	}
	e.people = []login{root}
	if c := e.caching.Companies; c != nil {
		if err := errors.Join(c.Ensure(ctx, 1), c.Ensure(ctx, 2)); err != nil {
			return err
		}
	}
	for _, all := range []bool{true, false} {
		if err := e.addStaff(ctx, all); err != nil {
			return err
		}
	}
	for range 3 {
		for _, d := range e.caching.Descriptions() {
			if err := e.send(ctx, e.caching, e.create(d), d.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// addStaff adds an administrator with some privileges and, where there are companies, a
// user of company 2 with the same.
func (e *episode) addStaff(ctx context.Context, all bool) error {
	var names []string
	for i, d := range e.caching.Descriptions() {
		if all || i%2 == 0 {
			names = append(names, d.Privileges.View, d.Privileges.Manage)
		}
	}
	privileges, err := users.NewPrivileges(names...)
	if err != nil {
		return err
	}
	group, err := e.caching.Users.Groups().Create(ctx, users.Group{
		Type: shopapi.Administrator, Status: users.Active, Name: "Staff", Privileges: privileges,
	})
	if err != nil {
		return err
	}
	e.ids.add("usergroups", fmt.Sprint(group.UsergroupID))
	people := []users.Summary{{UserType: shopapi.Administrator}}
	switch editions[e.edition] {
	case shopapi.MultiVendor:
		people = append(people, users.Summary{UserType: shopapi.Vendor, CompanyID: 2})
	case shopapi.MultiStorefront:
		people = append(people, users.Summary{UserType: shopapi.Administrator, CompanyID: 2})
	}
	for _, person := range people {
		person.Email = fmt.Sprintf("staff%d@example.com", len(e.people))
		created, err := e.caching.Users.Create(ctx, users.User{Summary: person}, "")
		if err != nil {
			return err
		}
		if err := e.caching.Users.SetMembership(ctx, created.UserID, group.UsergroupID, users.Member); err != nil {
			return err
		}
		key, err := e.caching.Users.GenerateKey(ctx, created.UserID)
		if err != nil {
			return err
		}
		e.people = append(e.people, login{person.Email, key})
		e.ids.add("users", fmt.Sprint(created.UserID))
	}
	return nil
}

// round makes one change or none, opens the shop anew, and compares responses.
func (e *episode) round(ctx context.Context) (err error) {
	what, err := e.change(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	st, err := e.openAnew(ctx)
	if err != nil {
		return err
	}
	anew, err := open(ctx, st, editions[e.edition], &e.clock, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, anew.close()) }()
	for _, at := range e.random.Perm(poolSize)[:min(poolSize, e.compare-e.figures.comparisons)] {
		if e.random.IntN(20) == 0 {
			e.pool[at] = e.read()
		}
		if err := e.compareOne(ctx, anew, e.pool[at]); err != nil {
			return fmt.Errorf("after %d comparisons, the last change being %s: %w", e.figures.comparisons, what, err)
		}
	}
	return nil
}

// compareOne sends a request to both shops.
func (e *episode) compareOne(ctx context.Context, anew *handle, r request) error {
	got := e.caching.send(ctx, r)
	cached := e.caching.cached
	want := anew.send(ctx, r)
	e.figures.comparisons++
	if cached {
		e.figures.cached++
	}
	if want.Code == 200 {
		e.figures.found++
		e.ids.learn(r, want.Body.String())
	}
	if diff := cmp.Diff(parts(want), parts(got)); diff != "" {
		return fmt.Errorf("%s (from the cache: %v) differs (- opened anew, + with caches):\n%s", r, cached, diff)
	}
	return nil
}

// parts returns the parts of a response that the episode compares.
func parts(w *httptest.ResponseRecorder) []string {
	list := []string{fmt.Sprint(w.Code), w.Body.String()}
	for name, values := range w.Header() {
		list = append(list, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(list[2:])
	return list
}
