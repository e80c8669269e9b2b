package changes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// staff are users whose rights a test can change. Every key is "key".
type staff struct {
	mu    sync.Mutex
	users map[string]*shopapi.User
}

func (s *staff) Authenticate(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[c.Email]; u != nil {
		return u, nil
	}
	return nil, shopapi.ErrBadCredentials
}

func (s *staff) set(email string, u *shopapi.User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[email] = u
}

func newStaff() *staff {
	may := func(names ...string) map[string]bool {
		return maps.Collect(func(yield func(string, bool) bool) {
			for _, name := range names {
				yield(name, true)
			}
		})
	}
	return &staff{users: map[string]*shopapi.User{
		"root":   {ID: 1, Type: shopapi.Administrator, Root: true},
		"clerk":  {ID: 2, Type: shopapi.Administrator, Privileges: may("view_catalog")},
		"porter": {ID: 3, Type: shopapi.Administrator, Privileges: may("view_orders")},
		"two":    {ID: 4, Type: shopapi.Vendor, CompanyID: 2, Privileges: may("view_catalog", "manage_catalog")},
	}}
}

// openHTTP opens a shop with the log, and a client of it as root.
func openHTTP(t testing.TB, st store.Store, limits shopapi.Limits) (*shop.Shop, *staff, *apitest.Client) {
	t.Helper()
	users := newStaff()
	s := must[*shop.Shop](t)(shop.New(t.Context(), st, &shop.Options{
		Changes: changes.Options{Mode: changes.On},
		Options: shopapi.Options{Edition: shopapi.MultiVendor, Authenticator: users, Limits: limits},
	}))
	return s, users, &apitest.Client{T: t, Handler: s, Email: "root", Key: "key"}
}

// An answer is the body of GET /changes.
type answer struct {
	Changes []struct {
		changes.Change
		Object map[string]any
	}
	LastSeq string `json:"last_seq"`
	Pending *int64
}

// get asks for changes, and returns them each as "op entity/id".
func get(c *apitest.Client, query string) (a answer, list []string) {
	c.T.Helper()
	got := c.Get("/api/changes?" + query)
	if got.Status != 200 {
		c.T.Fatalf("changes?%s: %d %s", query, got.Status, got.Body)
	}
	if err := json.Unmarshal([]byte(got.Body), &a); err != nil {
		c.T.Fatal(err)
	}
	for _, ch := range a.Changes {
		list = append(list, fmt.Sprintf("%s %s/%s", ch.Op, ch.Entity, ch.ID))
	}
	return a, list
}

func same(t testing.TB, what string, want, got []string) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Errorf("E4: %s: %q, want %q", what, got, want)
	}
}

func TestE4_HTTP_ReadsOnFromPosition(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s, _, root := openHTTP(t, st, shopapi.Limits{})
		now, list := get(root, "")
		same(t, "without since there is only last_seq", nil, list)
		for _, name := range []string{"Cups", "Jugs", "Mugs"} {
			must[categories.Category](t)(s.Categories.Create(t.Context(), category(name)))
		}
		if err := s.Categories.Delete(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		first, list := get(root, "limit=2&since="+now.LastSeq)
		same(t, "limit=2", []string{"created categories/1", "created categories/2"}, list)
		if first.Pending == nil || *first.Pending != 2 || first.LastSeq != first.Changes[1].Seq {
			t.Errorf("E4: pending and last_seq after two of four: %+v", first)
		}
		for range 2 { // the same since gives the same rows again
			rest, list := get(root, "since="+first.LastSeq)
			same(t, "the rest", []string{"created categories/3", "deleted categories/2"}, list)
			if end, list := get(root, "wait=0&since="+rest.LastSeq); end.LastSeq != rest.LastSeq || len(list) != 0 || *end.Pending != 0 {
				t.Errorf("E4: at the end last_seq is the since that was sent, not %+v", end)
			}
		}
		_, list = get(root, "since=0&op=deleted&entity=categories,products")
		same(t, "op=deleted", []string{"deleted categories/2"}, list)
		objects, _ := get(root, "since=0&include=object&entity=categories")
		for i, want := range []any{"Cups", nil, "Mugs", nil} {
			if got := objects.Changes[i].Object["category"]; got != want {
				t.Errorf("E4: include=object of change %d has %v, want %v", i, got, want)
			}
		}
	})
}

func TestE4_HTTP_WrongInput(t *testing.T) {
	t.Parallel()
	_, _, root := openHTTP(t, shoptest.Memory(t), shopapi.Limits{})
	position, _ := get(root, "")
	for _, c := range []struct {
		user, query string
		status      int
		want        string
	}{
		{"root", "since=7", 400, `"since":`},
		{"root", "since=-1", 400, `"since":`},
		{"root", "since=x.y", 400, `"since":`},
		{"root", "since=" + strings.TrimSuffix(position.LastSeq, "0") + "9", 410, `"first_seq":`},
		{"root", "since=another.1", 410, "since=now"},
		{"root", "limit=0", 400, "from 1 to 1000"},
		{"root", "limit=1001", 400, "from 1 to 1000"},
		{"root", "wait=61", 400, "from 0 to 60"},
		{"root", "wait=x&limit=y", 400, `"wait":`},
		{"root", "wait=-1", 400, "from 0 to 60"},
		{"root", "wait=1.5", 400, "from 0 to 60"},
		{"root", "limit=-1", 400, "from 1 to 1000"},
		{"root", "since=" + strings.TrimSuffix(position.LastSeq, "0") + "-1", 400, `"since":`},
		{"root", "since=" + position.LastSeq + "00000000000000000000", 400, `"since":`},
		{"root", "op=moved", 400, "created, updated, deleted"},
		{"root", "include=all", 400, "object"},
		{"root", "entity=unicorns", 400, "product_features, product_variations_groups, products"},
		{"root", "entity=product_variations", 400, "must not name product_variations: its changes are told as products"},
		{"root", "entity=products,master_product_offers", 400, "must not name master_product_offers: its changes are told as products"},
		{"root", "entity=usergroups,product_features", 200, `"pending":0`},
		{"clerk", "entity=orders", 403, "orders"},
		{"clerk", "entity=orders,products", 200, `"pending":null`},
		{"clerk", "entity=product_features", 200, ""},
		{"nobody", "", 401, ""},
	} {
		got := root.As(c.user, "key").Get("/api/2.0/changes?" + c.query)
		if got.Status != c.status || !strings.Contains(got.Body, c.want) {
			t.Errorf("E4: %s asks changes?%s: %d %s, want %d and %s", c.user, c.query, got.Status, got.Body, c.status, c.want)
		}
	}
	if got := root.Post("/api/changes", "{}"); got.Status != 405 {
		t.Errorf("E4: POST changes: %d", got.Status)
	}
	if got := root.Accepting("image/png").Get("/api/changes"); got.Status != 406 || !strings.Contains(got.Body, "text/event-stream") {
		t.Errorf("E4: Accept image/png: %d %s", got.Status, got.Body)
	}
}

