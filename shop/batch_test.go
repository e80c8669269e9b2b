package shop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

const batchAddress = "/api/2.0/batch"

// openBatch opens a shop that takes batches, with the category 1 and products with the codes.
// A batch may take a minute, unless o says another time: a busy machine must not end it.
func openBatch(t *testing.T, st store.Store, o shopapi.Options, codes ...string) *apitest.Shop {
	t.Helper()
	if o.Limits.BatchTime == 0 {
		o.Limits.BatchTime = time.Minute
	}
	return openWithProducts(t, st, &shop.Options{Options: o, Batch: true}, codes...)
}

// responsesOf returns the status and the body of each response of a batch.
func responsesOf(t *testing.T, a *apitest.Answer) (list []string) {
	t.Helper()
	want(t, a, 200, "responses")
	var sent struct {
		Responses []struct {
			ID     string
			Status int
			Body   json.RawMessage
		}
	}
	a.Decode(&sent)
	for _, r := range sent.Responses {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d %.60s", r.ID, r.Status, r.Body)))
	}
	return list
}

// E6: an atomic batch is one transaction, its members see the changes of earlier members,
// and refer to their answers.
func TestE6_AtomicBatch(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		var events []string
		s := openBatch(t, st, shopapi.Options{Observer: func(_ context.Context, e shopapi.Event) {
			events = append(events, e.Entity+" "+e.ID+" "+string(e.Operation))
		}}, "MUG-41")
		got := responsesOf(t, s.Post(batchAddress, `{"requests": [
			{"id": "c", "method": "POST", "url": "categories", "body": {"category": "Plates {{c.category_id}}"}},
			{"id": "p", "method": "POST", "url": "products", "body": {"product": "{{c.x", "price": 1, "category_ids": ["{{c.category_id}}"], "product_code": "NEW"}},
			{"id": "o", "method": "POST", "url": "products/{{p.product_id}}/options", "body": {"option_name": "Size", "option_type": "I"}},
			{"method": "PUT", "url": "products/code:NEW?sl=en", "body": {"price": "2.50"}},
			{"method": "PUT", "url": "products/code:MUG-41", "body": {"product": "{{p.product_id}}", "amount": 3}, "refs": false},
			{"method": "DELETE", "url": "options/{{o.option_id}}"}
		]}`))
		if diff := cmp.Diff([]string{`c 201 {"category_id":"2"}`, `p 201 {"product_id":"2"}`, `o 201 {"option_id":"1"}`, `200 {"product_id":"2"}`, `200 {"product_id":"1"}`, `204 null`}, got); diff != "" {
			t.Error(diff)
		}
		for field, want := range map[string]string{"product": "{{c.x", "price": "2.50"} {
			if got := s.Get("/api/2.0/products/2").Field(field); got != want {
				t.Errorf("%s of the new product is %q, want %q", field, got, want)
			}
		}
		if got := s.Get("/api/2.0/products/1").Field("product"); got != "{{p.product_id}}" {
			t.Errorf("without references the text is %q", got)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		tail := []string{"categories 2 create", "products 2 create", "options 1 create", "products 2 update", "products 1 update", "options 1 delete"}
		if diff := cmp.Diff(tail, events[max(0, len(events)-len(tail)):]); diff != "" {
			t.Error(diff)
		}
	})
}

