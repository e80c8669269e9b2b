package shopapi_test

import (
	"github.com/shopapi/shopapi/internal/notestest"

	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/shopapi/shopapi"
)

const (
	jsonType = "application/json"
	textType = "text/plain; charset=utf-8"
)

// §4: Accept chooses the format.
func TestFormats_Accept(t *testing.T) {
	s := newShop(t)
	for _, test := range []struct {
		accept string
		want   string // "" for 406
	}{
		{"", jsonType},
		{"application/json", jsonType},
		{"text/plain", textType},
		{"*/*", jsonType},
		{"application/*", jsonType},
		{"text/*", textType},
		{"APPLICATION/Json", jsonType},
		{"Text/PLAIN", textType},
		{"text/plain;q=0.9, application/json;q=0.1", textType},
		{"text/plain;q=0.1, application/json;q=0.9", jsonType},
		{"text/plain;Q=0.1, application/json;Q=0.2", jsonType},
		{"text/plain, application/json", jsonType},
		{"text/plain, */*;q=0.5", textType},
		{"text/plain;q=0.2, */*;q=0.5", jsonType},
		{"text/*;q=0.3, text/plain;q=0.7, */*;q=0.5", textType},
		{"text/*;q=0.9, text/plain;q=0.1, */*;q=0.5", jsonType},
		{"application/json;q=0, */*", textType},
		{"text/plain;q=0, */*", jsonType},
		{"application/json;q=0", ""},
		{"*/*;q=0", ""},
		{"*/*;q=0, text/plain", textType},
		{"text/html, application/xhtml+xml, */*;q=0.8", jsonType},
		{"image/png", ""},
		{"text/html", ""},
		{"*", ""},
		{"json", ""},
		{"*/json", ""},
		{"application/json; charset=utf-8", jsonType},
		{`text/plain; charset="UTF-8"`, textType},
		{"text/plain; charset=latin1", ""},
		{"text/plain; charset=latin1, */*;q=0.1", jsonType},
		{`application/json;profile="a,b;q=0", text/plain`, textType},
		{`application/json;q="0.5", text/plain;q=0.4`, jsonType},
		{"application/json;q=2", ""},
		{"application/json;q=NaN", ""},
		{"application/json;q=x, text/plain;q=0.1", textType},
		{"application/json;q=0.5;level=1", jsonType},
		{" application/json ; q=0.5 ,, text/plain ; q=0.4 ", jsonType},
		{`application/json;x="unclosed, text/plain`, ""},
		{"; , ;", ""},
	} {
		t.Run(test.accept, func(t *testing.T) {
			var h []header
			if test.accept != "" {
				h = append(h, with("Accept", test.accept))
			}
			r := s.do("GET", "/api/aisles/1", "", h...)
			if test.want == "" {
				r.want(406).has("Content-Type", jsonType).contains("Available: application/json, text/plain")
				return
			}
			r.want(200).has("Content-Type", test.want)
		})
	}
	s.do("GET", "/api/aisles/1", "", with("Accept", "application/json;q=0.1"), with("Accept", "text/plain")).want(200).has("Content-Type", textType)
	s.do("GET", "/api/aisles/1", "", with("Accept", "")).want(200).has("Content-Type", jsonType)
}

// §4: text/plain is the same tree as form-style pairs.
func TestFormats_TextOutput(t *testing.T) {
	s := newShop(t)
	text := with("Accept", "text/plain")
	s.do("GET", "/api/aisles/1", "", text).want(200).is("thing_id=1&name=aisles&count=10")
	s.do("GET", "/api/aisles?items_per_page=2", "", text).want(200).is(
		"aisles[0][thing_id]=1&aisles[0][name]=aisles&aisles[0][count]=10&aisles[1][thing_id]=2&aisles[1][name]=aisles&aisles[1][count]=20" +
			"&params[items_per_page]=2&params[page]=1&params[sort_order]=asc&params[sort_by]=id&params[sort_order_rev]=desc&params[total_items]=3")
	s.do("POST", "/api/aisles", "name=x", text).want(201).is("thing_id=4")
	s.do("DELETE", "/api/aisles/4", "", text).want(204).is("")
	s.do("PUT", "/api/aisles/1", "count=x", text).want(400).has("Content-Type", textType).
		is("message=count%20must%20be%20a%20whole%20number%2C%20not%20%22x%22.&status=400&errors[count]=must%20be%20a%20whole%20number%2C%20not%20%22x%22")
}

