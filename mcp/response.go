package mcp

import "net/http"

// maxAnswer is how large the answer of a tool may be, in bytes.
const maxAnswer = 102_400

// A response records an answer of the API. It drops a body that is larger than maxAnswer.
type response struct {
	header   http.Header
	status   int
	body     []byte
	tooLarge bool
}

var _ http.ResponseWriter = (*response)(nil)

// Header returns the headers.
func (r *response) Header() http.Header { return r.header }

// WriteHeader notes the first status that is none of an information.
func (r *response) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
}

// Write notes what fits.
func (r *response) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.tooLarge = r.tooLarge || len(r.body)+len(p) > maxAnswer; r.tooLarge {
		r.body = nil
	} else {
		r.body = append(r.body, p...)
	}
	return len(p), nil
}

// refuses reports whether the API did not get as far as to accept the credentials.
func (r *response) refuses() bool {
	return r.status == http.StatusUnauthorized || r.status == http.StatusTooManyRequests || r.status >= 500
}

// send gives the answer to a client.
func (r *response) send(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body) // the client may have gone away
}