// E6: one request that fails among 999 undoes them all, and the answer says which and why.
func TestE6_AtomicBatchFails(t *testing.T) {
	t.Parallel()
	for _, open := range []func(testing.TB) store.Store{shoptest.Memory, shoptest.SQLite} {
		told := 0
		s := openBatch(t, open(t), shopapi.Options{
			Observer: func(context.Context, shopapi.Event) { told++ },
		})
		var members []string
		for i := range 999 {
			members = append(members, fmt.Sprintf(`{"id": "m%d", "method": "POST", "url": "categories", "body": {"category": "C%d"}}`, i, i))
		}
		members[700] = `{"id": "m700", "method": "POST", "url": "categories", "body": {"parent_id": "none", "category": ""}}`
		before := told
		a := s.Post(batchAddress, `{"requests": [`+strings.Join(members, ",")+`]}`)
		var failed struct {
			Message, Failed string
			Index           int
			Errors          map[string]string
		}
		a.Decode(&failed)
		if a.Status != 400 || failed.Failed != "m700" || failed.Index != 700 || failed.Message == "" || failed.Errors["parent_id"] == "" {
			t.Errorf("answered %d %s", a.Status, a.Body)
		}
		if n := s.Get("/api/2.0/categories"); strings.Count(n.Body, `"category_id"`) != 1 {
			t.Errorf("after the failure the categories are %.300s", n.Body)
		}
		if err := s.Flush(t.Context()); err != nil || told > before+1 {
			t.Errorf("%d events of what was undone, %v", told-before, err)
		}
	}
}

// E6: members of a batch that is not atomic are each for themselves, under the conditions of
// single requests.
func TestE6_EachForItself(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := openBatch(t, st, shopapi.Options{}, "MUG-41")
		tag := s.Get("/api/2.0/products/1").Header.Get("Etag")
		body, err := json.Marshal(map[string]any{"atomic": false, "requests": []any{
			map[string]any{"id": "a", "method": "GET", "url": "products/1?fields=price", "headers": map[string]string{"accept": "application/json"}},
			map[string]any{"id": "b", "method": "PUT", "url": "products/1", "body": map[string]any{"price": "dear"}},
			map[string]any{"id": "c", "method": "PUT", "url": "products/1", "body": map[string]any{"price": 9}, "headers": map[string]string{"If-Match": `"other"`}},
			map[string]any{"id": "d", "method": "PUT", "url": "products/1", "body": map[string]any{"price": 9}, "headers": map[string]string{"If-Match": tag}},
			map[string]any{"method": "GET", "url": "products/code:MUG-41?fields=price"},
			map[string]any{"method": "GET", "url": "nothing/1"},
			map[string]any{"method": "PUT", "url": "products/{{b.status}}", "body": map[string]any{"price": 8}},
			map[string]any{"method": "GET", "url": "products/1?fields=price", "headers": map[string]string{"Accept": "text/plain"}},
			map[string]any{"method": "PUT", "url": "products/1", "body": []int{1}},
			map[string]any{"method": "PUT", "url": "products/1"},
			map[string]any{"method": "GET", "url": "version"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			`a 200 {"product_id":"1","price":"3.00"}`, `b 400`, `c 412`, `d 200 {"product_id":"1"}`, `200 {"product_id":"1","price":"9.00"}`,
			`404`, `400 {"message":"The answer to b has no field status that`, `200 "product_id=1&price=9.00"`, `400`, `405`, `404`,
		}
		got := responsesOf(t, s.Post(batchAddress, string(body)))
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Error(cmp.Diff(want, got))
		}
	})
}

