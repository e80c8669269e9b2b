package batch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/batch"
)

// A batch of good form has addresses without empty and dot segments, and filling its
// references leaves valid JSON and such addresses.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"requests": [{"id": "a", "method": "POST", "url": "products", "body": {"product": "x"}}, {"method": "PUT", "url": "products/{{a.product_id}}?x={{a.y}}", "body": {"a": ["{{a.b}}"], "{{a.c}}": 1}}]}`,
		`{"atomic": false, "requests": [{"method": "GET", "url": "products/code:a%2Fb", "headers": {"Accept": "text/plain"}, "refs": false}]}`,
		`{"requests": [{"method": "DELETE", "url": "../x"}]}`, `{"requests": [1]}`, `[[[`, `{"requests": [{"method": "POST", "url": "a", "body": "{\"{{a.b}}\""}]}`,
	} {
		f.Add([]byte(seed), `"5"`)
	}
	f.Fuzz(func(t *testing.T, body []byte, value string) {
		b, err := batch.Parse(body, 5)
		if err != nil {
			return
		}
		for i := range b.Members {
			m, _, err := b.Members[i].Fill(func(batch.Reference) (json.RawMessage, bool) {
				return json.RawMessage(value), json.Valid([]byte(value)) && (value[0] == '"' || value[0] >= '0' && value[0] <= '9')
			}, 1<<20)
			if err != nil {
				continue
			}
			if m.Body != nil && !json.Valid(m.Body) {
				t.Errorf("the body is %s", m.Body)
			}
			for _, s := range m.Address.Segments {
				if s == "" || s == "." || s == ".." {
					t.Errorf("the address is %q", m.Address.Segments)
				}
			}
			if path := m.Address.Path(); strings.HasPrefix(path, "/") {
				t.Errorf("the path is %q", path)
			}
		}
	})
}
