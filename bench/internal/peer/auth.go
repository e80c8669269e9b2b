package peer

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/shopapi/shopapi/bench/internal/data"
)

// checked answers 401 to requests without the right credentials. The key is
// compared by its hash, in a time that says nothing about it.
func checked(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(data.Key))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		email, key, ok := r.BasicAuth()
		hash := sha256.Sum256([]byte(key))
		if !ok || email != data.Email || subtle.ConstantTimeCompare(hash[:], want[:]) != 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