// E6: bodies of bad form change nothing, whether the batch is atomic or not.
func TestE6_BadForm(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{}, "MUG-41")
	good := `{"id": "a", "method": "POST", "url": "categories", "body": {"category": "Plates"}}`
	many := strings.TrimSuffix(strings.Repeat(good[:1]+good[len(`{"id": "a", `):]+",", 1001), ",")
	for _, test := range []struct {
		requests string // after the good one
		status   int
		text     string
	}{
		{`{"method": "POST", "url": "batch", "body": {"requests": []}}`, 400, "requests[1].url"},
		{`{"method": "POST", "url": "%62atch", "body": {"requests": []}}`, 400, "requests[1].url"},
		{`{"method": "POST", "url": "auth", "body": {"email": "a@example.com"}}`, 400, "requests[1].url"},
		{`{"method": "POST", "url": "changes"}, {"method": "POST", "url": "jobs"}, {"method": "POST", "url": "webhooks"}`, 400, "requests[3].url"},
		{`{"method": "POST", "url": "users/1/keys", "body": {}}`, 400, "requests[1].url"},
		{`{"method": "PATCH", "url": "products/1"}`, 400, "requests[1].method"},
		{`{"method": "DELETE", "url": "https://other.example/api/2.0/products/1"}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "//other.example/products/1"}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "/api/2.0/products/1"}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "products/../products/1"}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "products/%2e%2E/1"}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "products//1"}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "products/%zz"}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "products/1?a=%zz"}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": ""}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "products/1", "headers": {"Authorization": "Basic x"}}`, 400, "requests[1].headers"},
		{`{"method": "DELETE", "url": "products/1", "headers": {"Cookie": "x"}}`, 400, "requests[1].headers"},
		{`{"method": "PUT", "url": "products/1", "headers": {"content-type": "text/plain"}, "body": {}}`, 400, "requests[1].headers"},
		{`{"method": "DELETE", "url": "categories/9", "headers": {"If-Match": "*", "if-match": "*"}}`, 400, "If-Match once"},
		{`{"id": "a", "method": "DELETE", "url": "products/1"}`, 400, "requests[1].id"},
		{`{"id": "a b", "method": "DELETE", "url": "products/1"}`, 400, "requests[1].id"},
		{`{"method": "DELETE", "url": "products/{{b.id}}"}, {"id": "b", "method": "DELETE", "url": "products/1"}`, 400, "requests[1].url"},
		{`{"id": "b", "method": "PUT", "url": "products/1", "body": {"a": ["{{b.id}}"]}}`, 400, "requests[1].body"},
		{`{"id": "b", "method": "PUT", "url": "products/{{c.id}}", "body": {}}, {"id": "c", "method": "PUT", "url": "products/{{b.id}}", "body": {}}`, 400, "requests[1].url"},
		{`{"method": "DELETE", "url": "products/{{missing.id}}"}`, 400, "no request has the id missing"},
		{`{"method": "DELETE", "url": "products/{{a.api_key}}"}`, 400, "secret"},
		{`{"method": "PUT", "url": "products/1", "body": {"product": "{{a.password}}"}}`, 400, "secret"},
		{`"text"`, 400, "requests[1]"}, {`1`, 400, "requests[1]"}, {`{"method": 1}`, 400, "requests[1]"},
		{many, 413, "1000"},
	} {
		for _, atomic := range []string{"true", "false"} {
			a := s.Post(batchAddress, `{"atomic": `+atomic+`, "requests": [`+good+","+test.requests+`]}`)
			if a.Status != test.status || !strings.Contains(a.Body, test.text) {
				t.Errorf("%.80s is answered %d %.300s, want %d with %q", test.requests, a.Status, a.Body, test.status, test.text)
			}
		}
	}
	for body, status := range map[string]int{
		`{}`: 400, `[]`: 400, `{"requests": []}`: 400, `{"requests": {}}`: 400, `{"requests": [` + good + `]`: 400, `x`: 400,
		`{"atomic": "Y", "requests": [` + good + `]}`: 400, `{"requests": [{"method": "GET", "url": "products"}]}`: 400,
		strings.Repeat("[", 100_000): 400, `{"requests": "` + strings.Repeat("x", 9<<20) + `"}`: 413,
	} {
		if a := s.Post(batchAddress, body); a.Status != status || status == 413 && !strings.Contains(a.Body, "8388608") {
			t.Errorf("%.60s is answered %d %.300s, want %d", body, a.Status, a.Body, status)
		}
	}
	if a := s.PostForm(batchAddress, "requests=1"); a.Status != 415 {
		t.Errorf("a form is answered %d %s", a.Status, a.Body)
	}
	if a := s.Get(batchAddress); a.Status != 405 || a.Header.Get("Allow") != "POST" {
		t.Errorf("GET is answered %d %v", a.Status, a.Header)
	}
	if a := s.Get("/api/2.0/categories"); strings.Count(a.Body, `"category_id"`) != 1 {
		t.Errorf("the categories are %.300s", a.Body)
	}
}

