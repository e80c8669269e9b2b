package shop_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// A pair is two handlers over one database, one of them with a response cache. Their
// responses must always be equal.
type pair struct {
	t               *testing.T
	caching, asking *apitest.Shop
	random          *rand.Rand
	clients         []login
}

type login struct{ email, key string }

func newPair(t *testing.T, st store.Store, seed uint64) *pair {
	t.Helper()
	options := func(cacheBytes int64) *shop.Options {
		o := &shop.Options{}
		o.Edition = shopapi.MultiVendor
		o.Limits.CacheBytes = cacheBytes
		o.Limits.LoginFailures = 1_000_000 // disabled users go on sending requests
		return o
	}
	p := &pair{t: t, random: rand.New(rand.NewPCG(seed, seed))}
	p.caching = apitest.NewWithStore(t, st, options(1<<20))
	plain, err := shop.New(t.Context(), st, func() *shop.Options {
		o := options(-1)
		o.Clock = p.caching.Clock.Now
		return o
	}())
	if err != nil {
		t.Fatal(err)
	}
	p.asking = &apitest.Shop{Shop: plain, Fixture: &apitest.Fixture{Client: &apitest.Client{T: t, Handler: plain}}}
	p.clients = []login{{apitest.RootEmail, p.caching.Key}}
	return p
}

// addPeople creates a vendor and an administrator with few privileges.
func (p *pair) addPeople() {
	ctx, u := p.t.Context(), p.caching.Users
	if err := p.caching.Companies.Ensure(ctx, 2); err != nil {
		p.t.Fatal(err)
	}
	group, err := u.Groups().Create(ctx, users.Group{Type: shopapi.Administrator, Status: users.Active, Name: "Desk"})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, person := range []users.Summary{
		{Email: "vendor@example.com", UserType: shopapi.Vendor, CompanyID: 2},
		{Email: "desk@example.com", UserType: shopapi.Administrator},
	} {
		created, err := u.Create(ctx, users.User{Summary: person}, "")
		if err != nil {
			p.t.Fatal(err)
		}
		if err := u.SetMembership(ctx, created.UserID, group.UsergroupID, users.Member); err != nil {
			p.t.Fatal(err)
		}
		key, err := u.GenerateKey(ctx, created.UserID)
		if err != nil {
			p.t.Fatal(err)
		}
		p.clients = append(p.clients, login{person.Email, key})
	}
}

// reads are addresses whose responses depend on each other's rows.
var reads = []string{
	"/api/2.0/categories", "/api/categories/%d", "/api/categories?page=1&items_per_page=3",
	"/api/products", "/api/products/%d", "/api/categories/%d/products?subcats=Y", "/api.php?_d=products&cid=%d",
	"/api/discussions?status=A&items_per_page=3", "/api/discussions?period=D", "/api/discussions?period=HH",
	"/api/products/%d/discussions", "/api/discussions/%d",
	"/api/call_requests", "/api/call_requests?sort_by=user", "/api/call_requests/%d",
	"/api/options?product_id=%d", "/api/options/%d", "/api/products/%d/options", "/api/combinations?product_id=%d",
	"/api/exceptions?product_id=%d", "/api/users", "/api/users/%d", "/api/usergroups", "/api/users/%d/usergroups",
}

// compare sends some requests to both handlers, twice each, so that the second response
// is cached.
func (p *pair) compare(n int) {
	p.t.Helper()
	for range n {
		address := reads[p.random.IntN(len(reads))]
		if strings.Contains(address, "%d") {
			address = fmt.Sprintf(address, 1+p.random.IntN(6))
		}
		client := p.clients[p.random.IntN(len(p.clients))]
		accept := [...]string{"", "application/json", "text/plain"}[p.random.IntN(3)]
		for range 2 {
			got := p.caching.As(client.email, client.key).Accepting(accept).Get(address)
			want := p.asking.As(client.email, client.key).Accepting(accept).Get(address)
			if diff := cmp.Diff(want.Body, got.Body); diff != "" || want.Status != got.Status || want.Header.Get("X-Total-Count") != got.Header.Get("X-Total-Count") {
				p.t.Fatalf("%s asked %s: %d without the cache, %d with (-without +with):\n%s", client.email, address, want.Status, got.Status, diff)
			}
		}
	}
}

// change makes one random change through one of the handlers. A refused one must change
// nothing.
func (p *pair) change() {
	s := p.caching
	if p.random.IntN(2) == 0 {
		s = p.asking
	}
	client := p.clients[0]
	if p.random.IntN(4) == 0 {
		client = p.clients[p.random.IntN(len(p.clients))]
	}
	send(s.As(client.email, client.key), p.random)
	if p.random.IntN(10) == 0 {
		p.caching.Clock.Advance(time.Duration(p.random.IntN(20)) * time.Hour)
	}
}