// An answer entity answers every GET with a value of the test.
type answers struct{ value any }

func (answers) Describe() shopapi.Description {
	return shopapi.Description{Name: "answers", Privileges: shopapi.Privileges{View: "view"}}
}
func (a answers) List(context.Context, *shopapi.Request) (any, error) { return a.value, nil }

func TestFormats_Output(t *testing.T) {
	for _, test := range []struct {
		name       string
		value      any
		json, text string
	}{
		{"null", map[string]any{"a": nil}, `{"a":null}`, "a="},
		{"scalars", shopapi.Map{{Name: "b", Value: true}, {Name: "a", Value: 1.5}, {Name: "c", Value: "x y+z&ü/é"}}, `{"b":true,"a":1.5,"c":"x y+z&ü/é"}`, "b=true&a=1.5&c=x%20y%2Bz%26%C3%BC%2F%C3%A9"},
		{"no HTML escapes", shopapi.Map{{Name: "a", Value: "<b>&"}}, `{"a":"<b>&"}`, "a=%3Cb%3E%26"},
		{"empty array", shopapi.Map{{Name: "a", Value: []int{}}, {Name: "b", Value: map[string]int{}}}, `{"a":[],"b":{}}`, "a=&b="},
		{"bare array", []string{"x", "y"}, `["x","y"]`, "0=x&1=y"},
		{"bare empty array", []string{}, `[]`, ""},
		{"nested", shopapi.Map{{Name: "a", Value: []any{shopapi.Map{{Name: "b", Value: "1"}}, "2"}}}, `{"a":[{"b":"1"},"2"]}`, "a[0][b]=1&a[1]=2"},
		{"names", shopapi.Map{{Name: "a[b]&c", Value: "1"}}, `{"a[b]&c":"1"}`, "a%5Bb%5D%26c=1"},
		{"stored JSON", shopapi.Map{{Name: "a", Value: shopapi.JSON(`{"x":[1,2]}`)}, {Name: "b", Value: shopapi.JSON(nil)}}, `{"a":{"x":[1,2]},"b":[]}`, "a[x][0]=1&a[x][1]=2&b="},
		{"flags", shopapi.Map{{Name: "a", Value: shopapi.Flag(true)}, {Name: "b", Value: shopapi.Flag(false)}}, `{"a":"Y","b":"N"}`, "a=Y&b=N"},
		{"large number", shopapi.Map{{Name: "a", Value: int64(12345678901234567)}}, `{"a":12345678901234567}`, "a=12345678901234567"},
		{"invalid UTF-8", shopapi.Map{{Name: "a", Value: "\xff"}}, `{"a":"\ufffd"}`, "a=%EF%BF%BD"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t)
			if err := s.Register(answers{test.value}); err != nil {
				t.Fatal(err)
			}
			s.do("GET", "/api/answers", "").want(200).is(test.json)
			s.do("GET", "/api/answers", "", with("Accept", "text/plain")).want(200).is(test.text)
		})
	}
}

// A value that does not encode is a fault of the program, and no half answer.
func TestFormats_NotEncodable(t *testing.T) {
	s := newShop(t)
	if err := s.Register(answers{map[string]any{"a": func() {}}}); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/answers", "").want(500).has("Content-Type", jsonType).contains("could not be served")
}

// §4: Content-type chooses how the body is read.
func TestFormats_Input(t *testing.T) {
	const form, json = "name=a+b&count=7", `{"name":"a b","count":7}`
	for _, test := range []struct {
		contentType string
		body        string
		want        int
	}{
		{"", form, 201},
		{" ", form, 201},
		{"text/plain", form, 201},
		{"Text/Plain; charset=UTF-8", form, 201},
		{`text/plain; charset="utf-8"`, form, 201},
		{"application/x-www-form-urlencoded", form, 201},
		{"application/x-www-form-urlencoded; charset=utf-8", form, 201},
		{"application/json", json, 201},
		{"application/json;charset=utf-8", json, 201},
		{"application/json; charset=utf8", json, 201},
		{"application/json", "\uFEFF" + json, 201},
		{"application/x-www-form-urlencoded", "\uFEFF" + form, 201},
		{"application/json", "\uFEFF\uFEFF" + json, 400},
		{"text/json", json, 201},
		{"APPLICATION/JSON", json, 201},
		{"application/json; charset=latin1", json, 415},
		{"text/plain; charset=iso-8859-1", form, 415},
		{"text/xml", form, 415},
		{"multipart/form-data; boundary=x", form, 415},
		{"application/vnd.api+json", json, 415},
		{"application/json; charset", json, 415},
		{"nonsense", form, 415},
		{"/", form, 415},
		{"application/json", form, 400},
		{"", json, 400},
		{"text/plain", json, 400},
	} {
		t.Run(test.contentType, func(t *testing.T) {
			s := newShop(t)
			var h []header
			if test.contentType != "" {
				h = append(h, with("Content-Type", test.contentType))
			}
			s.do("POST", "/api/aisles", test.body, h...).want(test.want)
			if test.want == 201 {
				s.do("GET", "/api/aisles/4", "").is(`{"thing_id":"4","name":"a b","count":"7"}`)
			}
		})
	}
}