// E6: what a batch refuses is refused below parents too, and where a reference completes the
// address. A response that is repeated would have the secret of a webhook.
func TestE6_RefusedBelowParents(t *testing.T) {
	t.Parallel()
	for parent, edition := range map[string]shopapi.Edition{"stores": shopapi.MultiStorefront, "vendors": shopapi.MultiVendor} {
		s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}, Batch: true, Webhooks: webhooks.Options{On: true}})
		const body = `{"url": "https://example.com/hook", "events": "products.*"}`
		want(t, s.Post("/api/2.0/"+parent+"/1/webhooks", body), 201, "secret")
		for _, address := range []string{
			parent + "/1/webhooks", parent + "/1/%77ebhooks", parent + "/1/webhooks/1", parent + "/1/webhooks/1/rotate_secret",
			parent + "/{{a.category_id}}/webhooks", parent + "/1/users/1/" + parent + "/1/webhooks", parent + "/1/auth", parent + "/1/users/1/keys",
		} {
			for _, atomic := range []string{"true", "false"} {
				want(t, s.Post(batchAddress, `{"atomic": `+atomic+`, "requests": [
					{"id": "a", "method": "POST", "url": "categories", "body": {"category": "Cups", "company_id": 1}},
					{"method": "POST", "url": "`+address+`", "body": `+body+`}]}`), 400, "requests[1].url")
			}
		}
		want(t, s.Get("/api/2.0/categories/1"), 404, "")
		want(t, s.Post("/api/2.0/categories", `{"category": "webhooks", "company_id": 1}`), 201, "")
		got := responsesOf(t, s.Post(batchAddress, `{"atomic": false, "requests": [{"id": "a", "method": "GET", "url": "categories/1"},
			{"method": "POST", "url": "`+parent+`/1/{{a.category}}", "body": `+body+`},
			{"method": "POST", "url": "`+parent+`/1/{{a.category}}/1/rotate_secret"}]}`))
		const refused = `400 {"message":"The url must not be an address of webhooks: send`
		if diff := cmp.Diff([]string{refused, refused}, got[1:]); diff != "" {
			t.Error(diff)
		}
		want(t, s.Get("/api/2.0/webhooks"), 200, `"total_items":"1"`)
	}
}

// E6: references that cannot be filled are the member's 400.
func TestE6_ReferencesThatCannotBeFilled(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{}, "code:MUG-41", "..")
	for _, test := range []struct {
		member, text string
		status       int
	}{
		{`{"method": "PUT", "url": "products/{{a.category_ids}}", "body": {"price": 2}}`, "category_ids", 400},
		{`{"method": "PUT", "url": "products/1", "body": {"product": "{{a.main_pair}}"}}`, "main_pair", 400},
		{`{"method": "PUT", "url": "products/1", "body": {"product": "{{a.nothing}}"}}`, "nothing", 400},
		{`{"method": "PUT", "url": "products/{{a.product_code}}", "body": {"price": 2}}`, "", 404}, // begins with code:, but is not a code
		{`{"method": "PUT", "url": "products/{{b.product_code}}", "body": {"price": 2}}`, "empty segments", 400},
		{`{"method": "PUT", "url": "products/{{a.meta_keywords}}", "body": {"price": 2}}`, "empty segments", 400},
		{`{"method": "POST", "url": "{{c.product}}", "body": {"requests": []}}`, "batch", 400},
		{`{"method": "GET", "url": "products?pcode={{a.product_code}}&pcode_exact=Y"}`, `"product_id":"1"`, 200},
	} {
		got := s.Post(batchAddress, `{"atomic": false, "requests": [{"id": "a", "method": "GET", "url": "products/1"}, {"id": "b", "method": "GET", "url": "products/2"},
			{"method": "PUT", "url": "products/2", "body": {"product": "batch"}}, {"id": "c", "method": "GET", "url": "products/2"}, `+test.member+`]}`)
		var sent struct {
			Responses []struct {
				Status int
				Body   json.RawMessage
			}
		}
		got.Decode(&sent)
		last := sent.Responses[len(sent.Responses)-1]
		if last.Status != test.status || !strings.Contains(string(last.Body), test.text) {
			t.Errorf("%s is answered %d %.300s, want %d with %q", test.member, last.Status, last.Body, test.status, test.text)
		}
	}
}

