package shoptest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// Decode reads JSON, or ends the test.
func Decode(t testing.TB, body string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
}

// SameJSON compares JSON documents as values, in which "1" and 1 differ.
func SameJSON(t testing.TB, got, want string) {
	t.Helper()
	var g, w any
	Decode(t, got, &g)
	Decode(t, want, &w)
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("the response differs (-want +got):\n%s", diff)
	}
}

// WantStatus checks that err is an error for clients, of the status.
func WantStatus(t testing.TB, what string, err error, status int) {
	t.Helper()
	var e *shopapi.Error
	if !errors.As(err, &e) || e.Status != status || e.Message == "" {
		t.Errorf("%s: error %v, want one of status %d", what, err, status)
	}
}
