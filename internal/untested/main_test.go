package main

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// TestReport names the missing functions and the packages whose tests need it.
func TestReport(t *testing.T) {
	file := func(imports string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package x\nimport \"" + imports + "\"\n")}
	}
	root := fstest.MapFS{
		"a/a_test.go": file("example.org/shop/store/postgres/pgtest"), "a/b_test.go": file("example.org/shop/store/postgres/pgtest"),
		"b/b_test.go": file("testing"), "b/b.go": file("example.org/shop/store/postgres/pgtest"), "e2e/x_test.go": file("testing"),
	}
	gone := errors.New("not here")
	for want, needs := range map[string][]need{
		"No PostgreSQL (not here). Tests that need it are skipped in:\n\ta\n": {
			{"PostgreSQL", ".", []string{"store/postgres/pgtest"}, gone}, {"Chromium", "e2e", nil, nil},
		},
		"No Chromium (not here). Tests that need it are skipped in:\n\te2e\n": {{"Chromium", "e2e", nil, gone}},
		"Every program that tests need is on this machine.\n":                 {{"PostgreSQL", ".", nil, nil}},
	} {
		var out strings.Builder
		if err := report(&out, root, needs); err != nil || out.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, out.String(), want)
		}
	}
}
