package query_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/query"
)

func TestFilter(t *testing.T) {
	q, err := url.ParseQuery("_d=products&ajax_custom=1&a=&b[]=1&b[3]=2&b=0&c=x")
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{"b": {"0", "2", "1"}, "c": {"x"}}
	if diff := cmp.Diff(want, query.Filter(q)); diff != "" {
		t.Error(diff)
	}
	if got := query.Filter(url.Values{"_d": {"x"}}); got != nil {
		t.Errorf("without parameters the filter is %v", got)
	}
}

func TestMalformed(t *testing.T) {
	q := url.Values{"b[]": {"x", "\xff"}, "a": {"\x00"}, "c": {"x"}}
	if diff := cmp.Diff([]string{"a", "b"}, query.Malformed(q)); diff != "" {
		t.Error(diff)
	}
}

func TestPositive(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "9223372036854775807": 9223372036854775807, "0": 0, "-1": 0, "+1": 0, "x": 0, "9223372036854775808": 0, "+9223372036854775808": 0} {
		got, problem := query.Positive(text)
		if got != want || (problem == "") != (want != 0) {
			t.Errorf("%s is %d, %s", text, got, problem)
		}
	}
}
