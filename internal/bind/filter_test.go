package bind_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// The text of a filter is limited in bytes, and a list in items: beyond it, the parameter
// is named in a 400.
func TestFilter_Limits(t *testing.T) {
	ids := func(n int) string { return "1" + strings.Repeat(",1", n-1) }
	for _, test := range []struct {
		name, value string
		problem     string // "" for none
	}{
		{"text", strings.Repeat("é", 512), ""},
		{"text", strings.Repeat("é", 512) + "x", "must have at most 1024 bytes, not 1025"},
		{"pointer", strings.Repeat("x", 500_000), "must have at most 1024 bytes, not 500000"},
		{"texts", "a," + strings.Repeat("x", 1024), ""},
		{"texts", "a," + strings.Repeat("x", 1025), "must have at most 1024 bytes, not 1025"},
		{"texts", ids(1001), "must have at most 1000 items"},
		{"numbers", ids(1000), ""},
		{"numbers", ids(1001), "must have at most 1000 items"},
		{"numbers", ids(300_000), "must have at most 1000 items"},
		{"ids", ids(500), ""},
		{"json", `"` + strings.Repeat("x", 1024) + `"`, "must have at most 1024 bytes, not 1030"},
	} {
		err := (&shopapi.Request{Filter: url.Values{test.name: {test.value}}}).BindFilter(&bindable{})
		var e *shopapi.Error
		switch errors.As(err, &e); {
		case test.problem == "" && err != nil:
			t.Errorf("%s of %d bytes: %v", test.name, len(test.value), err)
		case test.problem == "":
		case e == nil || e.Status != http.StatusBadRequest:
			t.Errorf("%s of %d bytes: %v, want a 400", test.name, len(test.value), err)
		default:
			if diff := cmp.Diff(map[string]string{test.name: test.problem}, e.Fields); diff != "" {
				t.Errorf("%s of %d bytes (-want +got):\n%s", test.name, len(test.value), diff)
			}
		}
	}
}

// A list in a body has the limit of items, a text has that of its entity alone.
func TestBody_ListLimit(t *testing.T) {
	list := func(n int) string { return `["1"` + strings.Repeat(`,"1"`, n-1) + "]" }
	for _, name := range []string{"numbers", "texts"} {
		if _, err := bound(t, `{"`+name+`":`+list(1000)+`}`); err != nil {
			t.Errorf("%s with 1,000 items: %v", name, err)
		}
		_, err := bound(t, `{"`+name+`":`+list(1001)+`}`)
		if want := name + " must have at most 1000 items."; err == nil || err.Error() != want {
			t.Errorf("%s with 1,001 items: %v, want %s", name, err, want)
		}
	}
	if _, err := bound(t, `{"text":"`+strings.Repeat("x", 10_000)+`"}`); err != nil {
		t.Errorf("a long text: %v", err)
	}
}
