package peer

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/shopapi/shopapi/bench/internal/data"
)

// checked responds 401 to requests without the right credentials. It compares the key by
// its hash, in constant time.
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