func TestE4_HTTP_PrivilegesOfEachUser(t *testing.T) {
	t.Parallel()
	s, _, root := openHTTP(t, shoptest.Memory(t), shopapi.Limits{})
	two := root.As("two", "key")
	if got := two.Post("/api/categories", `{"category": "Theirs"}`); got.Status != 201 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	must[categories.Category](t)(s.Categories.Create(t.Context(), category("The shop's")))
	for user, want := range map[string][]string{
		"clerk": {"created categories/1", "created categories/2"}, "porter": nil, "two": {"created categories/1"},
	} {
		a, list := get(root.As(user, "key"), "since=0&entity="+map[bool]string{true: "orders", false: "categories"}[user == "porter"])
		same(t, user+" sees", want, list)
		if a.Pending != nil {
			t.Errorf("E4: %s is told that %d changes are pending", user, *a.Pending)
		}
	}
}

func TestE4_HTTP_Wait(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s, users, root := openHTTP(t, st, shopapi.Limits{UserStreams: 1})
		now, _ := get(root, "")
		ask := func(user string) <-chan *apitest.Answer {
			answered := make(chan *apitest.Answer, 1)
			go func() {
				answered <- root.As(user, "key").Get("/api/changes?wait=60&entity=categories&since=" + now.LastSeq)
			}()
			for s.Changes.Readers() == 0 {
				time.Sleep(time.Millisecond)
			}
			return answered
		}
		first := ask("root")
		if got := root.Get("/api/changes?wait=60&since=" + now.LastSeq); got.Status != 429 {
			t.Errorf("E4: another wait of one user is answered %d, want 429", got.Status)
		}
		must[categories.Category](t)(s.Categories.Create(t.Context(), category("Cups")))
		if got := <-first; got.Status != 200 || !strings.Contains(got.Body, `"op":"created"`) {
			t.Errorf("E4: a wait is answered %d %s", got.Status, got.Body)
		}

		// A user whose rights end while they wait gets none of the change.
		now, _ = get(root, "")
		second := ask("clerk")
		users.set("clerk", nil)
		must[categories.Category](t)(s.Categories.Create(t.Context(), category("Jugs")))
		if got := <-second; got.Status != 401 {
			t.Errorf("E4: a user who is gone while waiting is answered %d %s, want 401", got.Status, got.Body)
		}

		// The end of the service ends waits.
		now, _ = get(root, "")
		third := ask("root")
		s.EndStreams()
		if got := <-third; got.Status != 200 || !strings.Contains(got.Body, `"changes":[]`) {
			t.Errorf("E4: a wait that the shutdown ends is answered %d %s, want 200", got.Status, got.Body)
		}
	})
}

func TestE4_HTTP_Off(t *testing.T) {
	t.Parallel()
	st := shoptest.Memory(t)
	s, _, root := openHTTP(t, st, shopapi.Limits{})
	before, _ := get(root, "")
	open(t, st, changes.Options{Mode: changes.Off}, nil)
	if got := root.Get("/api/changes"); got.Status != 404 {
		t.Errorf("E4: after another process switched the log off: %d %s", got.Status, got.Body)
	}
	if got := root.Get("/api/changes?since=" + before.LastSeq); got.Status != 410 {
		t.Errorf("E4: a position of the log that ended: %d %s", got.Status, got.Body)
	}
	off := open(t, shoptest.Memory(t), changes.Options{}, nil)
	if err := off.Register(&shoptest.Host{Name: "changes"}); err != nil {
		t.Errorf("E1: a host's entity may have the name of an extension that is off: %v", err)
	}
	if err := s.Register(&shoptest.Host{Name: "changes"}); err == nil {
		t.Error("E1: a host's entity may not have the name of an extension that is on")
	}
}

func TestE4_HTTP_InTheDocument(t *testing.T) {
	t.Parallel()
	s, _, _ := openHTTP(t, shoptest.Memory(t), shopapi.Limits{})
	data := must[[]byte](t)(json.Marshal(apidoc.Document(t.Context(), s.API, nil)))
	var document struct {
		Paths map[string]struct {
			Get struct {
				Parameters []struct{ Name, Description string }
				Responses  map[string]struct{ Content map[string]any }
			}
		}
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	of := document.Paths["/changes"].Get
	if len(of.Parameters) != 6 || of.Responses["200"].Content["text/event-stream"] == nil || of.Responses["200"].Content["application/json"] == nil {
		t.Errorf("E1: the document has %+v of changes", of)
	}
}
