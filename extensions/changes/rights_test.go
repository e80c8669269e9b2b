package changes_test

import (
	"encoding/base64"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
)

// TestE4_Stream_RightsTakenAway: a stream whose user may no longer read it ends within a second, or
// sends nothing more.
func TestE4_Stream_RightsTakenAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		take func(s *apitest.Shop, group string) *apitest.Answer
		ends bool
	}{
		{"the user is disabled", func(s *apitest.Shop, _ string) *apitest.Answer {
			return s.Put("/api/2.0/users/2", `{"status": "D"}`)
		}, true},
		{"the user is deleted", func(s *apitest.Shop, _ string) *apitest.Answer { return s.Delete("/api/2.0/users/2") }, true},
		{"the user leaves the group", func(s *apitest.Shop, group string) *apitest.Answer {
			return s.Put("/api/2.0/users/2/usergroups/"+group, `{"status": "F"}`)
		}, false},
		{"the group loses the privilege", func(s *apitest.Shop, group string) *apitest.Answer {
			return s.Put("/api/2.0/usergroups/"+group, `{"privileges": ["view_orders"]}`)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewWithStore(t, shoptest.Memory(t), &shop.Options{Changes: changes.Options{Mode: changes.On}})
			clerk := s.User("view_catalog")
			group, _, _ := strings.Cut(strings.TrimPrefix(clerk.Email, "user.of.group"), "@")
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			credentials := base64.StdEncoding.EncodeToString([]byte(clerk.Email + ":" + clerk.Key))
			r := connect(t, server, clerk.Email, "", "Authorization", "Basic "+credentials)
			s.Post("/api/2.0/categories", `{"category": "Cups"}`)
			r.want("categories.created")
			if a := c.take(s, group); a.Status >= 300 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			s.Post("/api/2.0/categories", `{"category": "Secret"}`)
			ended := make(chan event, 1)
			go func() {
				e, _ := r.next()
				ended <- e
			}()
			select {
			case e := <-ended:
				if !c.ends || e.name != "" {
					t.Errorf("E4: after %s the stream sends %+v", c.name, e)
				}
			case <-time.After(time.Second):
				if c.ends {
					t.Errorf("E4: after %s the stream stays open for a second", c.name)
				}
			}
		})
	}
}

// TestE4_HTTP_Pruned: a position whose changes were pruned is 410, and the body has the way out.
func TestE4_HTTP_Pruned(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithStore(t, shoptest.Memory(t), &shop.Options{Changes: changes.Options{Mode: changes.On, Keep: time.Hour}})
	start := s.Get("/api/2.0/changes").Field("last_seq")
	create := func(n int) {
		for range n {
			must[categories.Category](t)(s.Categories.Create(t.Context(), category("Cup")))
		}
	}
	create(150)
	s.Clock.Advance(2 * time.Hour)
	create(60)
	gone := s.Get("/api/2.0/changes?since=" + start)
	if gone.Status != 410 || !strings.Contains(gone.Body, "ask for last_seq with since=now") || !strings.Contains(gone.Body, `"first_seq":"`) {
		t.Fatalf("E4: a pruned position: %d %s", gone.Status, gone.Body)
	}
	oldest := s.Get("/api/2.0/changes?since=0&limit=1")
	if oldest.Status != 200 || oldest.Field("last_seq") != gone.Field("first_seq") {
		t.Errorf("E4: first_seq is %s, and since=0 begins with %s", gone.Field("first_seq"), oldest.Body)
	}
}
