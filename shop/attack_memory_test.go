package shop_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// ones is a JSON array of n times 1.
func ones(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }

// TestAttack_PlainTextAmplifies: text/plain repeats the path of each leaf, so that a
// long name over many leaves is a long response.
func TestAttack_PlainTextAmplifies(t *testing.T) {
	aloneIsSlow(t)
	tg := newTarget(t, nil)
	category := tg.root.post("/api/categories", `{"category": "Cups"}`).id(t)
	product := tg.root.post("/api/products", `{"product": "Mug", "category_ids": [`+category+`]}`).id(t)
	request := tg.root.post("/api/call_requests", `{"phone": "1"}`).id(t)
	mallory := tg.user("mallory@example.com", "view_catalog", "manage_catalog", "view_call_requests", "manage_call_requests")
	g := measure(t)
	anything, sizes := false, []int{200_000, 50_000, 10_000}
	if longAttacks {
		sizes = []int{200_000, 100_000, 50_000, 20_000, 10_000, 5_000}
	}
	for _, c := range []struct{ address, body string }{
		{"/api/categories/" + category, `{"selected_views": {"%s": %s}}`},
		{"/api/products/" + product, `{"product_features": {"1": {"%s": %s}}}`},
		{"/api/call_requests/" + request, `{"cart_products": [{"product_id": 1, "product": "%s"}%.0s]}`},
	} {
		field, _, _ := strings.Cut(c.body[2:], `"`)
		taken := 0
		// The full size first, then smaller ones until the field accepts it.
		for _, size := range sizes {
			if mallory.put(c.address, fmt.Sprintf(c.body, strings.Repeat("k", size), ones(size/2))).is(t, field, 200, 400).status == 200 {
				taken = max(taken, size)
			}
			r := mallory.with("Accept", "text/plain").get(c.address)
			r.is(t, field+" as text/plain", 200, 406)
			if len(r.body) > 16<<20 {
				t.Errorf("%s: a response of %d MiB", field, len(r.body)>>20)
			}
			if r.status == 406 && !strings.Contains(r.body, "application%2Fjson") {
				t.Errorf("%s: 406 does not name JSON: %s", field, r.body)
			}
		}
		anything = anything || taken > 0
		g.kept(fmt.Sprintf("text/plain of %s, %d bytes of which are taken", field, 2*taken))
	}
	if !anything {
		t.Error("no field took a long name over many leaves: the attack has no aim")
	}
}

// TestAttack_LongResponses: pages of objects with long documents, and lists without
// pages of objects with long names.
func TestAttack_LongResponses(t *testing.T) {
	aloneIsSlow(t)
	tg := newTarget(t, nil)
	mallory := tg.user("mallory@example.com", "view_catalog", "manage_catalog")
	category := mallory.post("/api/categories", `{"category": "Cups"}`).id(t)
	g := measure(t)
	document := func(size int) string {
		return fmt.Sprintf(`{"product": "P", "category_ids": [%s], "full_description": %q, "promo_text": %[2]q}`, category, strings.Repeat("x", size))
	}
	mallory.post("/api/products", document(1<<20-1000)).is(t, "1 MB of texts", 400, 413)
	largest := 0
	for size := 1 << 19; size > 1<<10 && largest == 0; size /= 2 {
		if mallory.post("/api/products", document(size-100)).status == 201 {
			largest = size - 100
		}
	}
	if largest == 0 {
		t.Fatal(mallory.post("/api/products", document(1)).body)
	}
	for range times(20, 17<<20/(2*largest)+1) { // enough for a page longer than the maximum response
		mallory.post("/api/products", document(largest)).is(t, "a product", 201)
	}
	t.Logf("the longest document that is taken has about %d KiB", largest>>10)
	r := mallory.get("/api/products?items_per_page=1000")
	if r.is(t, "a page of long documents", 200, 400); r.status == 200 && len(r.body) > 16<<20 {
		t.Errorf("a page of %d MiB", len(r.body)>>20)
	}
	if r.status == 400 && !strings.Contains(r.body, "items_per_page") {
		t.Errorf("the error does not tell to ask for fewer: %s", r.body)
	}
	mallory.get("/api/products?items_per_page=10").is(t, "a shorter page", 200)

	mallory.post("/api/categories", fmt.Sprintf(`{"category": %q}`, strings.Repeat("c", 900<<10))).is(t, "a name of 900 KB", 400)
	g.kept("long documents and names")
}