// E6: members that references fill beyond the limit of the body are a 413, be it the body or the url.
func TestE6_ReferencesBeyondTheLimit(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{Limits: shopapi.Limits{BatchBody: 4000}}, "MUG-41")
	want(t, s.Put("/api/2.0/products/1", `{"full_description": "`+strings.Repeat("x", 1000)+`"}`), 200, "product_id")
	for member, status := range map[string]string{
		`{"method": "GET", "url": "products?` + strings.Repeat("q={{a.full_description}}&", 3) + `"}`:                       "200",
		`{"method": "GET", "url": "products?` + strings.Repeat("q={{a.full_description}}&", 5) + `"}`:                       "413",
		`{"method": "PUT", "url": "products/1", "body": {"product": "{{a.full_description}}"}}`:                             "400",
		`{"method": "PUT", "url": "products/1", "body": {"x": ["` + strings.Repeat(`{{a.full_description}}","`, 5) + `"]}}`: "413",
	} {
		got := responsesOf(t, s.Post(batchAddress, `{"atomic": false, "requests": [{"id": "a", "method": "GET", "url": "products/1"}, `+member+`]}`))
		if len(got) != 2 || !strings.HasPrefix(got[1], status) {
			t.Errorf("%.60s is answered %.200q, want %s", member, got, status)
		}
	}
}

// E6: of a batch that is not atomic each member is for itself: where the time of the request ends, the response has
// the members before, which are done, and the others are 503.
func TestE6_TimeOfABatchEnds(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{Limits: shopapi.Limits{Time: 500 * time.Millisecond}})
	s.Categories.BeforeSave(func(ctx context.Context, _ store.Tx, _, after *categories.Category) error {
		if after.Name == "slow" {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	got := responsesOf(t, s.Post(batchAddress, `{"atomic": false, "requests": [{"method": "POST", "url": "categories", "body": {"category": "a"}},
		{"method": "POST", "url": "categories", "body": {"category": "slow"}}, {"method": "POST", "url": "categories", "body": {"category": "b"}}, {"method": "GET", "url": "categories"}]}`))
	for i, status := range []string{"201", "503", "503", "503"} {
		if len(got) != 4 || !strings.HasPrefix(got[i], status) {
			t.Errorf("the responses are %q, want %s for member %d", got, status, i)
		}
	}
	if all := s.Get("/api/2.0/categories").Body; !strings.Contains(all, `"a"`) || strings.Contains(all, `"b"`) {
		t.Errorf("the categories are %s", all)
	}
}

// E6: a member's key is of its own kind, and the key of an atomic batch has it carried out
// once.
func TestE6_IdempotencyKeys(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := openBatch(t, st, shopapi.Options{})
		post := func(key, body string) *apitest.Answer {
			return sendWith(t, s, "POST", batchAddress, "Idempotency-Key", key, body)
		}
		member := `{"method": "POST", "url": "categories", "body": {"category": "Plates"}, "headers": {"Idempotency-Key": "m"}}`
		first := post("b", `{"requests": [`+member+`]}`)
		if diff := cmp.Diff([]string{`201 {"category_id":"2"}`}, responsesOf(t, first)); diff != "" {
			t.Fatal(diff)
		}
		if again := post("b", `{"requests": [`+member+`]}`); again.Status != 200 || again.Body != first.Body {
			t.Errorf("again: %d %s, want %s", again.Status, again.Body, first.Body)
		}
		want(t, post("b", `{"requests": [`+strings.Replace(member, "Plates", "Bowls", 1)+`]}`), 422, "")
		want(t, post("other", `{"atomic": false, "requests": [`+member+`]}`), 400, "atomic")
		if got := responsesOf(t, s.Post(batchAddress, `{"requests": [`+member+`]}`)); got[0] != `201 {"category_id":"2"}` {
			t.Errorf("the member again: %s", got)
		}
		want(t, sendWith(t, s, "POST", "/api/2.0/categories", "Idempotency-Key", "m", `{"category": "Plates"}`), 422, "")
		want(t, sendWith(t, s, "POST", "/api/2.0/categories", "Idempotency-Key", "single", `{"category": "Plates"}`), 201, "")
		want(t, s.Post(batchAddress, `{"requests": [`+strings.Replace(member, `"m"`, `"single"`, 1)+`]}`), 422, `"index":0`)
		want(t, s.Post(batchAddress, `{"requests": [`+strings.Replace(member, `"m"`, `"b"`, 1)+`]}`), 422, "")
	})
}

