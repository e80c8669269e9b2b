package shopapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
)

// §4: forms have at most 5 levels and 10,000 pairs; malformed ones name what is
// wrong.
func TestBadInput_Form(t *testing.T) {
	s := newShop(t)
	pairs := func(n int) string { return strings.TrimSuffix(strings.Repeat("a[]=1&", n), "&") }
	s.do("POST", "/api/aisles", pairs(10_000)).want(201)
	s.do("POST", "/api/aisles", pairs(10_001)).want(400).contains("10000 pairs")
	s.do("POST", "/api/aisles", "a[b][c][d][e]=1").want(201)
	s.do("POST", "/api/aisles", "a[b][c][d][e][f]=1").want(400).contains(`"a":"is nested more than 5 levels deep"`)
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
		`[1]`, `5`, `"x"`, `true`, `{} {}`, `{"a":1}x`, `{"a":1,}`, `{a:1}`, `{'a':1}`, `{"a":01}`, `{"a":NaN}`, `{"a":.5}`, "\ufeff{\"a\":1}", "//\n{}",
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
