package callrequests_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

func TestCallRequests_Filters(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiStorefront}, orders(), officers())
		for _, body := range []string{
			`{"name": "Ana Öztürk", "phone": "+49 30 100", "user_id": 5, "order_id": 501}`,
			`{"name": "100% _sure_", "phone": "(030) 100_1", "status": "completed", "order_id": 502}`,
			`{"name": "O'Neil \\ Sons", "phone": "x%y", "status": "no_answer", "company_id": 3, "user_id": 6}`,
			`{"name": "ANASTASIA", "phone": "+49 40 200", "status": "in_progress", "order_id": 503}`,
		} {
			s.Status("POST", "/api/call_requests", body, 201)
		}
		for query, want := range map[string]string{
			"":                                      "1 2 3 4",
			"status=new":                            "1",
			"status=completed":                      "2",
			"status=no_answer":                      "3",
			"status=in_progress":                    "4",
			"name=ana":                              "1 4",
			"name=%C3%96ZT%C3%9CRK":                 "1",
			"name=%25":                              "2",
			"name=_":                                "2",
			"name='":                                "3",
			`name=%5C`:                              "3",
			"name=Ana&status=new":                   "1",
			"name=nobody":                           "",
			"phone=100":                             "1 2",
			"phone=%2B49":                           "1 4",
			"phone=_":                               "2",
			"phone=%25":                             "3",
			"phone=X":                               "3",
			"company_id=1":                          "1 2 4",
			"company_id=3":                          "3",
			"company_id=9":                          "",
			"user_id=5":                             "1",
			"user_id=0":                             "2 4",
			"user_id=99":                            "",
			"order_status=O":                        "1 4",
			"order_status=C":                        "2",
			"order_status=C,O":                      "1 2 4",
			"order_status[]=C&order_status[]=O":     "1 2 4",
			"order_status=,":                        "1 2 3 4",
			"order_status=o":                        "", // the host's orders do not check their statuses
			"order_status=%25":                      "",
			"order_exists=Y":                        "1 2 4",
			"order_exists=N":                        "3",
			"order_exists=True":                     "1 2 4",
			"order_exists=n":                        "3",
			"order_exists=N&order_status=O":         "",
			"order_exists=Y&name=ana&user_id=5":     "1",
			"status=&name=&phone=&order_status=":    "1 2 3 4",
			"user_id=&company_id=&order_exists=":    "1 2 3 4",
			"message=anything&status[]=new&other=1": "1",
		} {
			s.lists(query+"&sort_by=id&sort_order=asc", want)
		}
	})
}

func TestCallRequests_BadListParameters(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{}, orders())
	for query, field := range map[string]string{
		"sort_by=message":   "sort_by",
		"sort_by=timestamp": "sort_by",
		"sort_order=up":     "sort_order",
		"order_exists=X":    "order_exists",
		"status=done":       "status",
		"company_id=mine":   "company_id",
		"user_id=Ana":       "user_id",
		"page=0":            "page",
		"page=-1":           "page",
		"items_per_page=0":  "items_per_page",
	} {
		s.Refuses("GET", "/api/call_requests?"+query, "", field)
	}
	s.Refuses("GET", "/api/call_requests?page=x&order_exists=X&sort_by=message", "", "page", "order_exists", "sort_by")
}

// The sort order reveals names of users, so that it needs the privilege to view them,
// under the name that the host gave it.
func TestCallRequests_SortByUserNeedsToViewUsers(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, officers())
		s.as("reader@example.com").Want("GET", "/api/call_requests?sort_by=user", "", 403,
			`{"message":"Your user groups do not have the privilege view_users.","status":403}`)
		s.as("vendor2@example.com").Status("GET", "/api/call_requests?sort_by=user", "", 200)
		s.as("reader@example.com").Status("GET", "/api/call_requests?sort_by=user_id&user_id=5", "", 200)

		renamed := shopapi.Options{Privileges: map[string]shopapi.Privileges{"users": {View: "see_staff", Manage: "edit_staff"}}}
		s = suite.Open(t, st, renamed, officers())
		s.as("vendor2@example.com").Want("GET", "/api/call_requests?sort_by=user", "", 403,
			`{"message":"Your user groups do not have the privilege see_staff.","status":403}`)

		s = suite.Open(t, st, shopapi.Options{})
		s.as("reader@example.com").Status("GET", "/api/call_requests?sort_by=user", "", 200)
	})
}

func TestCallRequests_Pages(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Limits: shopapi.Limits{MaxItemsPerPage: 4}}, orders())
		for i := range 5 {
			s.Status("POST", "/api/call_requests", `{"phone": "1", "order_id": 501, "timestamp": `+strconv.Itoa(i/2)+`}`, 201)
		}
		for query, want := range map[string]string{
			"items_per_page=2":                                      "5 4",
			"items_per_page=2&page=2":                               "3 2",
			"items_per_page=2&page=3":                               "1",
			"items_per_page=2&page=4":                               "",
			"items_per_page=100":                                    "5 4 3 2",
			"page=9223372036854775807":                              "",
			"items_per_page=2&page=2&order_status=O":                "3 2",
			"items_per_page=2&page=4&order_status=O":                "",
			"items_per_page=2&page=2&sort_by=user&sort_order=asc":   "3 4",
			"page=9223372036854775807&order_exists=Y":               "",
			"items_per_page=2&page=3&sort_by=order_status":          "1",
			"items_per_page=3&page=1&sort_by=date&sort_order=asc":   "1 2 3",
			"items_per_page=3&page=2&sort_by=status&sort_order=asc": "4 5",
		} {
			s.lists(query, want)
			if _, total := s.ids(query); total != "5" {
				t.Errorf("GET ?%s: total_items %s, want 5", query, total)
			}
		}
		got := s.Send("GET", "/api/call_requests?items_per_page=100&page=2&sort_by=user&sort_order=asc", "").Body
		const params = `"params":{"items_per_page":"4","page":2,"sort_order":"asc","sort_by":"user","sort_order_rev":"desc","total_items":"5"}}`
		if !strings.HasSuffix(got, params) {
			t.Errorf("the answer ends %s, want %s", got[max(0, len(got)-len(params)):], params)
		}
	})
}

