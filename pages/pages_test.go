package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/pages"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

type shop struct {
	*shoptest.Shop
	pages *pages.Pages
}

// everyStore runs a test over each store.
func everyStore(t *testing.T, o shopapi.Options, test func(t *testing.T, s *shop)) {
	t.Helper()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		o.Authenticator = shoptest.Staff(shopapi.Privileges{View: "view_pages", Manage: "manage_pages"})
		s := &shop{Shop: shoptest.New(t, st, o)}
		var err error
		if s.pages, err = pages.Register(t.Context(), s.API, st); err != nil {
			t.Fatal(err)
		}
		s.Dump = func() any {
			list, _, err := s.pages.Find(t.Context(), pages.Filter{Tree: pages.Plain})
			if err != nil {
				t.Error(err)
			}
			return list
		}
		test(t, s)
	})
}

// plant creates six pages: 1 About with 2 Team and 3 Press, 4 Logo below 3; 5 Delivery,
// and 6, a link.
func (s *shop) plant() {
	s.Helper()
	for _, body := range []string{
		`{"page": "About", "page_type": "T", "description": "<p>A pottery</p>"}`,
		`{"page": "Team", "page_type": "T", "parent_id": 1}`,
		`{"page": "Press", "page_type": "T", "parent_id": 1, "status": "H"}`,
		`{"page": "Logo", "page_type": "T", "parent_id": 3, "description": "<script>alert(1)</script>"}`,
		`{"page": "Delivery", "page_type": "T", "position": 5}`,
		`{"page": "Shop", "page_type": "L", "link": "https://example.org", "new_window": 1}`,
	} {
		s.Call(201, "POST", "/api/2.0/pages", body)
	}
}

func TestPages_Fields(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.Want("POST", "/api/2.0/pages", `{"page": "Delivery", "page_type": "T", "description": "<p>How we ship</p>"}`, 201, `{"page_id":"1"}`)
		one := fmt.Sprintf(`{"page_id":"1","company_id":"1","parent_id":"0","id_path":"1","status":"A","page_type":"T","position":"10",`+
			`"timestamp":"%[1]d","updated_at":"%[1]d","usergroup_ids":"0","localization":"","new_window":"0","use_avail_period":"N",`+
			`"avail_from_timestamp":"0","avail_till_timestamp":"0","lang_code":"en","page":"Delivery","description":"<p>How we ship</p>",`+
			`"meta_keywords":"","meta_description":"","page_title":"","link":""`, shoptest.Now)
		shoptest.SameJSON(t, s.Call(200, "GET", "/api/2.0/pages/1", ""), one+"}")
		shoptest.SameJSON(t, s.Call(200, "GET", "/api/2.0/pages", ""), `{"pages":[`+one+`,"level":0}],"params":{"items_per_page":"10",`+
			`"page":1,"sort_order":"asc","sort_by":"position","sort_order_rev":"desc","total_items":"1"}}`)
	})
}

func TestPages_AreATree(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.plant()
		s.Refuses("PUT", "/api/2.0/pages/1", `{"parent_id": 1}`, "parent_id")
		s.Refuses("PUT", "/api/2.0/pages/1", `{"parent_id": 4}`, "parent_id")
		s.Refuses("POST", "/api/2.0/pages", `{"page": "X", "page_type": "T", "parent_id": 99}`, "parent_id")
		s.Call(200, "PUT", "/api/2.0/pages/3", `{"parent_id": 5}`)
		for id, path := range map[int]string{3: `"5/3"`, 4: `"5/3/4"`, 2: `"1/2"`} {
			if got := s.Field(fmt.Sprintf("/api/2.0/pages/%d", id), "id_path"); got != path {
				t.Errorf("the path of page %d is %s, want %s", id, got, path)
			}
		}
		s.Call(204, "DELETE", "/api/2.0/pages/5", "")
		for id, status := range map[int]int{1: 200, 2: 200, 3: 404, 4: 404, 5: 404} {
			s.Status("GET", fmt.Sprintf("/api/2.0/pages/%d", id), "", status)
		}
	})
}

