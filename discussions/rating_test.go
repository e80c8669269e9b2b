package discussions_test

import (
	"encoding/json"
	"testing"

	"github.com/shopapi/shopapi/discussions"
)

// FuzzRating reads JSON values: each is refused, or read as a rating that reads back the
// same.
func FuzzRating(f *testing.F) {
	for _, s := range []string{`1`, `"5"`, `""`, `null`, `0`, `6`, `"`, `05`, `"1\u0000"`, `[]`, `5.0`, `abc`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r discussions.Rating
		if r.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		if r < discussions.NoRating || r > discussions.MaxRating {
			t.Fatalf("%q is read as %d", text, r)
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var again discussions.Rating
		if err := json.Unmarshal(data, &again); err != nil || again != r {
			t.Errorf("%q is written as %s and read again as %d, %v", text, data, again, err)
		}
	})
}
