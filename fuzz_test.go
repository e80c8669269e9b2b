package shopapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsonenc"
)

func FuzzAccept(f *testing.F) {
	for _, seed := range []string{
		"", "application/json", "text/plain;q=0.5, */*;q=0", `application/json;p="a\",b";q=1`, "*/*;q=0.001,", "text/*;q=NaN", ";;,=,/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		chosen, ok := negotiate(http.Header{"Accept": {accept}})
		if !ok && chosen != formatJSON {
			t.Error("what is not acceptable is answered in another format than JSON")
		}
		// The same preferences in other words choose the same, unless they are too long:
		// bytes that are no characters become longer.
		if len(strings.ToUpper(accept))+len("  ") > maxAccept {
			return
		}
		for _, same := range []http.Header{
			{"Accept": {strings.ToUpper(accept)}}, {"Accept": {" " + accept + " "}}, {"Accept": {"", accept}},
		} {
			if strings.TrimSpace(accept) == "" || !strings.EqualFold(strings.ToUpper(accept), accept) {
				break
			}
			if again, okAgain := negotiate(same); again != chosen || okAgain != ok {
				t.Errorf("%q chooses %v, %v and %q chooses %v, %v", accept, chosen, ok, same, again, okAgain)
			}
		}
	})
}

func FuzzJSONBody(f *testing.F) {
	for _, seed := range []string{
		`{"a":1}`, `{"a":{"b":[null,true,"\u00e9\ud83d\ude00"]}}`, `[]`, `null`, `{"a":"\ud800"}`, `{"a":"\u0000"}`, `{"a":1e999}`, `[[[[`, ` { } `, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !isText(string(body)) {
			return // refused before it is parsed
		}
		p, err := parseJSON(body)
		if err != nil {
			clientError(t, err)
			return
		}
		tree := checkFields(t, p)
		if len(p.fields) == 0 {
			return
		}
		want, err := decode(body)
		if err != nil {
			t.Fatalf("accepted %q, which is no JSON: %v", body, err)
		}
		if diff := cmp.Diff(want, tree); diff != "" {
			t.Error(diff)
		}
		doc, err := json.Marshal(p.fields)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := form.FromJSON(doc, jsonenc.Unlimited()); err != nil {
			t.Errorf("%s has no form: %v", doc, err)
		}
	})
}

// checkFields checks what binding relies on: every field is valid JSON without
// space before it, in valid UTF-8 without NUL.
func checkFields(t *testing.T, p *Payload) any {
	t.Helper()
	tree := map[string]any{}
	for name, raw := range p.fields {
		if !isText(name) || len(raw) == 0 || !json.Valid(raw) || !bytes.Equal(raw, bytes.TrimSpace(raw)) {
			t.Errorf("field %q is %q", name, raw)
		}
		v, err := decode(raw)
		if err != nil {
			t.Errorf("field %q is %q: %v", name, raw, err)
		}
		if text, ok := v.(string); ok && !isText(text) {
			t.Errorf("field %q holds the text %q", name, text)
		}
		tree[name] = v
	}
	return tree
}

// decode reads JSON with numbers as they were written.
func decode(doc []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// clientError checks that an error is the client's, with a message.
func clientError(t *testing.T, err error) {
	t.Helper()
	if e := asError(err); e.Status < 400 || e.Status >= 500 || e.Message == "" || len(e.Message) > 10_000 {
		t.Errorf("status %d: %q", e.Status, e.Message)
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{
		"/api/2.0/categories/5", "/api.php?_d=categories/5", "/api//x", "/api/%2e%2e/x", "/api/a%2Fb", "/api/9.0/x", "/api/x/1/y/2/z/3/w", "/api.php?_d=%zz", "/api/%ff",
	} {
		f.Add(seed)
	}
	api := New(nil)
	api.registry.top["x"] = &entry{Description: Description{Name: "x"}}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := url.ParseRequestURI(address)
		if err != nil {
			return
		}
		segments, ok := segmentsOf(u, u.Query())
		if !ok {
			return
		}
		for _, s := range segments {
			if s == "" || s == "." || s == ".." || !isText(s) {
				t.Errorf("%q has the segment %q", address, s)
			}
		}
		target, err := api.locate(u, u.Query())
		if err != nil {
			clientError(t, err)
			return
		}
		if len(target.parents) > 2 || target.entry == nil {
			t.Errorf("%q leads to %+v", address, target)
		}
	})
}

func FuzzCredentials(f *testing.F) {
	for _, seed := range []string{
		"Basic cm9vdEBleGFtcGxlLmNvbTprZXk=", "basic  Og==", "Basic", "Bearer x", "Basic ====", "Basic YQ==",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		c, err := credentialsOf(http.Header{"Authorization": {value}})
		if err != nil {
			return
		}
		if strings.Contains(c.Email, ":") {
			t.Errorf("the e-mail is %q", c.Email)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth(c.Email, c.Key)
		if again, err := credentialsOf(r.Header); err != nil || again != c {
			t.Errorf("%#v became %#v, %v", c, again, err)
		}
	})
}

func FuzzBind(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a","number":"1","flag":"Y","amount":"1.5","json":{},"numbers":[1],"texts":"a,b","pointer":null}`,
		`{"numbers":{"1":"2"}}`, `{"amount":1e30}`, `{"number":-0}`, `{"json":"\ud83d\ude00"}`, `{"text":null,"flag":[]}`,
	} {
		f.Add([]byte(seed))
	}
	type object struct {
		Text    string           `json:"text"`
		Pointer *string          `json:"pointer"`
		Number  int64            `json:"number"`
		NumberP *int64           `json:"number_p"`
		Small   int8             `json:"small"`
		Flag    Flag             `json:"flag"`
		Bool    *bool            `json:"bool"`
		Amount  decimal.Decimal  `json:"amount"`
		AmountP *decimal.Decimal `json:"amount_p"`
		Float   float64          `json:"float"`
		JSON    JSON             `json:"json"`
		Numbers []int64          `json:"numbers"`
		Texts   []string         `json:"texts"`
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !isText(string(body)) {
			return
		}
		p, err := parseJSON(body)
		if err != nil {
			return
		}
		var got object
		if err := (&Request{Payload: p}).Bind(&got); err != nil {
			clientError(t, err)
			for name := range asError(err).Fields {
				if !p.Has(name) {
					t.Errorf("%s is at fault but was not sent", name)
				}
			}
			return
		}
		// What was bound encodes, and binds again to the same.
		doc, err := marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		again := got
		p, err = parseJSON(doc)
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		if err := (&Request{Payload: p}).Bind(&again); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		redone, err := marshal(again)
		if err != nil || !bytes.Equal(doc, redone) {
			t.Errorf("%s became %s, %v", doc, redone, err)
		}
	})
}
