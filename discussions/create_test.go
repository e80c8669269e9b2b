package discussions_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// decisions §10: POST with an object starts its thread, of type B; omitted fields get
// their defaults. Specification, discussions: the fields and their types.
func TestDiscussions_Create(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.do("POST", "/api/2.0/discussions", `{"object_type":"P","object_id":41,"message":"Holds heat well","rating_value":5}`).
			want(http.StatusCreated).is(`{"post_id":"1"}`)
		s.do("GET", "/api/2.0/discussions/1", "").want(http.StatusOK).is(`{"post_id":"1","thread_id":"1","name":"Rita Root","timestamp":"1715774400",` +
			`"user_id":"1","ip_address":"192.0.2.10","status":"A","message":"Holds heat well","rating_value":"5","object_id":"41","object_type":"P","type":"B","company_id":"7","updated_at":"1715774400"}`)
		if diff := cmp.Diff([]string{"create discussions 1 by 1"}, s.Events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// Every field that POST accepts, in both input formats.
func TestDiscussions_CreateWithEveryField(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		want := `"name":"Ana","timestamp":"1700000000","user_id":"1","ip_address":"192.0.2.10","status":"D","message":"So so","rating_value":"3","object_id":"12","object_type":"C","type":"B","company_id":"1","updated_at":"1715774400"}`
		s.do("POST", "/api/2.0/discussions", `{"object_type":"C","object_id":"12","name":"Ana","message":"So so","rating_value":"3","timestamp":"1700000000","status":"D"}`).want(201)
		s.do("GET", "/api/2.0/discussions/1", "").is(`{"post_id":"1","thread_id":"1",` + want)
		s.do("POST", "/api/2.0/discussions", "thread_id=1&object_type=C&object_id=12&name=Ana&message=So+so&rating_value=3&timestamp=1700000000&status=D", asForm).want(201).is(`{"post_id":"2"}`)
		s.do("GET", "/api/2.0/discussions/2", "").is(`{"post_id":"2","thread_id":"1",` + want)
	})
}

// decisions §4: read-only fields are ignored.
func TestDiscussions_CreateIgnoresReadOnlyFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.do("POST", "/api/2.0/discussions", `{"object_type":"E","object_id":0,"post_id":99,"user_id":98,"ip_address":"198.51.100.1","type":"C","company_id":97,"nonsense":[1]}`).want(201)
		s.do("GET", "/api/2.0/discussions/1", "").is(`{"post_id":"1","thread_id":"1","name":"Rita Root","timestamp":"1715774400","user_id":"1","ip_address":"192.0.2.10","status":"A","message":"","rating_value":"","object_id":"0","object_type":"E","type":"B","company_id":"1","updated_at":"1715774400"}`)
	})
}

// decisions §10: POST uses the existing thread of the object, which thread_id can name
// as well.
func TestDiscussions_CreateUsesTheThread(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i, test := range []struct{ body, thread string }{
			{`{"object_type":"P","object_id":5}`, "1"},
			{`{"object_type":"A","object_id":5}`, "2"},
			{`{"object_type":"P","object_id":5}`, "1"},
			{`{"thread_id":2}`, "2"},
			{`{"thread_id":"1","object_type":"P","object_id":"5"}`, "1"},
			{`{"object_type":"O","object_id":5}`, "3"},
			{`{"object_type":"E"}`, "4"},
			{`{"thread_id":4,"object_type":"E","object_id":0}`, "4"},
		} {
			s.do("POST", "/api/2.0/discussions", test.body).want(201)
			got := s.do("GET", fmt.Sprintf("/api/2.0/discussions/%d", i+1), "").object()
			if got["thread_id"] != test.thread {
				t.Errorf("%s went to thread %s, want %s", test.body, got["thread_id"], test.thread)
			}
		}
	})
}