// E6: answers above 64 KiB are kept as ids and statuses.
func TestE6_LargeAnswersAreKeptShort(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{Limits: shopapi.Limits{BatchTime: time.Minute}})
	var members []string
	for i := range 900 {
		members = append(members, fmt.Sprintf(`{"id": "m%d", "method": "POST", "url": "categories", "body": {"category": "C"}}`, i))
	}
	body := `{"requests": [` + strings.Join(members, ",") + `]}`
	first, again := sendWith(t, s, "POST", batchAddress, "Idempotency-Key", "b", body), sendWith(t, s, "POST", batchAddress, "Idempotency-Key", "b", body)
	want(t, first, 200, `{"id":"m899","status":201,"headers":{"Content-Type":"application/json"},"body":{"category_id":"901"}}`)
	want(t, again, 200, `{"id":"m899","status":201,"headers":{},"body":{"category_id":"901"}}`)
}

// E6: members count for the rate, all or none.
func TestE6_Rates(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{RateLimit: shopapi.RateLimit{Requests: 6, Seconds: 100}}) // one is used
	batch := func(n int) string {
		member := `{"method": "POST", "url": "categories", "body": {"category": "C"}}`
		return `{"requests": [` + strings.TrimSuffix(strings.Repeat(member+",", n), ",") + `]}`
	}
	want(t, s.Post(batchAddress, batch(3)), 200, "")
	want(t, s.Post(batchAddress, batch(7)), 413, "6 requests")
	if a := s.Post(batchAddress, batch(3)); a.Status != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("more than is left is answered %d %v %s", a.Status, a.Header, a.Body)
	}
}

// E6: the responses together have a limit, which GETs alone meet.
func TestE6_ResponseLimit(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{Limits: shopapi.Limits{Response: 12 << 10}}, "A", "B")
	get := `{"method": "GET", "url": "products/1"}`
	put := `{"method": "PUT", "url": "products/1", "body": {"price": 2}}`
	list := responsesOf(t, s.Post(batchAddress, `{"atomic": false, "requests": [`+strings.Repeat(get+",", 9)+put+`]}`))
	if !strings.HasPrefix(list[0], "200") || !strings.HasPrefix(list[8], "413") || !strings.HasPrefix(list[9], "200") {
		t.Errorf("answered %s", list)
	}
}

// E6: an atomic batch that holds the writer too long is undone.
func TestE6_BatchTime(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.SQLite(t), shopapi.Options{Limits: shopapi.Limits{BatchTime: time.Millisecond}})
	member := `{"method": "POST", "url": "categories", "body": {"category": "C"}}`
	a := s.Post(batchAddress, `{"requests": [`+strings.TrimSuffix(strings.Repeat(member+",", 900), ",")+`]}`)
	want(t, a, 413, "1ms")
	if a := s.Get("/api/2.0/categories"); strings.Count(a.Body, `"category_id"`) != 1 {
		t.Errorf("the categories are %.300s", a.Body)
	}
}

