// Package clienterror has the errors of the client that packages below the root find: the
// root answers them as they are.
package clienterror

import (
	"fmt"
	"net/http"
	"time"
)

// An Error is the response to a mistake of the client.
type Error struct {
	Status     int
	Message    string        // a whole sentence, or about the field
	OfField    bool          // the mistake is in one field of the body
	Field      string        // its name
	Allow      []string      // methods, with 405
	RetryAfter time.Duration // with 429
	Cause      error         // for the log, nil for none
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an error with a status and a message.
func Errorf(status int, format string, args ...any) error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...)}
}

// RetryLater returns a 429 with the header Retry-After.
func RetryLater(after time.Duration, format string, args ...any) error {
	return &Error{Status: http.StatusTooManyRequests, Message: fmt.Sprintf(format, args...), RetryAfter: after}
}