// TestAttack_LongFilters: filters, lists of ids, needles and queries take no memory
// after the request.
func TestAttack_LongFilters(t *testing.T) {
	aloneIsSlow(t)
	tg := newTarget(t, nil)
	mallory := tg.user("mallory@example.com", "view_users", "view_catalog", "view_discussions", "manage_discussions")
	ids := func(n, from int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint(from + i)
		}
		return strings.Join(list, ",")
	}
	g := measure(t)
	for i := range 4 {
		mallory.get("/api/users?user_ids="+ids(100_000, i)).is(t, "100,000 ids", 400)
	}
	for i := range times(10, 100) {
		mallory.get("/api/users?user_ids="+ids(1_000, 100_000*i)).is(t, "1,000 ids", 200)
	}
	g.kept("lists by many ids")

	for i := range 3 {
		mallory.get(fmt.Sprintf("/api/products?pname=Y&q=%d%s", i, strings.Repeat("q", 500_000))).is(t, "a needle of 500 KB", 400)
	}
	long := 0
	for size := 1 << 18; size > 16 && long == 0; size /= 2 {
		if mallory.get("/api/discussions?message="+strings.Repeat("n", size)).status == 200 {
			long = size
		}
	}
	t.Logf("the longest needle that is taken has about %d bytes", long)
	for i := range times(50, 400) {
		needle := fmt.Sprintf("%06d%s", i, strings.Repeat("n", max(0, long-6)))
		mallory.get("/api/discussions?items_per_page=1&message="+needle).is(t, "a long needle", 200)
	}
	message := strings.Repeat("n", 60<<10)
	r := mallory.post("/api/discussions", fmt.Sprintf(`{"object_type": "E", "message": %q}`, message)).is(t, "a long message", 201)
	t.Logf("a write of %d KiB after the needles took %.1f ms", len(message)>>10, r.took.Seconds()*1000)
	g.kept("needles")

	for i := range 40 {
		mallory.get(fmt.Sprintf("/api/categories?page=1&items_per_page=1&x=%d%s", i, strings.Repeat("'", 40_000))).is(t, "40,000 quotes", 200, 400)
	}
	for i := range times(40, 400) {
		query := url.QueryEscape(strings.Repeat("ü\"", 2000))
		mallory.get(fmt.Sprintf("/api/categories?page=1&items_per_page=1&x=%d%s", i, query)).is(t, "a query that is escaped", 200, 400)
	}
	g.kept("queries that Link repeats")
}

// TestAttack_FillTheCache: one user requests more than the cache can hold, in short and
// in long responses.
func TestAttack_FillTheCache(t *testing.T) {
	aloneIsSlow(t)
	tg := newTarget(t, nil)
	mallory := tg.user("mallory@example.com", "view_catalog", "manage_catalog", "view_discussions")
	var category string
	for range 20 {
		category = mallory.post("/api/categories", `{"category": "`+strings.Repeat("c", 200)+`"}`).id(t)
	}
	mallory.post("/api/products", fmt.Sprintf(`{"product": "P", "category_ids": [%s], "full_description": %q}`, category, strings.Repeat("d", 60<<10))).id(t)
	g := measure(t)
	for i := range times(500, 30_000) {
		mallory.get(fmt.Sprintf("/api/categories/%s?x=%d", category, i)).is(t, "a category", 200)
	}
	g.kept("many addresses of one category")

	for i := range times(300, 20_000) {
		mallory.get(fmt.Sprintf("/api/discussions?items_per_page=%d&page=%d&time_from=%d&status=A", 1+i%1000, 1+i%7, i)).is(t, "a list", 200)
	}
	g.kept("many lists of nothing")

	for i := range times(100, 1_500) {
		mallory.get(fmt.Sprintf("/api/products/1?x=%d", i)).is(t, "a product", 200)
	}
	g.kept("many addresses of one long product")
}

// TestAttack_ManySpellingsOfCredentials: each spelling of the header is a key of its
// own, and could take as much memory as the user's rights.
func TestAttack_ManySpellingsOfCredentials(t *testing.T) {
	aloneIsSlow(t)
	tg := newTarget(t, nil)
	privileges := []string{"view_catalog"}
	for i := range 250 {
		privileges = append(privileges, fmt.Sprintf("privilege_%d_%s", i, strings.Repeat("p", 40)))
	}
	mallory := tg.user("mallory@example.com", privileges...)
	g := measure(t)
	for i := range times(500, 50_000) {
		spelled := tg.as(strings.Repeat(" ", i%400)+mallory.email+strings.Repeat(" ", i/400), mallory.key)
		spelled.http = mallory.http
		spelled.get("/api/categories").is(t, "a spelling", 200)
	}
	g.kept("many spellings of one user with 250 privileges")
}