func TestPages_GetTree(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.plant()
		for address, want := range map[string]string{
			"/api/2.0/pages?get_tree=plain":                        "Delivery About Team Press Logo Shop",
			"/api/2.0/pages?get_tree=true":                         "Delivery About Shop",
			"/api/2.0/pages?get_tree=true&status=H":                "Press",
			"/api/2.0/pages?get_tree=true&items_per_page=1&page=2": "About",
			"/api/2.0/pages?sort_by=multi_level&sort_order=asc":    "Delivery About Team Press Logo Shop",
			"/api/2.0/pages?get_tree=true&items_per_page=1&page=9": "",
			"/api/2.0/pages?parent_id=1":                           "Team Press",
			"/api/2.0/pages?sort_by=name&sort_order=desc":          "Team Shop Press Logo Delivery About",
			"/api/2.0/pages?page_type=L":                           "Shop",
			"/api/2.0/pages?q=POTTERY":                             "About",
			"/api/2.0/pages?q=elive":                               "Delivery",
			"/api/2.0/pages?item_ids=2,6,99":                       "Team Shop",
			"/api/2.0/pages?status=":                               "Delivery About Team Logo Press Shop",
			"/api/2.0/pages?item_ids=" + strings.TrimSuffix(strings.Repeat("7,", shopapi.MaxListItems), ","): "",
		} {
			if got := s.List(address, "page"); got != want {
				t.Errorf("%.80s: %s, want %s", address, got, want)
			}
		}
		for _, wrong := range []string{"get_tree=maybe", "page_type=X", "status=X", "sort_by=colour", "page=0",
			"item_ids=a", "item_ids=" + strings.Repeat("7,", shopapi.MaxListItems) + "7", "q=" + strings.Repeat("a", shopapi.MaxFilterText+1)} {
			s.Refuses("GET", "/api/2.0/pages?"+wrong, "", strings.SplitN(wrong, "=", 2)[0])
		}
		list, total, err := s.pages.Find(t.Context(), pages.Filter{Tree: pages.Nested})
		if err != nil || total != 3 {
			t.Fatalf("%d pages at the top, %v", total, err)
		}
		var drawn strings.Builder
		draw(&drawn, list)
		if diff := cmp.Diff("Delivery0() About0(Team1() Press1(Logo2())) Shop0()", drawn.String()); diff != "" {
			t.Errorf("the tree (-want +got):\n%s", diff)
		}
	})
}

// decisions §6, §23: each part of a nested list has whole trees, also where a page that does
// not match lies between two that do.
func TestPages_PartsOfANestedListHaveWholeTrees(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for _, v := range []pages.Page{
			{Name: "About"},
			{Name: "Team", ParentID: 1, Status: pages.Disabled},
			{Name: "Ana", ParentID: 2},
			{Name: "Press", ParentID: 1},
			{Name: "Logo", ParentID: 4},
			{Name: "Shop"},
		} {
			v.Type = pages.Text
			if _, err := s.pages.Create(t.Context(), v); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			limit, offset int
			want          string
		}{
			{0, 0, "About0(Press1(Logo2())) Ana2() Shop0()"},
			{1, 0, "About0(Press1(Logo2()))"},
			{1, 1, "Ana2()"},
			{2, 1, "Ana2() Shop0()"},
			{0, 2, "Shop0()"},
			{1, 3, ""},
		} {
			list, total, err := s.pages.Find(t.Context(), pages.Filter{
				ListOptions: resource.ListOptions{Limit: c.limit, Offset: c.offset}, Status: pages.Active, Tree: pages.Nested,
			})
			var drawn strings.Builder
			draw(&drawn, list)
			if drawn.String() != c.want || total != 3 || err != nil {
				t.Errorf("%d from %d: %s of %d, %v, want %s of 3", c.limit, c.offset, drawn.String(), total, err, c.want)
			}
		}
	})
}

func draw(b *strings.Builder, list []pages.Item) {
	for i, item := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(b, "%s%d(", item.Name, item.Level)
		draw(b, item.Subpages)
		b.WriteByte(')')
	}
}

func TestPages_SimpleListsLeaveOutDescriptions(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.plant()
		if body := s.Call(200, "GET", "/api/2.0/pages?simple=1", ""); strings.Contains(body, "pottery") {
			t.Errorf("descriptions in %s", body)
		}
		if body := s.Call(200, "GET", "/api/2.0/pages?simple=1&get_tree=true", ""); strings.Contains(body, "alert") {
			t.Errorf("descriptions in %s", body)
		}
	})
}

