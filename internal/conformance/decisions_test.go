package conformance

import (
	"fmt"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

// TestDecisions_Privileges: each entity is read with one privilege and changed with
// another (decisions §3).
func TestDecisions_Privileges(t *testing.T) {
	for entity, kind := range map[string]string{
		"categories": "catalog", "products": "catalog", "exceptions": "catalog", "call_requests": "call_requests",
		"discussions": "discussions", "users": "users", "usergroups": "usergroups",
	} {
		t.Run(entity, func(t *testing.T) {
			s := newShop(t, shopapi.Options{})
			address := "/api/2.0/" + entity
			id := s.Post(address, possessions[entity].create).Field(possessions[entity].id)
			change := possessions[entity].change
			ask := func(privilege string, list, get, create, update, remove int) {
				t.Helper()
				clerk := s.User(privilege)
				status(t, clerk.Get(address+"?product_id=1"), list)
				status(t, clerk.Get(address+"/"+id), get)
				status(t, clerk.Post(address, `{"nothing": 1}`), create)
				status(t, clerk.Put(address+"/"+id, change), update)
				status(t, clerk.Delete(address+"/"+id), remove)
			}
			ask("view_"+kind, 200, 200, 403, 403, 403)
			ask("manage_"+kind, 403, 403, 400, 200, 204)
		})
	}
}

// TestDecisions_TotalAndPageAreOfOneSnapshot: a list with all objects has as many as its
// total, whatever is written meanwhile (decisions §6).
func TestDecisions_TotalAndPageAreOfOneSnapshot(t *testing.T) {
	overStores(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		var writers sync.WaitGroup
		for range 2 {
			writers.Go(func() {
				for range 40 {
					status(t, s.Post("/api/call_requests", `{"phone": "1"}`), 201)
				}
			})
		}
		done := make(chan struct{})
		go func() { writers.Wait(); close(done) }()
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			var list struct {
				Requests []struct{} `json:"call_requests"`
				Params   struct {
					Total string `json:"total_items"`
				}
			}
			s.Get("/api/call_requests?items_per_page=1000").Decode(&list)
			if got := fmt.Sprint(len(list.Requests)); got != list.Params.Total {
				t.Fatalf("%s requests, of which there are %s", got, list.Params.Total)
			}
		}
	})
}