// A request without a body may carry any Content-Type.
func TestFormats_ContentTypeWithoutBody(t *testing.T) {
	s := newShop(t)
	xml := with("Content-Type", "text/xml")
	s.do("GET", "/api/aisles", "", xml).want(200)
	s.do("GET", "/api/aisles", "<x/>", xml).want(200)
	s.do("DELETE", "/api/aisles/1", "<x/>", xml).want(204)
}

// §4: what counts as an empty payload.
func TestFormats_EmptyPayload(t *testing.T) {
	s := newShop(t)
	for _, body := range []string{"", " \r\n\t", "{}", "[]", "null", " { } ", "[\n]", " null\n", "\uFEFF", "\uFEFF{}"} {
		for _, contentType := range []string{"application/json", "text/plain", "application/x-www-form-urlencoded"} {
			s.do("POST", "/api/aisles", body, with("Content-Type", contentType)).want(405).has("Allow", "GET, HEAD, POST").contains("payload is empty")
			s.do("PUT", "/api/aisles/1", body, with("Content-Type", contentType)).want(405).has("Allow", "GET, HEAD, PUT, DELETE")
		}
	}
	s.do("POST", "/api/aisles", "&&").want(405)
}

// A request that Go code makes without a body is answered as one with an empty body.
func TestFormats_NoBody(t *testing.T) {
	s := newShop(t)
	for method, want := range map[string]int{"POST": 405, "GET": 200} {
		req, err := http.NewRequest(method, "/api/aisles", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth("root@example.com", "key")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		if w.Code != want || req.Body != nil {
			t.Errorf("%s: %d %s, want %d", method, w.Code, w.Body, want)
		}
	}
}

// §4: form style nests, appends, and the last of a repeated plain name wins.
func TestFormats_Form(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"a=1", `{"a":"1"}`},
		{"a=1&a=2", `{"a":"2"}`},
		{"a", `{"a":""}`},
		{"a=", `{"a":""}`},
		{"a=b=c", `{"a":"b=c"}`},
		{"a=%26%3D+%2B", `{"a":"&= +"}`},
		{"&a=1&&b=2&", `{"a":"1","b":"2"}`},
		{"a[]=1&a[]=2", `{"a":["1","2"]}`},
		{"a%5B%5D=1&a%5b%5d=2", `{"a":["1","2"]}`},
		{"a[0]=1&a[1]=2", `{"a":["1","2"]}`},
		{"a[1]=1&a[0]=2", `{"a":{"1":"1","0":"2"}}`},
		{"a[5]=1&a[]=2", `{"a":{"5":"1","6":"2"}}`},
		{"a[x]=1&a[]=2", `{"a":{"x":"1","0":"2"}}`},
		{"a[x]=1&a[x]=2", `{"a":{"x":"2"}}`},
		{"a[-5]=1&a[]=2", `{"a":{"-5":"1","0":"2"}}`},
		{"a[b][c]=1&a[b][d]=2&a[e]=3", `{"a":{"b":{"c":"1","d":"2"},"e":"3"}}`},
		{"a[][x]=1&a[][x]=2", `{"a":[{"x":"1"},{"x":"2"}]}`},
		{"a[0][x]=1&a[0][y]=2", `{"a":[{"x":"1","y":"2"}]}`},
		{"a[b][c][d][e]=1", `{"a":{"b":{"c":{"d":{"e":"1"}}}}}`},
		{"a[ b ]=1", `{"a":{" b ":"1"}}`},
		{"ü[é]=ß", `{"ü":{"é":"ß"}}`},
		{"a.b=1", `{"a.b":"1"}`},
	} {
		t.Run(test.body, func(t *testing.T) {
			s := newShop(t)
			s.do("POST", "/api/aisles", test.body).want(201)
			got := "{"
			for i, name := range names(test.want) {
				if i > 0 {
					got += ","
				}
				got += `"` + name + `":` + string(s.aisles.saw.Payload.Raw(name))
			}
			if got += "}"; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func live(o *shopapi.Options) { o.Dialect = shopapi.DialectLive }

// Named is an entity whose replies have an id and one more field.
type named struct {
	field, id string
}

func (n named) Describe() shopapi.Description {
	return shopapi.Description{Name: "named", IDField: n.field, Privileges: shopapi.Privileges{Manage: "manage"}}
}
func (n named) reply() (shopapi.Reply, error) {
	return shopapi.Reply{ID: n.id, More: shopapi.Map{{Name: "more", Value: "x"}}}, nil
}
func (n named) Create(context.Context, *shopapi.Request) (shopapi.Reply, error) { return n.reply() }
func (n named) Update(context.Context, *shopapi.Request, string) (shopapi.Reply, error) {
	return n.reply()
}

// §4: ids in the replies to POST and PUT.
func TestDialects_ReplyIDs(t *testing.T) {
	for _, test := range []struct {
		dialect   shopapi.Dialect
		entity    named
		post, put string
	}{
		{shopapi.DialectDocumented, named{"page_id", "17"}, `{"page_id":"17","more":"x"}`, `{"page_id":"17","more":"x"}`},
		{shopapi.DialectLive, named{"page_id", "17"}, `{"page_id":17,"more":"x"}`, `{"page_id":"17","more":"x"}`},
		{shopapi.DialectDocumented, named{"product_id", "17"}, `{"product_id":"17","more":"x"}`, `{"product_id":"17","more":"x"}`},
		{shopapi.DialectLive, named{"product_id", "17"}, `{"product_id":17,"more":"x"}`, `{"product_id":17,"more":"x"}`},
		{shopapi.DialectLive, named{"lang_code", "en"}, `{"lang_code":"en","more":"x"}`, `{"lang_code":"en","more":"x"}`},
	} {
		s := newShop(t, func(o *shopapi.Options) { o.Dialect = test.dialect })
		if err := s.Register(test.entity); err != nil {
			t.Fatal(err)
		}
		s.do("POST", "/api/named", "a=1").want(201).is(test.post)
		s.do("PUT", "/api/named/17", "a=1").want(200).is(test.put)
	}
}

// §4: lists of the live dialect have an order for every sort_by.
func TestDialects_SortBy(t *testing.T) {
	s := newShop(t, live)
	for asked, want := range map[string]string{"name": "name", "popularity": "id", "timestamp": "id", "NAME": "id"} {
		r := s.do("GET", "/api/aisles?sort_order=desc&sort_by="+asked, "").want(200)
		if params := r.tree()["params"].(map[string]any); params["sort_by"] != want || params["sort_order"] != "desc" {
			t.Errorf("sort_by=%s: %v, want by %s", asked, params, want)
		}
	}
	newShop(t).do("GET", "/api/aisles?sort_by=popularity", "").want(400)
}

// §4: GET /api/?version.
func TestDialects_Version(t *testing.T) {
	banner := func(o *shopapi.Options) {
		o.Banner = shopapi.Banner{Brand: "Sh<op", Version: "1.2.3", Edition: "ULTIMATE"}
	}
	s := newShop(t, live, banner)
	for _, address := range []string{"/api/?version", "/api?version", "/api/2.0/?version", "/api/?version=", "/api.php?version"} {
		for _, h := range []header{anonymous, as("root@example.com", "key"), as("root@example.com", "wrong")} {
			s.do("GET", address, "", h).want(200).is("Sh&lt;op <b>1.2.3</b> ULTIMATE").has("Content-Type", "text/html; charset=utf-8")
		}
	}
	s.do("HEAD", "/api/?version", "", anonymous).want(200).is("")
	s.do("GET", "/api/aisles?version", "", anonymous).want(401)
	s.do("GET", "/api/9.0/?version", "", anonymous).want(401)
	s.do("POST", "/api/?version", "", anonymous).want(401)
	s.do("GET", "/api/", "", anonymous).want(401)

	newShop(t, live).do("GET", "/api/?version", "").want(404)
	documented := newShop(t, banner)
	documented.do("GET", "/api/?version", "").want(404)
	documented.do("GET", "/api/?version", "", anonymous).want(401)
}

func TestE10_Problems(t *testing.T) {
	s := newShop(t)
	const problem = "application/problem+json"
	for accept, c := range map[string]struct {
		success string // Content-Type, "" for 406
		failure string
	}{
		problem:                               {"application/json", problem},
		"Application/Problem+JSON":            {"application/json", problem},
		problem + ", application/json":        {"application/json", problem},
		"text/plain, " + problem + ";q=0.1":   {"text/plain; charset=utf-8", problem},
		problem + ";charset=utf-8, text/html": {"", problem},
		problem + ";q=0":                      {"", "application/json"},
		problem + ";q=0, text/plain":          {"text/plain; charset=utf-8", "text/plain; charset=utf-8"},
		"application/*":                       {"application/json", "application/json"},
		"text/plain":                          {"text/plain; charset=utf-8", "text/plain; charset=utf-8"},
	} {
		if r := s.do("GET", "/api/aisles", "", with("Accept", accept)); c.success == "" {
			r.want(406).has("Content-Type", c.failure)
		} else {
			r.want(200).has("Content-Type", c.success)
		}
		s.do("GET", "/api/nothing", "", with("Accept", accept)).want(404).has("Content-Type", c.failure)
	}
	s.do("GET", "/api/nothing", "", with("Accept", problem)).
		is(`{"type":"about:blank","title":"Not Found","detail":"There is no entity named \"nothing\".","message":"There is no entity named \"nothing\".","status":404}`)
	s.do("GET", "/api/nothing", "", anonymous, with("Accept", problem)).want(401).has("Content-Type", problem).contains(`"title":"Unauthorized"`)
}

func TestE10_Version(t *testing.T) {
	banner := func(o *shopapi.Options) {
		o.Banner = shopapi.Banner{Brand: "Shop", Version: "1.2.3", Edition: "ULTIMATE"}
	}
	s := newShop(t, live, banner)
	s.do("GET", "/api/2.0/version", "").want(200).is(`{"Version":"1.2.3"}`)
	s.do("GET", "/api.php?_d=version", "").want(200).is(`{"Version":"1.2.3"}`)
	s.do("GET", "/api/version", "", anonymous).want(401)
	s.do("POST", "/api/version", "a=b").want(405).has("Allow", "GET, HEAD")
	s.do("GET", "/api/version/1", "").want(404)
	newShop(t, live).do("GET", "/api/version", "").want(404)
	newShop(t, banner).do("GET", "/api/version", "").want(404)
	of := newShop(t, live, banner)
	if err := of.Register(newThings("version", &of.trace)); err != nil {
		t.Fatal(err)
	}
	if r := of.do("GET", "/api/version", "").want(200); r.Body.String() == `{"Version":"1.2.3"}` {
		t.Errorf("the host's entity does not keep its name: %s", r.Body)
	}
}

// plain returns the body of a response without its coding.
func plain(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var r io.Reader = w.Body
	switch coding := w.Header().Get("Content-Encoding"); coding {
	case "gzip":
		unzipped, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		r = unzipped
	case "zstd":
		unzipped, err := zstd.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		defer unzipped.Close()
		r = unzipped
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// askCoded asks for notes with an Accept-Encoding header and others.
func askCoded(s *shop, method, address, coding string, headers ...header) *reply {
	return s.do(method, address, "", append(headers, with("Accept-Encoding", coding))...)
}

// newCodedShop returns a shop over a long note, whose responses are cached.
func newCodedShop(t *testing.T) (*shop, *notestest.Notes) {
	n := &notestest.Notes{}
	h, _ := notestest.ServeUsers(t, n, shopapi.Options{Compress: true})
	s := &shop{t: t, API: h.(*shopapi.API)}
	s.do("POST", "/api/notes", `{"text": "`+strings.Repeat("a long text ", 200)+`"}`, asJSON).want(201)
	return s, n
}

func TestE10_Compression(t *testing.T) {
	s, notes := newCodedShop(t)
	identity := s.do("GET", "/api/notes", "").want(200).has("Content-Encoding", "").has("Vary", "Accept, Authorization, Accept-Encoding")
	body, tag := identity.Body.String(), identity.Header().Get("Etag")
	for _, coding := range []string{"gzip", "zstd"} {
		coded := strings.TrimSuffix(tag, `"`) + "-" + coding + `"`
		asked := notes.Asked.Load()
		for range 2 {
			r := askCoded(s, "GET", "/api/notes", coding).want(200).has("Content-Encoding", coding).has("Etag", coded).has("Vary", "Accept, Authorization, Accept-Encoding")
			if length := r.Body.Len(); length > len(body)/4 {
				t.Errorf("%s: %d bytes of %d", coding, length, len(body))
			}
			if got := plain(t, r.ResponseRecorder); got != body {
				t.Errorf("%s is the body %.200s, want %.200s", coding, got, body)
			}
		}
		if got := notes.Asked.Load() - asked; got != 1 {
			t.Errorf("%s: the entity was asked %d times for two responses", coding, got)
		}
		head := askCoded(s, "HEAD", "/api/notes", coding).want(200).has("Content-Encoding", coding)
		if head.Body.Len() > 0 {
			t.Errorf("HEAD has a body of %d bytes", head.Body.Len())
		}
	}
}

// A tag of any coding is a tag of the object.
func TestE10_Compression_Preconditions(t *testing.T) {
	s, _ := newCodedShop(t)
	tag := strings.TrimSuffix(s.do("GET", "/api/notes", "").Header().Get("Etag"), `"`)
	for _, ending := range []string{`"`, `-gzip"`, `-zstd"`} {
		s.do("GET", "/api/notes", "", with("If-None-Match", tag+ending)).want(304).has("Etag", tag+`"`)
		askCoded(s, "GET", "/api/notes", "gzip", with("If-None-Match", "W/"+tag+ending)).want(304).has("Etag", tag+`-gzip"`)
	}
	s.do("GET", "/api/notes", "", with("If-None-Match", tag+`-br"`)).want(200)
}

func TestE10_Compression_Refused(t *testing.T) {
	s, _ := newCodedShop(t)
	for _, header := range []string{"identity;q=0", "*;q=0", "br, identity;q=0"} {
		r := askCoded(s, "GET", "/api/notes", header).want(406).has("Content-Encoding", "")
		r.contains("Accept-Encoding")
		askCoded(s, "GET", "/api/notes", header, anonymous).want(401)
		askCoded(s, "GET", "/api/nothing", header).want(404)
		if r := askCoded(s, "POST", "/api/notes", header); r.Code == 406 {
			t.Error("a POST is refused for its Accept-Encoding")
		}
	}
	for _, header := range []string{"gzip;q=0", "br", "", "gzip;q=0, zstd;q=0"} {
		askCoded(s, "GET", "/api/notes", header).want(200).has("Content-Encoding", "")
	}
}

// A short response is compressed only where it has to be; an error never is.
func TestE10_Compression_ShortResponses(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Compress = true })
	askCoded(s, "GET", "/api/aisles", "gzip").want(200).has("Content-Encoding", "")
	r := askCoded(s, "GET", "/api/aisles", "gzip, identity;q=0").want(200).has("Content-Encoding", "gzip")
	if got, want := plain(t, r.ResponseRecorder), s.do("GET", "/api/aisles", "").Body.String(); got != want {
		t.Errorf("the body is %s, want %s", got, want)
	}
	askCoded(s, "GET", "/api/"+strings.Repeat("x", 2000), "gzip, identity;q=0").want(404).has("Content-Encoding", "")
}

func TestE10_Compression_Off(t *testing.T) {
	n := &notestest.Notes{}
	h, _ := notestest.ServeUsers(t, n, shopapi.Options{})
	s := &shop{t: t, API: h.(*shopapi.API)}
	s.do("POST", "/api/notes", `{"text": "`+strings.Repeat("a long text ", 200)+`"}`, asJSON).want(201)
	askCoded(s, "GET", "/api/notes", "gzip, identity;q=0").want(200).has("Content-Encoding", "").has("Vary", "Accept, Authorization")
}

func TestE10_CodedBody(t *testing.T) {
	s := newShop(t)
	for _, coding := range []string{"gzip", "br", "x", "identity, gzip"} {
		s.do("POST", "/api/aisles", "name=x", with("Content-Encoding", coding)).want(415).contains("Content-Encoding")
	}
	s.do("POST", "/api/aisles", "name=x", with("Content-Encoding", "Identity")).want(201)
}