// TestCallRequests_SortsAndFiltersAgainstPlainReading compares pages with a plain
// implementation of the specification over the same requests.
func TestCallRequests_SortsAndFiltersAgainstPlainReading(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		sales, staff := orders(), officers()
		s := suite.Open(t, st, shopapi.Options{}, sales, staff)
		statusOf := map[int64]string{501: "O", 502: "C", 503: "O", 901: "P"}
		userName := map[int64]string{5: "zora adler", 6: "ähren", 7: "ada", 9: "zora adler"}
		random := rand.New(rand.NewPCG(3, 4))
		pick := func(ids ...int64) int64 { return ids[random.IntN(len(ids))] }
		var all []callrequests.CallRequest
		for range 60 {
			c, err := s.CallRequests.Create(context.Background(), callrequests.CallRequest{
				Phone:     []string{"1", "2", "3"}[random.IntN(3)],
				Name:      []string{"", "Ana", "ana", "Öl", "bo", "Zoe"}[random.IntN(6)],
				Status:    []string{"new", "in_progress", "completed", "no_answer"}[random.IntN(4)],
				OrderID:   pick(0, 501, 502, 503, 901),
				UserID:    pick(0, 5, 6, 7, 8, 9),
				Timestamp: pick(1, 2, 3, 4),
			})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		delete(sales.Objects, "503") // an order that is deleted afterwards
		delete(statusOf, 503)

		// Missing texts sort before others.
		known := func(m map[int64]string, id int64) string {
			if text, ok := m[id]; ok {
				return "+" + text
			}
			return ""
		}
		number := func(n int64) string { return fmt.Sprintf("%020d", n) }
		keys := map[string]func(c *callrequests.CallRequest) string{
			"id":           func(c *callrequests.CallRequest) string { return number(c.RequestID) },
			"date":         func(c *callrequests.CallRequest) string { return number(c.Timestamp) },
			"status":       func(c *callrequests.CallRequest) string { return c.Status },
			"name":         func(c *callrequests.CallRequest) string { return strings.ToLower(c.Name) },
			"phone":        func(c *callrequests.CallRequest) string { return c.Phone },
			"user_id":      func(c *callrequests.CallRequest) string { return number(c.UserID) },
			"user":         func(c *callrequests.CallRequest) string { return known(userName, c.UserID) },
			"order":        func(c *callrequests.CallRequest) string { return number(c.OrderID) },
			"order_status": func(c *callrequests.CallRequest) string { return known(statusOf, c.OrderID) },
		}
		filters := map[string]func(c *callrequests.CallRequest) bool{
			"":               func(*callrequests.CallRequest) bool { return true },
			"order_exists=Y": func(c *callrequests.CallRequest) bool { return statusOf[c.OrderID] != "" },
			"order_exists=N": func(c *callrequests.CallRequest) bool { return statusOf[c.OrderID] == "" },
			"order_status=O": func(c *callrequests.CallRequest) bool { return statusOf[c.OrderID] == "O" },
			"order_status=C&status=new": func(c *callrequests.CallRequest) bool {
				return statusOf[c.OrderID] == "C" && c.Status == "new"
			},
			"name=AN&order_exists=Y": func(c *callrequests.CallRequest) bool {
				return strings.Contains(strings.ToLower(c.Name), "an") && statusOf[c.OrderID] != ""
			},
		}
		sortKeys := []string{"date", "id", "status", "name", "phone", "user_id", "user", "order", "order_status"}
		if len(keys) != len(sortKeys) {
			t.Fatalf("%d sort keys are tested of %d", len(keys), len(sortKeys))
		}
		for _, sortBy := range sortKeys {
			for _, direction := range []string{"asc", "desc"} {
				for filter, holds := range filters {
					want := []string{}
					expected := slices.Clone(all)
					slices.SortFunc(expected, func(a, b callrequests.CallRequest) int {
						order := cmp.Or(strings.Compare(keys[sortBy](&a), keys[sortBy](&b)), cmp.Compare(a.RequestID, b.RequestID))
						if direction == "desc" {
							return -order
						}
						return order
					})
					for i := range expected {
						if holds(&expected[i]) {
							want = append(want, strconv.FormatInt(expected[i].RequestID, 10))
						}
					}
					query := filter + "&sort_by=" + sortBy + "&sort_order=" + direction
					got := []string{}
					for page := 1; ; page++ {
						ids, total := s.ids(query + "&items_per_page=7&page=" + strconv.Itoa(page))
						if total != strconv.Itoa(len(want)) {
							t.Fatalf("GET ?%s: total_items %s, want %d", query, total, len(want))
						}
						if len(ids) == 0 {
							break
						}
						got = append(got, ids...)
					}
					if diff := gocmp.Diff(want, got); diff != "" {
						t.Errorf("GET ?%s (-want +got):\n%s", query, diff)
					}
				}
			}
		}
	})
}
