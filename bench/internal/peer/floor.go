package peer

import (
	"encoding/gob"
	"io"
	"net/http"
	"os"
	"strconv"
)

// WritePrepared writes the floor's responses, by request target.
func WritePrepared(file string, answers map[string]string) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	return gob.NewEncoder(f).Encode(answers)
}

// openBare opens the floor, the least that a request can cost: it checks the credentials
// and writes prepared bytes.
func openBare(c Config) (*server, error) {
	f, err := os.Open(c.Prepared)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var answers map[string]string
	if err := gob.NewDecoder(f).Decode(&answers); err != nil {
		return nil, err
	}
	type prepared struct {
		body   []byte
		length []string
	}
	ready := make(map[string]prepared, len(answers))
	for target, body := range answers {
		ready[target] = prepared{[]byte(body), []string{strconv.Itoa(len(body))}}
	}
	contentType := []string{"application/json"}
	written := prepared{[]byte(`{"post_id":"1"}`), []string{"15"}}
	handler := func(w http.ResponseWriter, r *http.Request) {
		answer, status := written, http.StatusOK
		switch r.Method {
		case http.MethodGet:
			var ok bool
			if answer, ok = ready[r.RequestURI]; !ok {
				http.NotFound(w, r)
				return
			}
		case http.MethodPost:
			status = http.StatusCreated
		}
		if r.Method != http.MethodGet {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
		}
		h := w.Header()
		h["Content-Type"], h["Content-Length"] = contentType, answer.length
		w.WriteHeader(status)
		_, _ = w.Write(answer.body)
	}
	return &server{checked(http.HandlerFunc(handler)), basic(), func() error { return nil }}, nil
}
