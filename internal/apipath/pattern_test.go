package apipath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/apipath"
)

func TestParsePattern_Refuses(t *testing.T) {
	for _, address := range []string{"", "/jobs", "jobs/", "{id}", "Jobs", "jobs//errors", "jobs/{}", "jobs/{id", "jobs/id}", "jobs/{{id}}", "jobs/{ID}", "a/b/c/d/e/f/g"} {
		if p, err := apipath.ParsePattern(address); err == nil {
			t.Errorf("%q is the pattern %q, want an error", address, p)
		}
	}
}

func TestPattern_Match(t *testing.T) {
	for _, test := range []struct {
		pattern, address string
		want             []string
		ok               bool
	}{
		{"jobs", "jobs", nil, true},
		{"jobs", "job", nil, false},
		{"jobs", "jobs/7", nil, false},
		{"jobs/{id}", "jobs", nil, false},
		{"jobs/{id}", "jobs/7", []string{"7"}, true},
		{"jobs/{id}/errors", "jobs/7/errors", []string{"7"}, true},
		{"jobs/{id}/errors", "jobs/7/results", nil, false},
		{"users/{id}/keys/{key}", "users/7/keys/a b", []string{"7", "a b"}, true},
	} {
		p, err := apipath.ParsePattern(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := p.Match(strings.Split(test.address, "/"))
		if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok {
			t.Errorf("%s at %s: %v %s", test.address, test.pattern, ok, diff)
		}
	}
}
