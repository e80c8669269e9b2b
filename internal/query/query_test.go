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

func TestPageReader(t *testing.T) {
	for _, c := range []struct {
		query string
		live  bool
		want  query.Page
		wrong []string
	}{
		{"", false, query.Page{Number: 1, Size: 10, SortBy: "id"}, nil},
		{"page=2&items_per_page=5&sort_by=date&sort_order=desc", false, query.Page{Number: 2, Size: 5, SortBy: "date", Descending: true}, nil},
		{"sort_by=timestamp", true, query.Page{Number: 1, Size: 10, SortBy: "date"}, nil},
		{"sort_by=updated_timestamp", true, query.Page{Number: 1, Size: 10, SortBy: "updated"}, nil},
		{"sort_by=x", true, query.Page{Number: 1, Size: 10, SortBy: "id"}, nil},
		{
			"page=0&items_per_page=x&sort_by=x&sort_order=up", false, query.Page{Number: 1, Size: 10},
			[]string{
				`page must be a whole number from 1, not "0"`, `items_per_page must be a whole number from 1, not "x"`,
				`sort_by must be one of id, date, updated, not "x"`, `sort_order must be asc or desc, not "up"`,
			},
		},
	} {
		filter, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		got := query.Page{Number: 1, Size: 10, SortBy: "id"}
		var wrong []string
		r := query.PageReader{
			Sorts: []string{"id", "date", "updated"}, Live: c.live,
			Refuse: func(name, problem string) { wrong = append(wrong, name+" "+problem) },
		}
		r.Read(filter, &got)
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.wrong, wrong); diff != "" {
			t.Errorf("%s: %s", c.query, diff)
		}
	}
}