// decisions §5, §10: the requests that POST refuses; they store nothing.
func TestDiscussions_CreateRefuses(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.do("POST", "/api/2.0/discussions", `{"object_type":"P","object_id":5}`).want(201)
		for _, test := range []struct {
			name   string
			body   string
			fields []string
		}{
			{"no object", `{"message":"x"}`, []string{"object_type"}},
			{"no object type", `{"object_id":5}`, []string{"object_type"}},
			{"no object id", `{"object_type":"P"}`, []string{"object_id"}},
			{"object type of another set", `{"object_type":"X","object_id":5}`, []string{"object_type"}},
			{"object type in lower case", `{"object_type":"p","object_id":5}`, []string{"object_type"}},
			{"home page with an id", `{"object_type":"E","object_id":1}`, []string{"object_id"}},
			{"negative object id", `{"object_type":"P","object_id":-1}`, []string{"object_id"}},
			{"object id that is no number", `{"object_type":"P","object_id":"5a"}`, []string{"object_id"}},
			{"object id as a fraction", `{"object_type":"P","object_id":5.5}`, []string{"object_id"}},
			{"object id beyond a number", `{"object_type":"P","object_id":99999999999999999999}`, []string{"object_id"}},
			{"object id as an array", `{"object_type":"P","object_id":[5]}`, []string{"object_id"}},
			{"product that does not exist", `{"object_type":"P","object_id":51}`, []string{"object_id"}},
			{"category that does not exist", `{"object_type":"C","object_id":51}`, []string{"object_id"}},
			{"page that does not exist", `{"object_type":"A","object_id":51}`, []string{"object_id"}},
			{"order that does not exist", `{"object_type":"O","object_id":51}`, []string{"object_id"}},
			{"thread that does not exist", `{"thread_id":9}`, []string{"thread_id"}},
			{"negative thread", `{"thread_id":-1}`, []string{"thread_id"}},
			{"thread and object that disagree", `{"thread_id":1,"object_type":"P","object_id":6}`, []string{"thread_id"}},
			{"thread and object type that disagree", `{"thread_id":1,"object_type":"C","object_id":5}`, []string{"thread_id"}},
			{"rating 6", `{"object_type":"P","object_id":5,"rating_value":6}`, []string{"rating_value"}},
			{"rating 0", `{"object_type":"P","object_id":5,"rating_value":0}`, []string{"rating_value"}},
			{"rating -1", `{"object_type":"P","object_id":5,"rating_value":"-1"}`, []string{"rating_value"}},
			{"rating 4.5", `{"object_type":"P","object_id":5,"rating_value":4.5}`, []string{"rating_value"}},
			{"rating abc", `{"object_type":"P","object_id":5,"rating_value":"abc"}`, []string{"rating_value"}},
			{"rating true", `{"object_type":"P","object_id":5,"rating_value":true}`, []string{"rating_value"}},
			{"rating in an array", `{"object_type":"P","object_id":5,"rating_value":[5]}`, []string{"rating_value"}},
			{"status of another set", `{"object_type":"P","object_id":5,"status":"H"}`, []string{"status"}},
			{"timestamp before 1970", `{"object_type":"P","object_id":5,"timestamp":-1}`, []string{"timestamp"}},
			{"timestamp as a date", `{"object_type":"P","object_id":5,"timestamp":"2024-01-01"}`, []string{"timestamp"}},
			{"message one byte too long", `{"object_type":"P","object_id":5,"message":"` + strings.Repeat("x", 65537) + `"}`, []string{"message"}},
			{"name one character too long", `{"object_type":"P","object_id":5,"name":"` + strings.Repeat("é", 256) + `"}`, []string{"name"}},
			{"name of 60 KB", `{"object_type":"P","object_id":5,"name":"` + strings.Repeat("x", 60<<10) + `"}`, []string{"name"}},
			{"message as an object", `{"object_type":"P","object_id":5,"message":{"a":1}}`, []string{"message"}},
			{"several at once", `{"object_type":"P","object_id":51,"status":"x","rating_value":"5","timestamp":"-5"}`, []string{"status", "timestamp", "object_id"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				s := s.in(t)
				s.do("POST", "/api/2.0/discussions", test.body).names(test.fields...)
			})
		}
		if got := s.list(""); got != "1 of 1" {
			t.Errorf("posts after refusals: %s", got)
		}
		s.do("POST", "/api/2.0/discussions", `{"thread_id":2}`).names("thread_id") // no thread was started
	})
}

