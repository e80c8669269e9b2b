package cors_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/shopapi/shopapi/internal/cors"
)

func TestE10_CORSHeaders(t *testing.T) {
	policy := cors.New([]string{"https://admin.example.com", "http://localhost:3000"})
	for _, test := range []struct {
		name, method, origin, asks string
		preflight                  bool
		allowed                    string
	}{
		{"no origin", "GET", "", "", false, ""},
		{"a named origin", "GET", "https://admin.example.com", "", false, "https://admin.example.com"},
		{"the other one", "PUT", "http://localhost:3000", "", false, "http://localhost:3000"},
		{"another origin", "GET", "https://other.example.com", "", false, ""},
		{"another scheme", "GET", "http://admin.example.com", "", false, ""},
		{"null", "GET", "null", "", false, ""},
		{"a preflight", "OPTIONS", "https://admin.example.com", "PUT", true, "https://admin.example.com"},
		{"OPTIONS", "OPTIONS", "https://admin.example.com", "", false, "https://admin.example.com"},
		{"a preflight of another origin", "OPTIONS", "https://other.example.com", "PUT", false, ""},
		{"a preflight of null", "OPTIONS", "null", "PUT", false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := httptest.NewRequestWithContext(t.Context(), test.method, "/", nil)
			for name, value := range map[string]string{"Origin": test.origin, "Access-Control-Request-Method": test.asks} {
				if value != "" {
					req.Header.Set(name, value)
				}
			}
			if got := policy.IsPreflight(req); got != test.preflight {
				t.Errorf("IsPreflight is %t, want %t", got, test.preflight)
			}
			h := http.Header{}
			policy.AddTo(h, req)
			if got := h.Get("Access-Control-Allow-Origin"); got != test.allowed {
				t.Errorf("the allowed origin is %q, want %q", got, test.allowed)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials of browsers are allowed")
			}
			if got := h.Get("Access-Control-Allow-Headers") != ""; got != test.preflight {
				t.Errorf("the response names headers of requests: %t", got)
			}
		})
	}
}

func TestNew_WithoutOrigins(t *testing.T) {
	req := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/", nil)
	req.Header.Set("Origin", "https://admin.example.com")
	req.Header.Set("Access-Control-Request-Method", "PUT")
	h := http.Header{}
	policy := cors.New(nil)
	if policy.AddTo(h, req); policy.IsPreflight(req) || len(h) > 0 {
		t.Errorf("a policy without origins adds %v", h)
	}
}

// Scripts of allowed origins may write, as pages of trusted origins may.
func TestProtection(t *testing.T) {
	p := cors.Protection([]string{"https://a.example", "https://b.example"}, []string{"https://b.example", "https://c.example"})
	for origin, refused := range map[string]bool{
		"https://a.example": false, "https://b.example": false, "https://c.example": false, "https://d.example": true,
	} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		req.Header.Set("Origin", origin)
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		if err := p.Check(req); (err != nil) != refused {
			t.Errorf("%s: %v", origin, err)
		}
	}
}
