package basicauth_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/basicauth"
)

func FuzzCredentials(f *testing.F) {
	for _, seed := range []string{
		"Basic cm9vdEBleGFtcGxlLmNvbTprZXk=", "basic  Og==", "Basic", "Bearer x", "Basic ====", "Basic YQ==",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		email, key, err := basicauth.Parse(http.Header{"Authorization": {value}})
		if err != nil {
			return
		}
		if strings.Contains(email, ":") {
			t.Errorf("the e-mail is %q", email)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth(email, key)
		if email2, key2, err := basicauth.Parse(r.Header); err != nil || email2 != email || key2 != key {
			t.Errorf("%q %q became %q %q, %v", email, key, email2, key2, err)
		}
	})
}