// decisions §5: a missing half of the object is required, and no zero value that nobody sent is
// named.
func TestDiscussions_5_MissingFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.do("POST", "/api/2.0/discussions", `{"object_type":"P","object_id":5}`).want(201)
		const noID = `"errors":{"object_id":"is required: it names the object together with object_type"}}`
		const noType = `"errors":{"object_type":"is required: it names the object together with object_id"}}`
		for body, want := range map[string]string{
			`{"object_type":"P"}`:                               noID,
			`{"thread_id":1,"object_type":"P"}`:                 noID,
			`{"reply_to":1,"object_type":"P"}`:                  noID,
			`{"object_id":5}`:                                   noType,
			`{"thread_id":1,"object_id":5}`:                     noType,
			`{"reply_to":1,"object_id":5}`:                      noType,
			`{"thread_id":1,"object_type":"P","object_id":-1}`:  `"object_id":"must be the id of the object, a whole number from 1, not -1"`,
			`{"thread_id":1,"object_type":"X","object_id":5}`:   `"object_type":"must be one of P, C, A, O, E, not \"X\""`,
			`{"thread_id":1,"object_type":"P","object_id":6}`:   `"thread_id":"must be the thread of the object, not 1"`,
			`{"thread_id":1,"object_type":"E"}`:                 `"thread_id":"must be the thread of the object, not 1"`,
			`{"object_type":"P","object_id":"a","thread_id":1}`: `"errors":{"object_id":"must be a whole number, not \"a\""}}`,
		} {
			if got := s.do("POST", "/api/2.0/discussions", body).want(400); !strings.Contains(got.Body, want) {
				t.Errorf("%s is answered %s, want %s", body, got.Body, want)
			}
		}
		s.do("POST", "/api/2.0/products/5/discussions", `{"object_type":"P"}`).want(201)
		s.do("POST", "/api/2.0/discussions", `{"thread_id":1,"object_type":"P","object_id":5}`).want(201)
	})
}

// The message is returned exactly as sent, up to the maximum length.
func TestDiscussions_MessageIsKeptExactly(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i, message := range []string{
			`<script>alert("x")</script> & <b>bold</b> &amp;`,
			"Grüße 👍🏽 \u202eright to left\u202c  \t two\r\nlines  ",
			`100% _under_ 'quoted' "double" \back\ ;DROP TABLE discussions;--`,
			strings.Repeat("é", (64<<10)/2),
			"",
		} {
			created, err := s.Discussions.Create(t.Context(), discussions.Post{ObjectType: discussions.Product, ObjectID: 5, Message: message})
			if err != nil {
				t.Fatal(err)
			}
			got := s.do("GET", fmt.Sprintf("/api/2.0/discussions/%d", i+1), "").object()["message"]
			if created.Message != message || got != message {
				t.Errorf("message %.60q came back as %.60q", message, got)
			}
		}
	})
}

// A name may have 255 characters of any byte length. The default, the user's name, is
// cut to them.
func TestDiscussions_NameLength(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		name := strings.Repeat("👍", 255)
		ctx := shopapi.WithUser(t.Context(), &shopapi.User{ID: 9, Type: shopapi.Administrator, Root: true, Name: name + "é"})
		for i, given := range []string{name, ""} {
			created, err := s.Discussions.Create(ctx, discussions.Post{ObjectType: discussions.HomePage, Name: given})
			if err != nil || created.Name != name {
				t.Errorf("%q became %q, %v", given, created.Name, err)
			}
			if got := s.do("GET", fmt.Sprintf("/api/2.0/discussions/%d", i+1), "").object()["name"]; got != name {
				t.Errorf("read as %q", got)
			}
		}
		_, err := s.Discussions.Create(ctx, discussions.Post{ObjectType: discussions.HomePage, IPAddress: strings.Repeat("1", 256)})
		shoptest.WantStatus(t, "an address of 256 characters", err, 400)
	})
}

// A field that POST sends empty gets its default, like an omitted one.
func TestDiscussions_CreateOfEmptyFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.do("POST", "/api/2.0/discussions", `{"object_type":"E","name":"","timestamp":0,"status":null,"message":null}`).want(201)
		s.do("GET", "/api/2.0/discussions/1", "").is(`{"post_id":"1","thread_id":"1","name":"Rita Root","timestamp":"1715774400","user_id":"1","ip_address":"192.0.2.10","status":"A",` +
			`"message":"","rating_value":"","object_id":"0","object_type":"E","type":"B","company_id":"1","updated_at":"1715774400"}`)
	})
}

