package accept

import (
	"net/http"
	"strings"
	"testing"
)

func FuzzPrefersText(f *testing.F) {
	for _, seed := range []string{
		"", "application/json", "text/plain;q=0.5, */*;q=0", `application/json;p="a\",b";q=1`, "*/*;q=0.001,", "text/*;q=NaN", ";;,=,/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		text, ok := PrefersText(http.Header{"Accept": {accept}})
		if text && !ok {
			t.Error("text/plain is preferred and not acceptable")
		}
		// The same preferences in other letter case choose the same, unless they are too
		// long: invalid UTF-8 becomes longer.
		if len(strings.ToUpper(accept))+len("  ") > Max {
			return
		}
		for _, same := range []http.Header{
			{"Accept": {strings.ToUpper(accept)}}, {"Accept": {" " + accept + " "}}, {"Accept": {"", accept}},
		} {
			if strings.TrimSpace(accept) == "" || !strings.EqualFold(strings.ToUpper(accept), accept) {
				break
			}
			if again, okAgain := PrefersText(same); again != text || okAgain != ok {
				t.Errorf("%q chooses %v, %v and %q chooses %v, %v", accept, text, ok, same, again, okAgain)
			}
		}
	})
}
