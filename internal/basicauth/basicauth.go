// Package basicauth reads the credentials in an Authorization header (RFC 7617).
package basicauth

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
)

// The errors of [Parse].
var (
	errMissing = errors.New("basicauth: no Basic credentials")   // or malformed ones
	ErrTooLong = errors.New("basicauth: credentials of no user") // longer than any user's credentials
)

// Limits of credentials, in bytes. Nobody has longer ones: they are not looked up.
const (
	MaxHeader      = 2048
	maxEmail       = 254  // without surrounding space
	maxCredentials = 1024 // e-mail, colon and key
)

// Parse reads the only Authorization header of a request.
func Parse(h http.Header) (email, key string, err error) {
	values := h["Authorization"]
	if len(values) != 1 {
		return "", "", errMissing
	}
	if len(values[0]) > MaxHeader {
		return "", "", ErrTooLong
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", errMissing
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(token))
	if err != nil {
		return "", "", errMissing
	}
	email, key, ok := strings.Cut(string(plain), ":")
	switch {
	case !ok:
		return "", "", errMissing
	case len(plain) > maxCredentials, len(strings.TrimSpace(email)) > maxEmail:
		return "", "", ErrTooLong
	}
	return email, key, nil
}