func TestPages_TheTypeIsOfCreation(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.plant()
		s.Call(200, "PUT", "/api/2.0/pages/1", `{"page_type": "L", "link": "/x", "new_window": 1}`)
		for field, want := range map[string]string{"page_type": `"T"`, "link": `""`, "new_window": `"0"`} {
			if got := s.Field("/api/2.0/pages/1", field); got != want {
				t.Errorf("the %s of a page is %s, want %s", field, got, want)
			}
		}
		for _, wrong := range []string{`""`, "null", `"X"`} {
			s.Refuses("PUT", "/api/2.0/pages/1", `{"page_type": `+wrong+`}`, "page_type")
		}
		s.Call(200, "PUT", "/api/2.0/pages/6", `{"link": "/y"}`)
		if got := s.Field("/api/2.0/pages/6", "link"); got != `"/y"` {
			t.Errorf("the link is %s", got)
		}
	})
}

func TestPages_TimestampIsThatOfItsCreation(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.Call(201, "POST", "/api/2.0/pages", `{"page": "Delivery", "page_type": "T", "timestamp": 5}`)
		if got, want := s.Field("/api/2.0/pages/1", "timestamp"), fmt.Sprintf(`"%d"`, shoptest.Now); got != want {
			t.Errorf("the timestamp is %s, want %s", got, want)
		}
		s.Call(200, "PUT", "/api/2.0/pages/1", `{"timestamp": 5}`)
		if got := s.Field("/api/2.0/pages/1", "timestamp"); got != `"5"` {
			t.Errorf("after an update the timestamp is %s", got)
		}
	})
}

func TestPages_BadInput(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for body, fields := range map[string][]string{
			`{"description": "x"}`:                                                                     {"page", "page_type"},
			`{"page": "x", "page_type": "X", "status": "N"}`:                                           {"page_type", "status"},
			`{"page": "x", "page_type": "T", "position": -1}`:                                          {"position"},
			`{"page": "x", "page_type": "T", "position": "-9223372036854775808"}`:                      {"position"},
			`{"page": "x", "page_type": "L", "new_window": 2}`:                                         {"new_window"},
			`{"page": "x", "page_type": "T", "timestamp": -1}`:                                         {"timestamp"},
			`{"page": "x", "page_type": "T", "usergroup_ids": "a"}`:                                    {"usergroup_ids"},
			`{"page": "x", "page_type": "T", "avail_from_timestamp": -1}`:                              {"avail_from_timestamp"},
			`{"page": "` + strings.Repeat("x", 256) + `", "page_type": "T", "link": "x"}`:              {"page"},
			`{"page": "x", "page_type": "F", "new_window": 2}`:                                         {"new_window"},
			`{"page": "x", "page_type": "T", "link": "` + strings.Repeat("x", 2049) + `"}`:             {"link"},
			`{"page": "x", "page_type": "L", "link": "` + strings.Repeat("x", 2049) + `"}`:             {"link"},
			`{"page": "x", "page_type": "T", "description": "` + strings.Repeat("x", 256<<10+1) + `"}`: {"description"},
		} {
			s.Refuses("POST", "/api/2.0/pages", body, fields...)
		}
		s.Call(201, "POST", "/api/2.0/pages", `{"page": "x", "page_type": "T"}`)
		s.Refuses("PUT", "/api/2.0/pages/1", `{"page_type": "X"}`, "page_type")
	})
}

func TestPages_BelongToCompanies(t *testing.T) {
	everyStore(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *shop) {
		s.Call(201, "POST", "/api/2.0/pages", `{"page": "x", "page_type": "T", "company_id": 2}`)
		s.Call(201, "POST", "/api/2.0/pages", `{"page": "x", "page_type": "T"}`)
		if got := s.List("/api/2.0/pages?company_id=2", "page_id"); got != "1" {
			t.Errorf("the pages of company 2 are %s", got)
		}
		if got := s.List("/api/2.0/pages?company_id=1", "page_id"); got != "2" {
			t.Errorf("the pages of company 1 are %s", got)
		}
	})
}
