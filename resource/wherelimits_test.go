package resource_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// Filters from Go code have the same limits as filters of requests.
func TestWhere_Limits(t *testing.T) {
	ids := make([]int64, shopapi.MaxListItems+1)
	for name, c := range map[string]struct {
		add  func(*resource.Where)
		want string
	}{
		"a part":       {func(w *resource.Where) { w.Contains("name", strings.Repeat("x", 1025)) }, "name must have at most 1024 bytes, not 1025."},
		"a text":       {func(w *resource.Where) { w.Text("name", strings.Repeat("x", 1025)) }, "name must have at most 1024 bytes, not 1025."},
		"a named part": {func(w *resource.Where) { w.For("q").Contains("name", strings.Repeat("x", 1025)) }, "q must have at most 1024 bytes, not 1025."},
		"a list":       {func(w *resource.Where) { w.For("user_ids").Ints("id", ids) }, "user_ids must have at most 1000 items."},
		"a short list": {func(w *resource.Where) { w.For("user_ids").Ints("id", ids[1:]) }, ""},
		"a short part": {func(w *resource.Where) { w.Contains("name", strings.Repeat("x", 1024)) }, ""},
	} {
		var w resource.Where
		c.add(&w)
		switch err := w.Problems.Err(); {
		case err == nil && c.want != "", err != nil && err.Error() != c.want:
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
