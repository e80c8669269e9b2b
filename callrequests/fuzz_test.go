package callrequests_test

import (
	"encoding/json"
	"testing"

	"github.com/shopapi/shopapi/callrequests"
)

// FuzzCartProducts reads any JSON. The result is written as JSON that reads the same,
// and equals the input.
func FuzzCartProducts(f *testing.F) {
	for _, seed := range []string{
		`""`, `[]`, `null`, `"2 mugs"`, `[{"product_id":"41","amount":2,"price":9.5,"product":"Mug"}]`, `[{}]`, `[null]`, `{}`, `5`, `-0`, `"\ud83d\ude00"`,
		`[{"price":1e400}]`, `[ { } ]`, `true`, `[{"amount":"1"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c callrequests.CartProducts
		if err := c.UnmarshalJSON(data); err != nil {
			if c != "" {
				t.Fatalf("%q is refused, but read as %q", data, string(c))
			}
			return
		}
		written, err := json.Marshal(c)
		if err != nil {
			t.Fatalf("%q is read as %q, which is not written: %v", data, string(c), err)
		}
		var again callrequests.CartProducts
		if err := again.UnmarshalJSON(written); err != nil {
			t.Fatalf("%q is written as %s, which is not read: %v", data, written, err)
		}
		if c.Text() != again.Text() || len(c.Products()) != len(again.Products()) {
			t.Fatalf("%q is written as %s, which means something else", data, written)
		}
	})
}
