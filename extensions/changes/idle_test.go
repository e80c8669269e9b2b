package changes_test

import (
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// An idleClerk is a user with the privilege of one group, and their stream, in which nothing
// happens.
type idleClerk struct {
	id    int64
	group string
	*eventReader
}

// connectIdle opens a stream for a new user. Signs of life are left out, so that only a change of
// the user can end it.
func connectIdle(t *testing.T, s *apitest.Shop, server *httptest.Server, id int64) *idleClerk {
	t.Helper()
	s.Changes.SetBeat(time.Hour)
	clerk := s.User("view_catalog")
	group, _, _ := strings.Cut(strings.TrimPrefix(clerk.Email, "user.of.group"), "@")
	credentials := base64.StdEncoding.EncodeToString([]byte(clerk.Email + ":" + clerk.Key))
	r := connect(t, server, clerk.Email, "entity=categories", "Authorization", "Basic "+credentials)
	r.block() // retry
	return &idleClerk{id, group, r}
}

// TestE4_Stream_IdleEndsWithTheRights: a stream in which nothing happens ends once its user may no
// longer read it, without a sign of life in between. The test waits for the end itself, not for a
// time.
func TestE4_Stream_IdleEndsWithTheRights(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := apitest.NewWithStore(t, st, &shop.Options{Keys: users.KeyOptions{On: true}, Changes: changes.Options{Mode: changes.On}})
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		must := func(a *apitest.Answer) {
			t.Helper()
			if a.Status >= 300 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
		}
		var open []*idleClerk
		takes := []struct {
			what string
			take func(c *idleClerk)
		}{
			{"the key was revoked in Go", func(c *idleClerk) {
				if err := s.Users.RevokeKey(t.Context(), c.id); err != nil {
					t.Fatal(err)
				}
			}},
			{"the key was revoked over HTTP", func(c *idleClerk) {
				var list struct {
					Keys []struct {
						ID string `json:"key_id"`
					}
				}
				s.Get(fmt.Sprintf("/api/2.0/users/%d/keys", c.id)).Decode(&list)
				must(s.Delete(fmt.Sprintf("/api/2.0/users/%d/keys/%s", c.id, list.Keys[0].ID)))
			}},
			{"the user was disabled", func(c *idleClerk) { must(s.Put(fmt.Sprint("/api/2.0/users/", c.id), `{"status": "D"}`)) }},
			{"the user was deleted", func(c *idleClerk) { must(s.Delete(fmt.Sprint("/api/2.0/users/", c.id))) }},
			{"the user became a customer", func(c *idleClerk) { must(s.Put(fmt.Sprint("/api/2.0/users/", c.id), `{"user_type": "C"}`)) }},
			{"the user left the group", func(c *idleClerk) {
				must(s.Put(fmt.Sprintf("/api/2.0/users/%d/usergroups/%s", c.id, c.group), `{"status": "F"}`))
			}},
			{"the group lost the privilege", func(c *idleClerk) {
				must(s.Put("/api/2.0/usergroups/"+c.group, `{"privileges": ["view_orders"]}`))
			}},
			{"the group was disabled", func(c *idleClerk) { must(s.Put("/api/2.0/usergroups/"+c.group, `{"status": "D"}`)) }},
			{"the group was deleted", func(c *idleClerk) { must(s.Delete("/api/2.0/usergroups/" + c.group)) }},
		}
		for i := range takes {
			open = append(open, connectIdle(t, s, server, int64(i+2)))
		}
		for i := range takes {
			takes[i].take(open[i])
			open[i].ends(takes[i].what)
		}
	})
}

// TestE4_Stream_IdleEndsByAnotherProcess: what another process takes from a user ends the streams
// of this one.
func TestE4_Stream_IdleEndsByAnotherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shop.db")
	start := func() *apitest.Shop {
		st, err := sqlite.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		return apitest.NewWithStore(t, st, &shop.Options{Changes: changes.Options{Mode: changes.On}})
	}
	here, there := start(), start()
	server := httptest.NewServer(here)
	t.Cleanup(server.Close)
	r := connectIdle(t, here, server, 2)
	if err := there.Users.RevokeKey(t.Context(), r.id); err != nil {
		t.Fatal(err)
	}
	r.ends("another process revoked the key")
}

// TestE4_Stream_IdleReadsNothing: that streams notice changes of their users costs no read of the
// database per stream.
func TestE4_Stream_IdleReadsNothing(t *testing.T) {
	t.Parallel()
	st := &countingStore{Store: shoptest.Memory(t)}
	s := apitest.NewWithStore(t, st, &shop.Options{Changes: changes.Options{Mode: changes.On}})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	const streams = 10
	var last *idleClerk
	for i := range streams {
		last = connectIdle(t, s, server, int64(i+2))
	}
	for s.Changes.Waiting() < streams {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(3 * changes.PollEvery) // the new users were changes, too
	begun, from := time.Now(), st.views.Load()
	for st.views.Load() < from+4 { // each look at the log is one
		time.Sleep(time.Millisecond)
	}
	looks := int64(time.Since(begun)/changes.PollEvery) + 1
	if n := st.views.Load() - from; n > 2*looks {
		t.Errorf("%d idle streams cost %d reading transactions in %d looks at the log", streams, n, looks)
	}
	if err := s.Users.RevokeKey(t.Context(), last.id); err != nil {
		t.Fatal(err)
	}
	last.ends("the key was revoked")
}
