package shop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/shop"
)

// limit is the time limit of a request in these attacks. A short one shows how far
// requests exceed it; the default suits every machine.
var limit = time.Duration(times(30, 1)) * time.Second

func limited(o *shop.Options) { o.Limits.Time = limit }

// TestAttack_Search: long needles over long texts that almost match everywhere. Requests
// of other users are served meanwhile.
func TestAttack_Search(t *testing.T) {
	tg := newTarget(t, limited)
	mallory := tg.user("mallory@example.com", "view_discussions")
	category := tg.root.post("/api/categories", `{"category": "Cups"}`).id(t)
	ctx := t.Context()
	for range times(10, 60) {
		if _, err := tg.shop.Discussions.Create(ctx, discussions.Post{ObjectType: discussions.HomePage, Message: strings.Repeat("a", 64<<10)}); err != nil {
			t.Fatal(err)
		}
	}
	mallory.get("/api/discussions?message="+strings.Repeat("a", 128<<10)+"b").is(t, "a needle of 128 KiB", 400)
	long := 0
	for size := 1 << 17; size > 16 && long == 0; size /= 2 {
		if mallory.get("/api/discussions?message="+strings.Repeat("a", size-1)+"b").status != 400 {
			long = size
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var slowest, others time.Duration
	searching, stop := context.WithCancel(ctx)
	for i := range 8 {
		wg.Go(func() {
			for n := 0; searching.Err() == nil; n++ {
				needle := fmt.Sprintf("%sb%d", strings.Repeat("a", long-10), 8*n+i)
				r, err := mallory.try(ctx, "GET", "/api/discussions?message="+needle, "")
				if err != nil {
					t.Error(err)
					return
				}
				r.is(t, "a search", 200, 503)
				mu.Lock()
				slowest = max(slowest, r.took)
				mu.Unlock()
			}
		})
	}
	for i := range times(5, 30) { // addresses and a user that are not cached
		desk := tg.user(fmt.Sprintf("desk%d@example.com", i), "view_catalog")
		r := desk.get(fmt.Sprintf("/api/categories/%s?x=%d", category, i)).is(t, "somebody else meanwhile", 200)
		others = max(others, r.took)
	}
	stop()
	wg.Wait()
	t.Logf("needles of %d bytes in texts of 64 KiB, 8 at once: the slowest search took %.0f ms, its limit was %.0f ms; the slowest request of others %.0f ms",
		long, ms(slowest), ms(limit), ms(others))
}

// TestAttack_LongHeaders: long credentials and addresses cost little before they are
// refused.
func TestAttack_LongHeaders(t *testing.T) {
	aloneIsSlow(t)
	tg := newTarget(t, func(o *shop.Options) {
		o.Dialect, o.Banner = shopapi.DialectLive, shopapi.Banner{Brand: "shopapi", Version: "2.0", Edition: "single"}
	})
	nobody := tg.as("", "")
	for name, c := range map[string]struct {
		client   *attacker
		address  string
		statuses []int
	}{
		"an e-mail of 600 KB":            {tg.as(strings.Repeat("ß", 300_000)+"@example.com", "wrong-key-0123456789"), "/api/categories", []int{401, 431}},
		"a key of 600 KB":                {tg.as("owner@example.com", strings.Repeat("k", 600_000)), "/api/categories", []int{401, 431}},
		"a path of 800 KB":               {tg.root, "/api/" + strings.Repeat("a/", 400_000), []int{404, 414, 431}},
		"a path of 800 KB to the banner": {nobody, "/api/" + strings.Repeat("a/", 400_000) + "?version=1", []int{401, 404, 414, 431}},
	} {
		var took []time.Duration
		for range 3 {
			took = append(took, c.client.get(c.address).is(t, name, c.statuses...).took)
		}
		t.Logf("%s took %.1f ms", name, ms(slices.Min(took)))
	}
}

// TestAttack_MoveALargeTree: other writers wait while a subtree gets its paths.
func TestAttack_MoveALargeTree(t *testing.T) {
	aloneIsSlow(t)
	size := times(2_000, 4_000) // at most 5,000 move at once
	tg := newTarget(t, nil)
	mallory := tg.user("mallory@example.com", "view_catalog", "manage_catalog")
	top := mallory.post("/api/categories", `{"category": "Top"}`).id(t)
	other := mallory.post("/api/categories", `{"category": "Other"}`).id(t)
	list := make([]categories.Category, 1000)
	for i := range list {
		list[i] = categories.Category{Summary: categories.Summary{Name: "C", ParentID: 1, Position: 1}}
	}
	for range size / len(list) {
		if _, err := tg.shop.Categories.CreateAll(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	var slowest time.Duration
	moving, stop := context.WithCancel(t.Context())
	wg.Go(func() {
		for moving.Err() == nil {
			r, err := tg.root.try(t.Context(), "PUT", "/api/categories/"+other, fmt.Sprintf(`{"description": "%d"}`, time.Now().UnixNano()))
			if err != nil {
				t.Error(err)
				return
			}
			slowest = max(slowest, r.is(t, "a write meanwhile", 200).took)
		}
	})
	r := mallory.put("/api/categories/"+top, `{"parent_id": `+other+`}`).is(t, "the move", 200)
	stop()
	wg.Wait()
	moved := mallory.get("/api/categories/"+fmt.Sprint(size/2)).is(t, "one that was moved", 200)
	if want := fmt.Sprintf(`"id_path":"%s/%s/%d"`, other, top, size/2); !strings.Contains(moved.body, want) {
		t.Errorf("want %s in %s", want, moved.body)
	}
	t.Logf("moving %d categories took %.0f ms; the slowest write meanwhile %.0f ms", size, ms(r.took), ms(slowest))
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }
