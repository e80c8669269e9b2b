package apipath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/apipath"
)

func TestRoutes(t *testing.T) {
	var r apipath.Routes[string]
	for _, address := range []string{"version", "jobs/{id}", "jobs/{id}/errors", "batch"} {
		if err := r.Add(address, address); err != nil {
			t.Fatal(err)
		}
	}
	for _, address := range []string{"batch", "Batch"} {
		if err := r.Add(address, address); err == nil {
			t.Errorf("%s is added, want an error", address)
		}
	}
	for address, want := range map[string]string{"batch": "batch", "jobs/7": "jobs/{id}", "jobs/7/errors": "jobs/{id}/errors", "jobs": "", "jobs/7/log": ""} {
		if got, _, _ := r.Find(strings.Split(address, "/")); got != want {
			t.Errorf("at %s is %q, want %q", address, got, want)
		}
	}
	for address, want := range map[string]bool{"batch": false, "jobs/7": true, "jobs/7/errors": false} {
		if got := r.TakesSegment(strings.Split(address, "/")); got != want {
			t.Errorf("%s takes a segment: %t, want %t", address, got, want)
		}
	}
	r.Reserve("batch")
	r.Cede("batch")
	r.Cede("version")
	if diff := cmp.Diff([]string{"batch", "jobs/{id}", "jobs/{id}/errors"}, r.All()); diff != "" {
		t.Error(diff)
	}
	if !r.Reserved("batch") || r.Reserved("version") {
		t.Error("another name than batch is reserved")
	}
}
