package shopapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// §6: params has exactly these members, items_per_page and total_items as
// strings and page as a number.
func TestLists_Params(t *testing.T) {
	s := newShop(t)
	r := s.do("GET", "/api/aisles?page=2&items_per_page=2&sort_by=name&sort_order=desc", "").want(200)
	want := map[string]any{
		"items_per_page": "2", "page": 2.0, "sort_order": "desc", "sort_by": "name", "sort_order_rev": "asc", "total_items": "3",
	}
	if diff := cmp.Diff(want, r.tree()["params"]); diff != "" {
		t.Error(diff)
	}
	if items := r.tree()["aisles"].([]any); len(items) != 1 {
		t.Errorf("page 2 has %d items", len(items))
	}
	r = s.do("GET", "/api/aisles", "").want(200)
	want = map[string]any{
		"items_per_page": "10", "page": 1.0, "sort_order": "asc", "sort_by": "id", "sort_order_rev": "desc", "total_items": "3",
	}
	if diff := cmp.Diff(want, r.tree()["params"]); diff != "" {
		t.Error(diff)
	}
}

// §6: a page past the end is an empty list with the true total.
func TestLists_PastTheEnd(t *testing.T) {
	s := newShop(t)
	for _, page := range []string{"2", "1000000", "9223372036854775807"} {
		s.do("GET", "/api/aisles?page="+page, "").want(200).contains(`"aisles":[]`).contains(`"total_items":"3"`).contains(`"page":` + page)
	}
}

// §6: above the maximum the maximum is used, and params says so.
func TestLists_ItemsPerPage(t *testing.T) {
	s := newShop(t)
	for size, want := range map[string]string{"1": "1", "1000": "1000", "1001": "1000", "9223372036854775807": "1000"} {
		s.do("GET", "/api/aisles?items_per_page="+size, "").want(200).contains(`"items_per_page":"` + want + `"`)
	}
	s = newShop(t, func(o *shopapi.Options) { o.Limits.ItemsPerPage, o.Limits.MaxItemsPerPage = 2, 2 })
	s.do("GET", "/api/aisles", "").contains(`"items_per_page":"2"`)
	s.do("GET", "/api/aisles?items_per_page=3", "").contains(`"items_per_page":"2"`)
}

// §5: an invalid list parameter is 400 that names it.
func TestLists_Invalid(t *testing.T) {
	s := newShop(t)
	for _, name := range []string{"page", "items_per_page"} {
		for _, value := range []string{"0", "-1", "x", "1.5", "1e3", "%2B1", "%201", "９", "9223372036854775808"} {
			s.do("GET", "/api/aisles?"+name+"="+value, "").want(400).contains(`"errors":{"` + name + `":"must be a whole number from 1`)
		}
	}
	s.do("GET", "/api/aisles?sort_by=count", "").want(400).contains(`"sort_by":"must be one of id, name, not \"count\""`)
	s.do("GET", "/api/aisles?sort_by=ID", "").want(400)
	s.do("GET", "/api/aisles?sort_order=up", "").want(400).contains(`"sort_order":"must be asc or desc, not \"up\""`)
	r := s.do("GET", "/api/aisles?sort_order=up&sort_by=x&page=0&items_per_page=0", "").want(400)
	if fields := r.tree()["errors"].(map[string]any); len(fields) != 4 {
		t.Errorf("named %v", fields)
	}
}

// §4: a parameter that a client sends empty counts as not sent; repeats and
// name[] come together in one order; of a single one the last counts.
func TestLists_Filter(t *testing.T) {
	s := newShop(t)
	for range 20 { // maps have no order of their own
		s.do("GET", "/api/aisles?page=&sort_by=&sort_order=&a=1&a=2&a[]=3&a[7]=4&a[1]=5&b=&c=&c=x&ajax_custom=1&_d=x&d%5B%5D=y", "").want(200)
		want := url.Values{"a": {"1", "2", "5", "4", "3"}, "c": {"x"}, "d": {"y"}}
		if diff := cmp.Diff(want, s.aisles.saw.Filter); diff != "" {
			t.Fatal(diff)
		}
	}
	s.do("GET", "/api/aisles?page=0&page=2", "").want(200).contains(`"page":2`)
	s.do("GET", "/api.php?_d=aisles&a=1", "").want(200)
	if diff := cmp.Diff(url.Values{"a": {"1"}}, s.aisles.saw.Filter); diff != "" {
		t.Error(diff)
	}
}

