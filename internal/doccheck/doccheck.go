// Package doccheck checks the responses of an API against its own OpenAPI document, with
// a validator from another library than the encoder of the document. The tests of the
// conformance suite and of the entities put it in front of their APIs.
package doccheck

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
)

// Handler serves the API, and fails the test if a response does not match the document:
// its status, its headers, and each member of its body, all of which the document must
// name. A request that succeeds must match the document too.
func Handler(t testing.TB, api *shopapi.API) http.Handler {
	t.Helper()
	described := sync.OnceValue(func() *document { return documentOf(t, api) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := readBody(r)
		if err != nil { // the test's own doing: a body that breaks off
			api.ServeHTTP(w, r)
			return
		}
		recorder := httptest.NewRecorder()
		api.ServeHTTP(recorder, r)
		answer := recorder.Body.Bytes()
		if err := described().check(api, r, sent, recorder.Code, recorder.Header(), answer); err != nil {
			t.Errorf("%s %s is not as the document says: %v\nsent %.2000s\nanswered %d %.2000s", r.Method, r.URL, err, sent, recorder.Code, answer)
		}
		maps.Copy(w.Header(), recorder.Header())
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(answer) // the test checks the response
	})
}

// readBody reads the body of a request and restores it. A body that is too large for the
// API is left unread.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.ContentLength < 0 || r.ContentLength > 1<<20 {
		return nil, nil
	}
	sent, err := io.ReadAll(r.Body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(sent), r.Body), r.Body}
	return sent, err
}

// A document is compiled for checks.
type document struct {
	operations map[string]func() (*operation, error) // by method and path, with * for ids
	problem    *jsonschema.Schema
}

// An operation is an operation of the document.
type operation struct {
	body       *jsonschema.Schema // nil for none
	parameters map[string]*jsonschema.Schema
	responses  map[int]response
}

type response struct {
	body    *jsonschema.Schema // nil for none
	headers map[string]bool
}

var documents sync.Map // from the properties in which APIs of one test binary differ to *document

func documentOf(t testing.TB, api *shopapi.API) *document {
	var text strings.Builder
	fmt.Fprint(&text, api.Edition(), api.Dialect(), api.Limits(), api.Batches(), api.Exports())
	for _, e := range api.Endpoints() {
		fmt.Fprint(&text, "\n", e.Address, slices.Sorted(maps.Keys(e.Methods)))
	}
	for _, p := range api.EntityPaths() {
		fmt.Fprint(&text, "\n", p, p.Operations, p.Object, p.Item, p.Payload, p.Filter, p.Sorts, p.Privileges)
	}
	key := text.String()
	if d, ok := documents.Load(key); ok {
		return d.(*document)
	}
	// The context of the test may have ended: clean-ups ask too.
	data, err := json.Marshal(apidoc.Document(t.Context(), api, nil))
	if err != nil {
		t.Fatalf("doccheck: %v", err)
	}
	d, err := compile(data)
	if err != nil {
		t.Fatalf("doccheck: %v", err)
	}
	documents.Store(key, d)
	return d
}

// check finds the first thing that is not as the document says.
func (d *document) check(api *shopapi.API, r *http.Request, sent []byte, status int, header http.Header, answer []byte) error {
	isJSON := strings.HasPrefix(header.Get("Content-Type"), "application/json")
	if status >= 400 && isJSON && r.Method != http.MethodHead {
		if err := validate(d.problem, answer); err != nil {
			return err
		}
	}
	o, err := d.operation(api, r)
	if err != nil {
		return err
	}
	if o == nil {
		if status < 400 && isJSON {
			return fmt.Errorf("the document has no such operation")
		}
		return nil
	}
	documented, ok := o.responses[status]
	if !ok {
		return fmt.Errorf("the operation does not document the status")
	}
	for name := range header {
		if checkedHeaders[name] && !documented.headers[name] {
			return fmt.Errorf("the header %s is not documented", name)
		}
	}
	if documented.body != nil && isJSON && r.Method != http.MethodHead {
		if err := validate(documented.body, answer); err != nil {
			return err
		}
	}
	if status >= 300 {
		return nil
	}
	if err := o.checkQuery(r.URL.Query()); err != nil {
		return err
	}
	if api.Dialect() == shopapi.DialectLive && strings.HasSuffix(r.URL.Path, "call_requests") {
		return nil // a status outside of the set is forgiven (§4)
	}
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); strings.HasSuffix(media, "/json") && o.body != nil && len(sent) > 0 {
		if err := validate(o.body, sent); err != nil {
			return fmt.Errorf("the body that was accepted: %w", err)
		}
	}
	return nil
}

// checkedHeaders are headers that the document must name if a response has them.
var checkedHeaders = map[string]bool{
	"Etag": true, "Allow": true, "Retry-After": true, "X-Request-Id": true, "X-Total-Count": true, "Link": true, "Www-Authenticate": true,
}

// checkQuery holds the parameters that are accepted to their schemas.
func (o *operation) checkQuery(query url.Values) error {
	for name, s := range o.parameters {
		values := slices.DeleteFunc(slices.Clone(query[name]), func(v string) bool { return v == "" })
		if len(values) == 0 {
			continue
		}
		if err := s.Validate(parameterValue(s, values[len(values)-1])); err != nil {
			return fmt.Errorf("the parameter %s that was accepted: %w", name, err)
		}
	}
	return nil
}

// parameterValue is a text as the type that its schema asks for.
func parameterValue(s *jsonschema.Schema, text string) any {
	value := func(s *jsonschema.Schema, text string) any {
		if s != nil && s.Types != nil && slices.Contains(s.Types.ToStrings(), "integer") {
			if n, err := jsonschema.UnmarshalJSON(strings.NewReader(text)); err == nil {
				return n
			}
		}
		return text
	}
	if s.Types == nil || !slices.Contains(s.Types.ToStrings(), "array") {
		return value(s, text)
	}
	var items []any
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			items = append(items, value(s.Items2020, part))
		}
	}
	return items
}

// valid contains the bodies that a schema has accepted: tests of the cache send each
// request several times, and a large body costs more to validate than to answer.
var valid sync.Map // of acceptedBody to nothing

type acceptedBody struct {
	schema *jsonschema.Schema
	digest [sha256.Size]byte
}

func validate(s *jsonschema.Schema, data []byte) error {
	body := acceptedBody{s, sha256.Sum256(data)}
	if _, ok := valid.Load(body); ok {
		return nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	if err := s.Validate(v); err != nil {
		return err
	}
	valid.Store(body, nil)
	return nil
}

// operation returns the operation of the document that a request asks for, nil for none.
func (d *document) operation(api *shopapi.API, r *http.Request) (*operation, error) {
	route, ok := api.Match(r)
	if !ok || route.Operation == "" && route.Endpoint == "" {
		return nil, nil
	}
	var path string
	if route.Endpoint != "" {
		path = "/" + ids.ReplaceAllString(route.Endpoint, "*")
	} else {
		path = entityPath(&route)
	}
	method := strings.ToLower(r.Method)
	if method == "head" {
		method = "get"
	}
	compiled, ok := d.operations[method+" "+path]
	if !ok {
		return nil, nil
	}
	return compiled()
}

// entityPath returns the path of an entity's route, with * for ids.
func entityPath(route *shopapi.Route) string {
	path := ""
	for _, parent := range route.Parents {
		path += "/" + parent + "/*"
	}
	path += "/" + route.Entity
	if route.Operation != shopapi.OpList && route.Operation != shopapi.OpCreate {
		path += "/*"
	}
	if route.Action != "" {
		path += "/" + route.Action
	}
	return path
}