// send sends one random change.
func send(c *apitest.Client, random *rand.Rand) {
	id := func() int { return 1 + random.IntN(6) }
	switch random.IntN(17) {
	case 0, 1:
		c.Post("/api/categories", fmt.Sprintf(`{"category": "C%d", "parent_id": %d, "company_id": %d}`, random.IntN(100), random.IntN(4), 1+random.IntN(2)))
	case 2:
		c.Put(fmt.Sprintf("/api/categories/%d", id()), fmt.Sprintf(`{"parent_id": %d, "status": "%c"}`, random.IntN(4), "ADH"[random.IntN(3)]))
	case 3, 4:
		c.Post("/api/products", fmt.Sprintf(`{"product": "P%d", "category_ids": [%d], "company_id": %d}`, random.IntN(100), id(), 1+random.IntN(2)))
	case 5:
		c.Put(fmt.Sprintf("/api/products/%d", id()), fmt.Sprintf(`{"price": "%d.50", "category_ids": "%d,%d", "tracking": "%c"}`, random.IntN(50), id(), id(), "BO"[random.IntN(2)]))
	case 6, 7:
		c.Post("/api/discussions", fmt.Sprintf(`{"object_type": "P", "object_id": %d, "message": "m%d", "rating_value": %d}`, id(), random.IntN(100), random.IntN(7)))
	case 8:
		c.Put(fmt.Sprintf("/api/discussions/%d", id()), fmt.Sprintf(`{"status": "%c"}`, "AD"[random.IntN(2)]))
	case 9:
		c.Post("/api/call_requests", fmt.Sprintf(`{"phone": "%d", "product_id": %d, "user_id": %d}`, random.IntN(100), random.IntN(4), random.IntN(3)))
	case 10:
		c.Post("/api/exceptions", fmt.Sprintf(`{"product_id": %d, "combination": {"%d": "%d"}}`, id(), id(), id()))
	case 11:
		entity := [...]string{"categories", "products", "discussions", "call_requests", "exceptions", "options"}[random.IntN(6)]
		c.Delete(fmt.Sprintf("/api/%s/%d", entity, id()))
	case 12:
		c.Put(fmt.Sprintf("/api/users/%d", 2+random.IntN(2)), fmt.Sprintf(`{"firstname": "F%d", "status": "%s"}`, random.IntN(9), [...]string{"A", "A", "D"}[random.IntN(3)]))
	case 13:
		c.Put("/api/usergroups/3", [...]string{
			`{"privileges": ["view_catalog", "manage_catalog", "view_discussions"]}`, `{"privileges": ["view_call_requests", "view_catalog"]}`,
			`{"privileges": []}`, `{"status": "D"}`, `{"status": "A"}`,
		}[random.IntN(5)])
	case 14:
		c.Post("/api/options", fmt.Sprintf(`{"product_id": %d, "option_name": "O%d", "variants": [{"variant_name": "a"}, {"variant_name": "b"}]}`, id(), random.IntN(100)))
	case 15:
		c.Put(fmt.Sprintf("/api/options/%d", id()), fmt.Sprintf(`{"variants": [{"variant_id": %d}, {"variant_name": "V%d"}]}`, id(), random.IntN(100)))
	case 16:
		c.Post("/api/combinations", fmt.Sprintf(`{"product_id": %d, "combination": {"%d": "%d"}, "amount": %d}`, id(), id(), id(), random.IntN(9)))
	}
}

func TestCache_ResponsesAreNeverOlderThanTheDatabase(t *testing.T) {
	t.Parallel()
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, open(t), 7)
			p.addPeople()
			for range 300 {
				p.change()
				p.compare(4)
			}
		})
	}
}

func stores(t *testing.T) map[string]func(t *testing.T) store.Store {
	return map[string]func(t *testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"sqlite": func(t *testing.T) store.Store { return shoptest.SQLite(t) },
	}
}

func openFile(t *testing.T, path string) store.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// otherProcess is the environment variable with the file that the test binary changes as
// another process; the lines on its standard input are seeds of changes.
const otherProcess = "SHOPAPI_TEST_CHANGE_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(otherProcess); path != "" {
		os.Exit(changeFile(path))
	}
	if database := os.Getenv(mirroredDatabase); database != "" {
		os.Exit(serveMirrored(database))
	}
	os.Exit(m.Run())
}

func TestCache_ChangesOfAnotherProcessAreSeenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	p := newPair(t, openFile(t, path), 11)
	p.addPeople()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), otherProcess+"="+path, "SHOPAPI_TEST_KEY="+p.clients[0].key)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 1)
	for i := range 150 {
		if i%3 == 0 {
			p.change()
		} else {
			if _, err := fmt.Fprintln(in, i); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(answer); err != nil {
				t.Fatalf("the other process ended: %v", err)
			}
		}
		p.compare(4)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
}

// changeFile is the other process: for each seed it makes a change and then writes a
// byte.
func changeFile(path string) int {
	t := &inert{}
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer st.Close()
	o := &shop.Options{}
	o.Edition = shopapi.MultiVendor
	s, err := shop.New(t.Context(), st, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	client := &apitest.Client{T: t, Handler: s, Email: apitest.RootEmail, Key: os.Getenv("SHOPAPI_TEST_KEY")}
	var line string
	for {
		if _, err := fmt.Scanln(&line); err != nil {
			return 0
		}
		seed, err := strconv.ParseUint(line, 10, 64)
		if err != nil {
			return 1
		}
		send(client, rand.New(rand.NewPCG(seed, 3)))
		fmt.Print("x")
	}
}

// An inert replaces the testing.TB in the other process.
type inert struct{ testing.TB }

func (*inert) Context() context.Context { return context.Background() }
func (*inert) Helper()                  {}