func TestLists_BindFilter(t *testing.T) {
	type filter struct {
		Status  *string        `json:"status"`
		User    *int64         `json:"user_id"`
		Exists  *shopapi.Flag  `json:"exists"`
		IDs     []int64        `json:"ids"`
		Names   []string       `json:"names"`
		Company int64          `json:"company_id"`
		Groups  shopapi.IDList `json:"groups"`
	}
	bind := func(query url.Values) (filter, error) {
		var f filter
		err := (&shopapi.Request{Filter: query}).BindFilter(&f)
		return f, err
	}
	got, err := bind(url.Values{
		"status": {"A", "D"}, "user_id": {"0"}, "exists": {"True"}, "ids": {"1,2", "3"}, "names": {"a", "b,c"}, "groups": {"1,2"}, "other": {"x"},
	})
	want := filter{Status: new("D"), User: new(int64(0)), Exists: new(shopapi.Flag(true)), IDs: []int64{1, 2, 3}, Names: []string{"a", "b", "c"}, Groups: "1,2"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if got, err := bind(nil); err != nil || !cmp.Equal(got, filter{}) {
		t.Errorf("no parameters gave %+v, %v", got, err)
	}
	_, err = bind(url.Values{"user_id": {"x"}, "exists": {"maybe"}, "ids": {"1,x"}})
	var e *shopapi.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	problems := map[string]string{"user_id": `must be a whole number, not "x"`, "exists": "must be Y or N", "ids": `must be a whole number, not "x"`}
	if diff := cmp.Diff(problems, e.Fields); diff != "" {
		t.Error(diff)
	}
}

// A page that no memory could hold has an offset that none can reach.
func TestLists_Offset(t *testing.T) {
	for _, test := range []struct {
		page shopapi.Page
		want int
	}{
		{shopapi.Page{Number: 1, Size: 10}, 0},
		{shopapi.Page{Number: 3, Size: 10}, 20},
		{shopapi.Page{Number: math.MaxInt64, Size: 1}, math.MaxInt - 1},
		{shopapi.Page{Number: math.MaxInt64, Size: 1000}, math.MaxInt},
	} {
		if got := test.page.Offset(); got != test.want {
			t.Errorf("page %d of %d begins at %d, want %d", test.page.Number, test.page.Size, got, test.want)
		}
	}
}

// A bare entity answers its list as an array.
type bare struct {
	answers
	total  int64
	params bool
}

func (b bare) List(_ context.Context, r *shopapi.Request) (any, error) {
	l := shopapi.List{Items: []int{}, Bare: true}
	if b.params {
		p, err := r.Page(false, "id")
		if err != nil {
			return nil, err
		}
		l.Params = p.Params(b.total)
	}
	return l, nil
}

// §7, RFC 8288: if the body is a bare array, headers describe the page.
func TestLists_LinkHeader(t *testing.T) {
	for _, test := range []struct {
		address string
		total   int64
		want    string
	}{
		{"/api/answers?page=1", 25, `<?items_per_page=10&page=1>; rel="first", <?items_per_page=10&page=2>; rel="next", <?items_per_page=10&page=3>; rel="last"`},
		{"/api/answers?page=2", 25, `<?items_per_page=10&page=1>; rel="first", <?items_per_page=10&page=1>; rel="prev", <?items_per_page=10&page=3>; rel="next", <?items_per_page=10&page=3>; rel="last"`},
		{"/api/answers?page=3", 25, `<?items_per_page=10&page=1>; rel="first", <?items_per_page=10&page=2>; rel="prev", <?items_per_page=10&page=3>; rel="last"`},
		{"/api/answers?page=9", 25, `<?items_per_page=10&page=1>; rel="first", <?items_per_page=10&page=3>; rel="prev", <?items_per_page=10&page=3>; rel="last"`},
		{"/api/answers?page[]=2&items_per_page[x]=5", 25, `<?items_per_page=5&page=1>; rel="first", <?items_per_page=5&page=1>; rel="prev", <?items_per_page=5&page=3>; rel="next", <?items_per_page=5&page=5>; rel="last"`},
		{"/api/answers", 0, `<?items_per_page=10&page=1>; rel="first", <?items_per_page=10&page=1>; rel="last"`},
		{"/api/answers?items_per_page=5000", 1, `<?items_per_page=1000&page=1>; rel="first", <?items_per_page=1000&page=1>; rel="last"`},
		{"/api.php?_d=answers&status=A", 10, `<?_d=answers&items_per_page=10&page=1&status=A>; rel="first", <?_d=answers&items_per_page=10&page=1&status=A>; rel="last"`},
	} {
		s := newShop(t)
		if err := s.Register(bare{total: test.total, params: true}); err != nil {
			t.Fatal(err)
		}
		s.do("GET", test.address, "").want(200).is("[]").has("Link", test.want).has("X-Total-Count", shopapi.FormatID(test.total))
	}
	s := newShop(t)
	if err := s.Register(bare{}); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/answers", "").want(200).is("[]").has("Link", "").has("X-Total-Count", "")
	s.do("GET", "/api/aisles", "").want(200).has("Link", "")
}

// Link repeats the query up to four times, and none that is long, as it is sent or as
// it is encoded.
func TestLists_LinkIsBounded(t *testing.T) {
	for query, sent := range map[string]bool{
		strings.Repeat("a", 2_000): true,
		strings.Repeat("'", 600):   true,
		strings.Repeat("a", 2_100): false,
		strings.Repeat("'", 1_000): false,
	} {
		s := newShop(t)
		if err := s.Register(bare{total: 25, params: true}); err != nil {
			t.Fatal(err)
		}
		r := s.do("GET", "/api/answers?page=2&x="+query, "").want(200).has("X-Total-Count", "25")
		if link := r.Header().Get("Link"); (link != "") != sent || len(link) > 9<<10 {
			t.Errorf("for %d times %.1s Link has %d bytes", len(query), query, len(link))
		}
	}
}

// A page that a host makes by itself breaks no answer.
func TestLists_HostParams(t *testing.T) {
	s := newShop(t)
	if err := s.Register(answers{shopapi.List{Items: []int{}, Bare: true, Params: &shopapi.Params{TotalItems: 5}}}); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/answers", "").want(200).has("X-Total-Count", "5")
}

// BindList reports the problems of the filter and of the page in one response.
func TestBindList(t *testing.T) {
	r := shopapi.Request{Filter: url.Values{"shelf_id": {"x"}, "page": {"0"}, "sort_by": {"name"}}}
	var f struct {
		ShelfID *int64 `json:"shelf_id"`
	}
	_, err := r.BindList(&f, false, "id", "name")
	var told *shopapi.Error
	if !errors.As(err, &told) || told.Fields["shelf_id"] == "" || told.Fields["page"] == "" || len(told.Fields) != 2 {
		t.Errorf("error %v, want one about shelf_id and page", err)
	}
	r.Filter = url.Values{"shelf_id": {"7"}, "sort_by": {"name"}}
	page, err := r.BindList(&f, false, "id", "name")
	if err != nil || f.ShelfID == nil || *f.ShelfID != 7 || page.SortBy != "name" || page.Descending {
		t.Errorf("filter %+v, page %+v, %v", f, page, err)
	}
}

func TestPayload(t *testing.T) {
	for _, v := range []any{5, "x", []int{1}, func() {}} {
		if _, err := shopapi.NewPayload(v); err == nil {
			t.Errorf("%T became a payload", v)
		}
	}
	p, err := shopapi.NewPayload(map[string]any{"a": nil, "b": 1})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Has("a") || !p.Has("b") || p.Has("c") || string(p.Raw("b")) != "1" || p.Raw("c") != nil {
		t.Error("the payload does not hold what it was made of")
	}
	var none *shopapi.Payload
	if none.Has("a") || none.Raw("a") != nil {
		t.Error("no payload has fields")
	}
}

// §4: forms have at most 5 levels and 10,000 pairs; the error names the problem of a
// malformed one.
func TestBadInput_Form(t *testing.T) {
	s := newShop(t)
	pairs := func(n int) string { return strings.TrimSuffix(strings.Repeat("a[]=1&", n), "&") }
	s.do("POST", "/api/aisles", pairs(10_000)).want(201)
	s.do("POST", "/api/aisles", pairs(10_001)).want(400).contains("10000 pairs")
	s.do("POST", "/api/aisles", "a[b][c][d][e]=1").want(201)
	s.do("POST", "/api/aisles", "a[b][c][d][e][f][g]=1").want(400).contains(`"a":"is nested more than 5 levels deep"`)
	s.do("POST", "/api/aisles", "a"+strings.Repeat("[b]", 100_000)+"=1").want(400)
	for _, body := range []string{
		"=1", "[a]=1", "]=1", "a[=1", "a]=1", "a[b=1", "a[b]c=1", "a[b]]=1", "a[[b]]=1", "a[b][=1", "%5B=1",
		"%=1", "%zz=1", "a=%", "a=%f", "a=%zz",
		"a=1&a[b]=2", "a[b]=1&a=2", "a[]=1&a=2", "a=1&a[]=2", "a[b]=1&a[b][c]=2", "a[b][c]=1&a[b]=2",
		"a=%ff", "%ff=1", "a=%00", "%00=1", "a[%00]=1", "a[%ff]=1", "a=\xff", "a=\x00",
		"{", "{a=1", `{"a":1}`, `[1]`,
	} {
		s.do("POST", "/api/aisles", body).want(400)
	}
}

// JSON that is broken at any byte is 400, and says where.
func TestBadInput_JSON(t *testing.T) {
	s := newShop(t)
	const whole = `{"name":"a\u00e9\n","count":-1.5e3,"x":[1,{"y":null},true,false],"z":{"a":""}}`
	for i := 1; i < len(whole); i++ {
		s.do("POST", "/api/aisles", whole[:i], asJSON).want(400)
		r := s.do("POST", "/api/aisles", whole[:i]+"\x01"+whole[i:], asJSON)
		if r.Code >= 500 || r.Code < 300 {
			t.Errorf("a control character at byte %d is answered %d", i, r.Code)
		}
	}
	s.do("POST", "/api/aisles", `{"name"`, asJSON).want(400).contains("not valid JSON").contains("at byte 7")
	for _, body := range []string{
		`[1]`, `5`, `"x"`, `true`, `{} {}`, `{"a":1}x`, `{"a":1,}`, `{a:1}`, `{'a':1}`, `{"a":01}`, `{"a":NaN}`, `{"a":.5}`, "//\n{}",
		`{"a":"\ud800"}`, `{"a":"\udc00\ud800"}`, `{"a":"\ud800\u0041"}`, `{"\ud800":1}`, `{"a":"\u0000"}`, `{"\u0000":1}`, `{"a":"\u00"}`, `{"a":"\x"}`,
		"{\"a\":\"\xff\"}", "{\"a\":\"\x00\"}", "{\"\xff\":1}",
	} {
		s.do("POST", "/api/aisles", body, asJSON).want(400)
	}
	s.do("POST", "/api/aisles", `{"name":"\ud83d\ude00\\u0000"}`, asJSON).want(201)
}

func TestBadInput_DeepJSON(t *testing.T) {
	s := newShop(t)
	for _, n := range []int{100, 10_000, 100_000} {
		s.do("POST", "/api/aisles", `{"a":`+strings.Repeat("[", n)+strings.Repeat("]", n)+"}", asJSON).want(400).contains("100 levels")
		s.do("POST", "/api/aisles", strings.Repeat("[", n+1), asJSON).want(400)
		s.do("POST", "/api/aisles", strings.Repeat(`{"a":`, n+1), asJSON).want(400)
	}
	s.do("POST", "/api/aisles", `{"a":`+strings.Repeat("[", 99)+strings.Repeat("]", 99)+"}", asJSON).want(201)
}

// §4: the limit of a body is 1 MiB by default, and an option.
func TestBadInput_LargeBody(t *testing.T) {
	s := newShop(t)
	fill := func(n int) string { return "name=" + strings.Repeat("x", n-len("name=")) }
	s.do("POST", "/api/aisles", fill(1<<20)).want(201)
	s.do("POST", "/api/aisles", fill(1<<20+1)).want(413).contains("1048576")
	s.do("POST", "/api/aisles", fill(2<<20)).want(413)
	small := newShop(t, func(o *shopapi.Options) { o.Limits.Body = 10 })
	small.do("PUT", "/api/aisles/1", "name=12345").want(200)
	small.do("PUT", "/api/aisles/1", "name=123456").want(413)
}

func TestBadInput_Query(t *testing.T) {
	s := newShop(t)
	for _, query := range []string{"a=%", "a=%zz", "%f=1", "a=1;b=2", "a=%ff", "%ff=1", "a=%00", "%00=1", "name[%00]=1"} {
		s.do("GET", "/api/aisles?"+query, "").want(400)
		s.do("GET", "/api.php?_d=aisles&"+query, "").want(400)
		s.do("POST", "/api/aisles?"+query, "name=x").want(400)
	}
	s.do("GET", "/api/aisles?b[1]=%ff&a=1&c=%00&a%ff=1&b[0]=%ff&d=%ff", "").want(400).
		contains(`"message":"a\ufffd must be valid UTF-8 without NUL characters; b must be valid UTF-8 without NUL characters; c must be`)
	s.do("GET", "/api.php?_d=%zz", "").want(404)
	s.do("GET", "/api/aisles?"+strings.Repeat("a=1&", 9000), "").want(200)
	s.do("GET", "/api/aisles?"+strings.Repeat("a=1&", 20_000), "").want(400)
}

// No header of a client can bring about a 5xx.
func TestBadInput_Headers(t *testing.T) {
	s := newShop(t)
	odd := []string{"", " ", ",", ";", "=", "/", "*", `"`, `\`, "\xff", "ü", strings.Repeat("a", 10_000), strings.Repeat(",", 10_000), strings.Repeat("for=,", 1000), `for="`, "[", "a/b;c", "q=;q", "utf-8", "0", "-1"}
	for _, name := range []string{"Accept", "Content-Type", "Authorization", "X-Forwarded-For", "Forwarded", "Content-Encoding", "Expect", "If-Match", "X-Http-Method-Override"} {
		for _, value := range odd {
			for _, method := range []string{"GET", "PUT"} {
				if r := s.do(method, "/api/aisles/1", "name=x", with(name, value), with(name, value), from(value)); r.Code >= 500 {
					t.Errorf("%s %s: %.20q is answered %d", method, name, value, r.Code)
				}
			}
		}
	}
}

// A body that never ends is answered when the time is over, on a real connection.
func TestBadInput_EndlessBody(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Limits.Time = 500 * time.Millisecond })
	server := httptest.NewServer(s.API)
	defer server.Close()
	for name, head := range map[string]string{
		"chunked":        "Transfer-Encoding: chunked\r\n\r\n5\r\nname=\r\n",
		"content length": "Content-Length: 1000\r\n\r\nname=",
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST /api/aisles HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n%s", basic("root@example.com:key"), head)
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if response.StatusCode != 408 || err != nil || !strings.Contains(string(body), "did not arrive in time") {
				t.Errorf("%d %s, %v", response.StatusCode, body, err)
			}
		})
	}
}

// A body that goes on for ever ends at the limit.
func TestBadInput_UnboundedBody(t *testing.T) {
	s := newShop(t)
	server := httptest.NewServer(s.API)
	defer server.Close()
	endless := io.MultiReader(strings.NewReader("name="), zeros{})
	req, err := http.NewRequest("POST", server.URL+"/api/aisles", endless)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("root@example.com", "key")
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 413 {
		t.Errorf("status %d, want 413", response.StatusCode)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// A client that goes away while it sends is not a fault of the server.
func TestBadInput_BrokenBody(t *testing.T) {
	s := newShop(t)
	req := httptest.NewRequest("POST", "/api/aisles", io.MultiReader(strings.NewReader("name="), failing{}))
	s.send(s.API, req).want(400).contains("could not be read")
	if len(s.trace) > 0 {
		t.Errorf("operations ran: %q", s.trace)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