// rating_value reads a number or a text, and the empty text for none.
func TestDiscussions_RatingValue(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i, test := range []struct{ body, want string }{
			{`{"object_type":"P","object_id":5,"rating_value":1}`, "1"},
			{`{"object_type":"P","object_id":5,"rating_value":"5"}`, "5"},
			{`{"object_type":"P","object_id":5,"rating_value":""}`, ""},
			{`{"object_type":"P","object_id":5,"rating_value":null}`, ""},
			{`{"object_type":"P","object_id":5}`, ""},
		} {
			s.do("POST", "/api/2.0/discussions", test.body).want(201)
			if got := s.do("GET", fmt.Sprintf("/api/2.0/discussions/%d", i+1), "").object()["rating_value"]; got != test.want {
				t.Errorf("%s came back as %q", test.body, got)
			}
		}
		s.do("POST", "/api/2.0/discussions", "object_type=P&object_id=5&rating_value=", asForm).want(201)
		s.do("POST", "/api/2.0/discussions", "object_type=P&object_id=5&rating_value=4", asForm).want(201)
		if got := s.list("rating_value=4"); got != "7 of 1" {
			t.Errorf("rated 4: %s", got)
		}
	})
}

// decisions §10: ip_address is the client's address; the host's own code sets it.
func TestDiscussions_IPAddress(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i, test := range []struct{ remote, want string }{
			{"192.0.2.77:80", "192.0.2.77"},
			{"[2001:db8::5]:80", "2001:db8::5"},
			{"[::ffff:192.0.2.5]:80", "192.0.2.5"},
			{"@", ""},
		} {
			s.do("POST", "/api/2.0/discussions", `{"object_type":"P","object_id":5}`, header{"remote", test.remote}, header{"X-Forwarded-For", "203.0.113.9"}).want(201)
			if got := s.do("GET", fmt.Sprintf("/api/2.0/discussions/%d", i+1), "").object()["ip_address"]; got != test.want {
				t.Errorf("from %s the address is %q, want %q", test.remote, got, test.want)
			}
		}
		s.file(discussions.Post{ObjectType: discussions.Product, ObjectID: 5, IPAddress: "198.51.100.4"})
		if got := s.list("ip_address=198.51.100.4"); got != "5 of 1" {
			t.Errorf("filed by the host: %s", got)
		}
	})
}

// decisions §10: behind a proxy only headers from trusted proxies count.
func TestDiscussions_IPAddressBehindAProxy(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	s.do("POST", "/api/2.0/discussions", `{"object_type":"P","object_id":5}`, header{"X-Forwarded-For", "198.51.100.7, 203.0.113.9"}).want(201)
	if got := s.list("ip_address=203.0.113.9"); got != "1 of 1" {
		t.Errorf("behind a trusted proxy: %s", got)
	}
}

// decisions §10: user_id is the authenticated user. The host's own code files posts for
// guests or customers.
func TestDiscussions_UserID(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		guest, err := s.Discussions.Create(t.Context(), discussions.Post{ObjectType: discussions.HomePage, Name: "Guest"})
		if err != nil || guest.UserID != 0 || guest.Name != "Guest" {
			t.Errorf("guest %+v, %v", guest, err)
		}
		customer, err := s.Discussions.Create(t.Context(), discussions.Post{ObjectType: discussions.HomePage, Name: "Ana", UserID: 17})
		if err != nil || customer.UserID != 17 {
			t.Errorf("customer %+v, %v", customer, err)
		}
		ctx := shopapi.WithUser(t.Context(), users["vendor@example.com"])
		user, err := s.Discussions.Create(ctx, discussions.Post{ObjectType: discussions.Product, ObjectID: 41, UserID: 17})
		if err != nil || user.UserID != 3 || user.Name != "Vera Vendor" {
			t.Errorf("user %+v, %v", user, err)
		}
	})
}

