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
	Message    string
	Allow      []string      // methods, with 405
	RetryAfter time.Duration // with 429
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