// E6: members have the privileges of single requests; batch itself needs none.
func TestE6_Privileges(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{}, "MUG-41")
	ctx := shopapi.WithUser(t.Context(), &shopapi.User{ID: 9, Type: shopapi.Administrator, Privileges: map[string]bool{"view_catalog": true}})
	list, err := bulk.Do(ctx, s.API, bulk.Batch{Requests: []bulk.Request{
		{Method: "GET", URL: "products/code:MUG-41"}, {Method: "PUT", URL: "products/1", Body: map[string]any{"price": 1}},
	}})
	if err != nil || list[0].Status != 200 || list[1].Status != 403 {
		t.Errorf("%v, %v", list, err)
	}
	list, err = bulk.Do(t.Context(), s.API, bulk.Batch{Atomic: true, Requests: []bulk.Request{{Method: "PUT", URL: "products/1", Body: map[string]any{"price": 1}}}})
	if err != nil || list[0].Status != 200 || string(list[0].Body) != `{"product_id":"1"}` {
		t.Errorf("%v, %v", list, err)
	}
}

// E6: images are stored before the transaction of an atomic batch, and cannot refer.
func TestE6_Images(t *testing.T) {
	t.Parallel()
	asked := 0
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{StoreImage: func(ctx context.Context, _, _ string) (string, error) {
		if asked++; bulk.InAtomicBatch(ctx) {
			t.Error("an image is stored within the transaction")
		}
		return "images/stored.jpg", nil
	}}, "MUG-41")
	pair := `"main_pair": {"detailed": {"image_path": "https://img.example/a.jpg"}}`
	want(t, s.Post(batchAddress, `{"requests": [{"id": "c", "method": "POST", "url": "categories", "body": {"category": "C"}}, {"method": "PUT", "url": "products/1", "body": {`+pair+`}}]}`), 200, "")
	if got := s.Get("/api/2.0/products/1").Body; asked != 1 || !strings.Contains(got, "images/stored.jpg") {
		t.Errorf("%d images were stored: %.300s", asked, got)
	}
	a := s.Post(batchAddress, `{"requests": [{"id": "c", "method": "POST", "url": "categories", "body": {"category": "C"}},
		{"method": "POST", "url": "products", "body": {"product": "P", "price": 1, "category_ids": ["{{c.category_id}}"], `+pair+`}}]}`)
	want(t, a, 400, "Images")
}

// E1: without the option there is no address.
func TestE6_Off(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithStore(t, shoptest.Memory(t), nil)
	want(t, s.Post(batchAddress, `{"requests": []}`), 404, "")
}

// E6: the members of a batch use the memory that the batch has. They wait for no other: batches of
// one user would wait for each other, an atomic one in its transaction.
func TestE6_MembersUseTheMemoryOfTheBatch(t *testing.T) {
	t.Parallel()
	var o shopapi.Options
	o.Limits.Memory = 4 << 20 // 256 KiB for the bodies of one user
	s := openBatch(t, memory.New(), o)
	member := fmt.Sprintf(`{"method": "POST", "url": "categories", "body": {"category": "Plates", "description": %q}}`, strings.Repeat("x", 100<<10))
	for _, atomic := range []bool{true, false} {
		body := fmt.Sprintf(`{"atomic": %v, "requests": [%s]}`, atomic, strings.Join(slices.Repeat([]string{member}, 5), ","))
		for _, r := range responsesOf(t, s.Post(batchAddress, body)) {
			if !strings.HasPrefix(r, "201 ") {
				t.Errorf("atomic: %v: a member is answered %s", atomic, r)
			}
		}
	}
}
