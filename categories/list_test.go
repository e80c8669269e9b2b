package categories_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/resource"
)

// TestCategories_Filters: parent_id, status and company_id exactly, category as a
// part of the name without regard to case (decisions §6, §7).
func TestCategories_Filters(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *shop) {
		for i, c := range []struct {
			name, status    string
			parent, company int64
		}{
			{"Café", "A", 0, 1}, {"STRASSE", "D", 0, 1}, {"Жёлтый", "H", 1, 2}, {"100% cotton", "A", 1, 2},
			{"100 percent", "A", 2, 2}, {"snake_case", "D", 0, 3}, {"snakeXcase", "A", 0, 1}, {`back\slash`, "A", 0, 1},
		} {
			s.add(fmt.Sprintf(`{"category": %q, "status": %q, "parent_id": %d, "company_id": %d, "position": %d}`, c.name, c.status, c.parent, c.company, 10*i))
		}
		for _, c := range []struct{ query, want string }{
			{"", "1 3 4 2 5 6 7 8"},
			{"parent_id=0", "1 2 6 7 8"}, {"parent_id=1", "3 4"}, {"parent_id=3", ""}, {"parent_id=99", ""},
			{"status=A", "1 4 5 7 8"}, {"status=D", "2 6"}, {"status=H", "3"},
			{"company_id=1", "1 2 7 8"}, {"company_id=3", "6"}, {"company_id=9", ""}, {"company_id=0", ""},
			{"category=CAFÉ", "1"}, {"category=cafe\u0301", "1"}, {"category=cafe", ""}, {"category=É", "1"},
			{"category=straße", "2"}, {"category=ß", "2"}, {"category=ЖЁЛ", "3"}, {"category=ж", "3"},
			{"category=%", "4"}, {"category=0%", "4"}, {"category=_", "6"}, {"category=E_C", "6"}, {`category=\`, "8"},
			{"category='", ""}, {"category=100", "4 5"}, {"category= ", "4 5"},
			{"parent_id=1&status=A&company_id=2&category=100", "4"},
			{"parent_id=&status=&company_id=&category=", "1 3 4 2 5 6 7 8"}, // not sent
			{"unknown=1&ajax_custom=1", "1 3 4 2 5 6 7 8"},
			{"status=D&status=A", "1 4 2 5 6 7 8"},
			{"sort_by=position&sort_order=desc", "8 7 6 5 2 4 3 1"},
		} {
			query, err := url.ParseQuery(strings.ReplaceAll(c.query, "%", "%25"))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.List("/api/2.0/categories?"+query.Encode(), "category_id"); got != c.want {
				t.Errorf("%s: categories %q, want %q", c.query, got, c.want)
			}
		}
	})
}

// TestCategories_BadFiltersNamed are 400 (decisions §5, §6).
func TestCategories_BadFiltersNamed(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for _, c := range []struct{ query, field string }{
			{"status=X", "status"}, {"status=a", "status"}, {"parent_id=x", "parent_id"}, {"company_id=1.5", "company_id"},
			{"page=0", "page"}, {"page=-1", "page"}, {"page=x", "page"}, {"page=99999999999999999999", "page"},
			{"items_per_page=0", "items_per_page"}, {"items_per_page=1.5", "items_per_page"},
			{"sort_by=nothing", "sort_by"}, {"sort_order=up", "sort_order"},
		} {
			s.Refuses("GET", "/api/2.0/categories?"+c.query, "", c.field)
		}
		s.Refuses("GET", "/api/2.0/categories?parent_id=x&page=0", "", "parent_id", "page")
	})
}

// TestCategories_5_NumbersBeyond64Bits: the message about a whole number that is too large names
// the range (decisions §5).
func TestCategories_5_NumbersBeyond64Bits(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		const large = "99999999999999999999999"
		for _, c := range []struct{ method, query, body, want string }{
			{"POST", "", `{"category": "C", "parent_id": ` + large + `}`, "parent_id must be a whole number from 0 to 9223372036854775807"},
			{"POST", "", `{"category": "C", "parent_id": "` + large + `.0"}`, "parent_id must be a whole number from 0 to 9223372036854775807"},
			{"POST", "", `{"category": "C", "position": -` + large + `}`, "position must be a whole number from 0 to 2147483647"},
			{"POST", "", `{"category": "C", "company_id": ` + large + `}`, "company_id must be a whole number from -9223372036854775808 to 9223372036854775807"},
			{"POST", "", `{"category": "C", "parent_id": "` + large + `.5"}`, "parent_id must be a whole number, not"},
			{"GET", "?parent_id=" + large, "", "parent_id must be a whole number from -9223372036854775808 to 9223372036854775807"},
			{"GET", "?page=" + large, "", "page must be a whole number from 1 to 9223372036854775807"},
			{"GET", "?items_per_page=" + large, "", "items_per_page must be a whole number from 1 to 9223372036854775807"},
		} {
			if got := s.Call(400, c.method, "/api/2.0/categories"+c.query, c.body); !strings.Contains(got, c.want) {
				t.Errorf("%s %s %s: %s, want %s", c.method, c.query, c.body, got, c.want)
			}
		}
	})
}

// TestCategories_OptionalPaging cuts the array; headers carry total and links (decisions
// §7).
func TestCategories_OptionalPaging(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i := range 25 {
			s.add(fmt.Sprintf(`{"category": "C%d"}`, i%2))
		}
		for _, c := range []struct{ query, ids, total, links string }{
			{"", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25", "", ""},
			{"page=1", "1 2 3 4 5 6 7 8 9 10", "25", "first 1, next 2, last 3"},
			{"page=3", "21 22 23 24 25", "25", "first 1, prev 2, last 3"},
			{"items_per_page=2", "1 2", "25", "first 1, next 2, last 13"},
			{"page=2&items_per_page=3", "4 5 6", "25", "first 1, prev 1, next 3, last 9"},
			{"page=9", "", "25", "first 1, prev 3, last 3"},
			{"page=9223372036854775807&items_per_page=1000", "", "25", "first 1, prev 1, last 1"},
			{"items_per_page=5000", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25", "25", "first 1, last 1"},
			{"items_per_page=5&page=2&category=c1", "12 14 16 18 20", "12", "first 1, prev 1, next 3, last 3"},
			{"page=1&category=none", "", "0", "first 1, last 1"},
		} {
			path := "/api/2.0/categories?" + c.query
			if got := s.List(path, "category_id"); got != c.ids {
				t.Errorf("%s: categories %s, want %s", c.query, got, c.ids)
			}
			header := s.Send("GET", path, "").Header
			if got := header.Get("X-Total-Count"); got != c.total {
				t.Errorf("%s: X-Total-Count %q, want %q", c.query, got, c.total)
			}
			if got := s.linked(path, header.Get("Link")); got != c.links {
				t.Errorf("%s: Link leads to %q, want %q", c.query, got, c.links)
			}
		}
	})
}

// linked follows a Link header (RFC 8288) and returns each relation with its page. Every
// other parameter of path must stay.
func (s *shop) linked(path, header string) string {
	s.Helper()
	if header == "" {
		return ""
	}
	base, err := url.Parse(path)
	if err != nil {
		s.Fatal(err)
	}
	var pages []string
	for link := range strings.SplitSeq(header, ", ") {
		target, rel, ok := strings.Cut(link, `>; rel="`)
		to, err := base.Parse(strings.TrimPrefix(target, "<"))
		if !ok || err != nil || to.Path != base.Path {
			s.Fatalf("Link %s: %v", header, err)
		}
		query, was := to.Query(), base.Query()
		pages = append(pages, strings.TrimSuffix(rel, `"`)+" "+query.Get("page"))
		for _, q := range []url.Values{query, was} {
			q.Del("page")
			q.Del("items_per_page")
		}
		if diff := cmp.Diff(was, query); diff != "" {
			s.Errorf("%s changes the query:\n%s", link, diff)
		}
	}
	return strings.Join(pages, ", ")
}

// TestCategories_FindFromGo has the same filters and order, and totals.
func TestCategories_FindFromGo(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		top := s.addTo(0, "top")
		for range 5 {
			s.addTo(top, "child")
		}
		for _, c := range []struct {
			filter categories.Filter
			want   []int64
			total  int64
		}{
			{categories.Filter{}, []int64{1, 2, 3, 4, 5, 6}, 6},
			{categories.Filter{ListOptions: resource.ListOptions{Order: resource.Descending}}, []int64{6, 5, 4, 3, 2, 1}, 6},
			{categories.Filter{ParentID: &top, ListOptions: resource.ListOptions{Limit: 2, Offset: 1}}, []int64{3, 4}, 5},
			{categories.Filter{Name: "CHILD", ListOptions: resource.ListOptions{Offset: 4}}, []int64{6}, 5},
			{categories.Filter{Status: categories.Hidden}, []int64{}, 0},
			{categories.Filter{ParentID: new(int64)}, []int64{1}, 1},
			{categories.Filter{ParentID: &top, ListOptions: resource.ListOptions{Order: resource.Descending, Limit: 3}}, []int64{6, 5, 4}, 5},
		} {
			list, total, err := s.Categories.Find(t.Context(), c.filter)
			ids := []int64{}
			for _, summary := range list {
				ids = append(ids, summary.CategoryID)
			}
			if diff := cmp.Diff(c.want, ids); diff != "" || total != c.total || err != nil {
				t.Errorf("%+v: total %d, error %v, (-want +got):\n%s", c.filter, total, err, diff)
			}
		}
		if _, _, err := s.Categories.Find(t.Context(), categories.Filter{Status: "X"}); err == nil {
			t.Error("a status that is none was accepted")
		}
	})
}