// decisions §10, §12: without an entity for the object, every object exists and belongs
// to the default company.
func TestDiscussions_ObjectsOfEntitiesThatAreNotRegistered(t *testing.T) {
	reviews, err := discussions.Register(t.Context(), shopapi.New(nil), shoptest.Memory(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := reviews.Create(t.Context(), discussions.Post{ObjectType: discussions.Product, ObjectID: 12345, Timestamp: 1})
	if got.UpdatedAt == 0 {
		t.Error("a new post has no time of change")
	}
	got.UpdatedAt = 0 // by the clock of the machine
	want := discussions.Post{PostID: 1, ThreadID: 1, Timestamp: 1, Status: "A", ObjectType: "P", ObjectID: 12345, Type: "B", CompanyID: 1}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// The object is looked up in the transaction that files the post: a category created in
// the same transaction can be discussed.
func TestDiscussions_ObjectOfTheSameTransaction(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		api := shopapi.New(nil)
		tree, err := categories.Register(t.Context(), api, s.Store)
		if err != nil {
			t.Fatal(err)
		}
		reviews, err := discussions.Register(t.Context(), api, s.Store)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Store.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
			cups, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
			if err != nil {
				return err
			}
			_, err = reviews.Create(ctx, discussions.Post{ObjectType: discussions.Category, ObjectID: cups.CategoryID})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var e *shopapi.Error
		if _, err := reviews.Create(t.Context(), discussions.Post{ObjectType: discussions.Category, ObjectID: 2}); !errors.As(err, &e) || e.Fields["object_id"] == "" {
			t.Errorf("a category that does not exist: %v", err)
		}
	})
}

// Two first posts at once create one thread, and neither fails.
func TestDiscussions_FirstPostsAtOnce(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		const clients = 16
		for id := int64(1); id <= 3; id++ {
			var wg sync.WaitGroup
			threads := make([]int64, clients)
			for i := range threads {
				wg.Go(func() {
					p, err := s.Discussions.Create(t.Context(), discussions.Post{ObjectType: discussions.Product, ObjectID: id})
					if err != nil {
						t.Error(err)
					}
					threads[i] = p.ThreadID
				})
			}
			wg.Wait()
			for _, got := range threads {
				if got != threads[0] {
					t.Fatalf("threads %v, want one", threads)
				}
			}
		}
	})
}

// OpenThread creates a thread of a type, or returns the existing one.
func TestDiscussions_OpenThread(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		opened, err := s.Discussions.OpenThread(t.Context(), discussions.Thread{ObjectType: discussions.Product, ObjectID: 41, Type: discussions.Ratings})
		want := discussions.Thread{ThreadID: 1, ObjectType: "P", ObjectID: 41, Type: "R", CompanyID: 7}
		if diff := cmp.Diff(want, opened); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		again, err := s.Discussions.OpenThread(t.Context(), discussions.Thread{ObjectType: discussions.Product, ObjectID: 41})
		if diff := cmp.Diff(want, again); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		s.do("POST", "/api/2.0/discussions", `{"object_type":"P","object_id":41}`).want(201)
		if got := s.list("type=R"); got != "1 of 1" {
			t.Errorf("type R: %s", got)
		}
		for _, bad := range []discussions.Thread{{ObjectType: "P", ObjectID: 1, Type: "X"}, {ObjectType: "P", ObjectID: 51}, {}} {
			var e *shopapi.Error
			if _, err := s.Discussions.OpenThread(t.Context(), bad); !errors.As(err, &e) || e.Status != 400 {
				t.Errorf("%+v: %v, want a 400", bad, err)
			}
		}
	})
}

// An internal failure stores no part of a post.
func TestDiscussions_CreateInATransactionThatFails(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		cause := errors.New("changed my mind")
		err := s.Store.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
			if _, err := s.Discussions.Create(ctx, discussions.Post{ObjectType: discussions.Product, ObjectID: 5}); err != nil {
				return err
			}
			return cause
		})
		if !errors.Is(err, cause) {
			t.Fatal(err)
		}
		if got, told := s.list(""), s.Events(); got != " of 0" || len(told) > 0 {
			t.Errorf("posts %s, events %v", got, told)
		}
	})
}
