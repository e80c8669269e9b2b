package discussions_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/resource"
)

// Specification, discussions: the list, its params and their types.
func TestDiscussions_List(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.do("GET", "/api/2.0/discussions", "").want(http.StatusOK).
			is(`{"discussions":[],"params":{"items_per_page":"10","page":1,"sort_order":"desc","sort_by":"timestamp","sort_order_rev":"asc","total_items":"0"}}`)
		s.file(
			discussions.Post{ObjectType: "P", ObjectID: 41, Name: "Ana", Message: "Holds heat well", RatingValue: 5, Timestamp: 1700000000, UserID: 17, IPAddress: "192.0.2.10"},
			discussions.Post{ObjectType: "E", Name: "Bo", Timestamp: 1700000001, Status: "D"},
		)
		s.do("GET", "/api/2.0/discussions?items_per_page=1&page=2", "").want(http.StatusOK).
			is(`{"discussions":[{"post_id":"1","thread_id":"1","name":"Ana","timestamp":"1700000000","user_id":"17","ip_address":"192.0.2.10","status":"A","message":"Holds heat well",` +
				`"rating_value":"5","object_id":"41","object_type":"P","type":"B","company_id":"7","updated_at":"1715774400"}],` +
				`"params":{"items_per_page":"1","page":2,"sort_order":"desc","sort_by":"timestamp","sort_order_rev":"asc","total_items":"2"}}`)
		s.do("GET", "/api/2.0/discussions?items_per_page=1&page=9&sort_by=name&sort_order=asc", "").want(http.StatusOK).
			is(`{"discussions":[],"params":{"items_per_page":"1","page":9,"sort_order":"asc","sort_by":"name","sort_order_rev":"desc","total_items":"2"}}`)
	})
}

// The posts that the tests of filters and orders list.
func fileSome(s *shop) {
	s.file(
		discussions.Post{ObjectType: "P", ObjectID: 41, Name: "Ana", Message: "50% _off_", RatingValue: 5, Timestamp: 100, UserID: 17, IPAddress: "192.0.2.10"},
		discussions.Post{ObjectType: "P", ObjectID: 41, Name: "Émile", Message: `it's a \ backslash`, RatingValue: 4, Timestamp: 300, IPAddress: "192.0.2.9"},
		discussions.Post{ObjectType: "C", ObjectID: 41, Name: "bo", Message: "Größe STRASSE", RatingValue: 5, Timestamp: 200, Status: "D", IPAddress: "192.0.2.10"},
		discussions.Post{ObjectType: "A", ObjectID: 3, Name: "Çağla", Message: "", Timestamp: 200, IPAddress: "2001:db8::1"},
		discussions.Post{ObjectType: "O", ObjectID: 41, Name: "Zoë", Message: "100 off", RatingValue: 1, Timestamp: 200, Status: "D"},
		discussions.Post{ObjectType: "E", Name: "ana b", Message: "👍 <b>", RatingValue: 2, Timestamp: 50, UserID: 17},
	)
}

// Specification, discussions: the filters. decisions §6: texts match a part in
// either case, codes match exactly.
func TestDiscussions_Filters(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		fileSome(s)
		if _, err := s.Discussions.OpenThread(t.Context(), discussions.Thread{ObjectType: "P", ObjectID: 2, Type: discussions.Comments}); err != nil {
			t.Fatal(err)
		}
		s.file(discussions.Post{ObjectType: "P", ObjectID: 2, Timestamp: 10})
		for _, test := range []struct{ filter, want string }{
			{"", "2 5 4 3 1 6 7 of 7"},
			{"status=A", "2 4 1 6 7 of 5"},
			{"status=D", "5 3 of 2"},
			{"name=ANA", "1 6 of 2"},
			{"name=ana+b", "6 of 1"},
			{"name=éMI", "2 of 1"},
			{"name=ÇAĞ", "4 of 1"},
			{"name=zo%C3%AB", "5 of 1"},
			{"name=nobody", " of 0"},
			{"message=%25", "1 of 1"},
			{"message=_", "1 of 1"},
			{"message='", "2 of 1"},
			{`message=\`, "2 of 1"},
			{"message=OFF", "5 1 of 2"},
			{"message=strasse", "3 of 1"},
			{"message=größe", "3 of 1"},
			{"message=👍", "6 of 1"},
			{"message=<B>", "6 of 1"},
			{"type=C", "7 of 1"},
			{"type=B", "2 5 4 3 1 6 of 6"},
			{"type=R", " of 0"},
			{"ip_address=192.0.2.10", "3 1 of 2"},
			{"ip_address=192.0.2.1", " of 0"},
			{"ip_address=2001:db8::1", "4 of 1"},
			{"rating_value=5", "3 1 of 2"},
			{"rating_value=3", " of 0"},
			{"object_type=P", "2 1 7 of 3"},
			{"object_type=E", "6 of 1"},
			{"object_type=E&object_id=0", "6 of 1"},
			{"object_id=41", "2 5 3 1 of 4"},
			{"object_id=0", "6 of 1"},
			{"object_type=P&object_id=41", "2 1 of 2"},
			{"user_id=17", "1 6 of 2"},
			{"user_id=0", "2 5 4 3 7 of 5"},
			{"status=A&object_type=P&rating_value=5&name=a&message=off", "1 of 1"},
			{"status=&name=&rating_value=&object_id=", "2 5 4 3 1 6 7 of 7"}, // an empty parameter counts as omitted
			{"unknown=1&thread=7", "2 5 4 3 1 6 7 of 7"},
			{"status=D&status=A", "2 5 4 3 1 6 7 of 7"}, // the last one counts
		} {
			name, value, _ := strings.Cut(test.filter, "=")
			if name == "name" || name == "message" {
				if plain, err := url.QueryUnescape(value); err == nil {
					value = plain
				}
				test.filter = name + "=" + url.QueryEscape(value)
			}
			if got := s.list(test.filter); got != test.want {
				t.Errorf("%s lists %s, want %s", test.filter, got, test.want)
			}
		}
	})
}

// Specification, discussions: the orders. decisions §6: ties are broken by id.
func TestDiscussions_Sorts(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		fileSome(s)
		for _, test := range []struct{ query, want string }{
			{"sort_by=timestamp", "2 5 4 3 1 6 of 6"},
			{"sort_by=timestamp&sort_order=asc", "6 1 3 4 5 2 of 6"},
			{"sort_order=asc", "6 1 3 4 5 2 of 6"},
			{"sort_by=name&sort_order=asc", "1 6 3 5 4 2 of 6"}, // by code points: ç and é after z
			{"sort_by=name", "2 4 5 3 6 1 of 6"},
			{"sort_by=ip_address&sort_order=asc", "5 6 1 3 2 4 of 6"},
			{"sort_by=ip_address", "4 2 3 1 6 5 of 6"},
			{"sort_by=status&sort_order=asc", "1 2 4 6 3 5 of 6"},
			{"sort_by=status", "5 3 6 4 2 1 of 6"},
			{"sort_by=status&page=2&items_per_page=4", "2 1 of 6"},
			{"status=A&sort_by=name&sort_order=asc", "1 6 4 2 of 4"},
		} {
			if got := s.list(test.query); got != test.want {
				t.Errorf("%s lists %s, want %s", test.query, got, test.want)
			}
		}
	})
}

// decisions §6: pages neither repeat nor skip posts, also with ties; a page size beyond
// the maximum becomes the maximum.
func TestDiscussions_Pages(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i := range 25 {
			s.file(discussions.Post{ObjectType: "P", ObjectID: 1, Timestamp: int64(100 + i%2)})
		}
		var seen []string
		for page := 1; page <= 7; page++ {
			ids, _, _ := strings.Cut(s.list(fmt.Sprintf("items_per_page=4&page=%d", page)), " of ")
			seen = append(seen, strings.Fields(ids)...)
		}
		if len(seen) != 25 || len(slices.Compact(slices.Sorted(slices.Values(seen)))) != 25 {
			t.Errorf("7 pages of 4 are %v", seen)
		}
		if got := s.list("page=99999999999"); got != " of 25" {
			t.Errorf("a page past the end: %s", got)
		}
		if got := s.do("GET", "/api/2.0/discussions?items_per_page=5000", "").object()["params"].(map[string]any)["items_per_page"]; got != "1000" {
			t.Errorf("items_per_page above the maximum: %v", got)
		}
	})
}

// decisions §5, §6: a list parameter that is invalid is a 400 that names it.
func TestDiscussions_ListRefuses(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for _, test := range []struct {
			query  string
			fields []string
		}{
			{"sort_by=message", []string{"sort_by"}},
			{"sort_by=post_id;drop", []string{"sort_by"}},
			{"sort_order=up", []string{"sort_order"}},
			{"page=0", []string{"page"}},
			{"page=-1", []string{"page"}},
			{"page=x", []string{"page"}},
			{"page=99999999999999999999", []string{"page"}},
			{"items_per_page=-1", []string{"items_per_page"}},
			{"items_per_page=0", []string{"items_per_page"}},
			{"status=H", []string{"status"}},
			{"status=a", []string{"status"}},
			{"type=X", []string{"type"}},
			{"object_type=Z", []string{"object_type"}},
			{"object_id=abc", []string{"object_id"}},
			{"object_id=1.5", []string{"object_id"}},
			{"user_id=me", []string{"user_id"}},
			{"rating_value=6", []string{"rating_value"}},
			{"rating_value=0", []string{"rating_value"}},
			{"rating_value=abc", []string{"rating_value"}},
			{"period=Q", []string{"period"}},
			{"period=C&time_from=2&time_to=1", []string{"time_from"}},
			{"period=C&time_from=2024-02-30", []string{"time_from"}},
			{"period=C&time_to=15.05.2024", []string{"time_to"}},
			{"period=C&time_from=now&time_to=-1", []string{"time_from", "time_to"}},
			{"status=x&type=x&period=x", []string{"status", "type", "period"}},
			{"page=0&rating_value=9", []string{"page", "rating_value"}},
		} {
			s.do("GET", "/api/2.0/discussions?"+strings.ReplaceAll(test.query, ";", "%3B"), "").names(test.fields...)
		}
	})
}

// decisions §10: periods in the API's time zone, by its clock.
func TestDiscussions_Periods(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Location: berlin}) // Wednesday 14:00 there
	for _, at := range []string{
		"2024-05-15 00:00:00", "2024-05-14 23:59:59", "2024-05-14 00:00:00", "2024-05-13 00:00:00", "2024-05-12 23:59:59",
		"2024-05-06 00:00:00", "2024-05-01 00:00:00", "2024-04-30 23:59:59", "2024-01-01 00:00:00", "2023-12-31 23:59:59",
		"2024-05-15 23:59:59", "2024-05-16 00:00:00", "2024-05-14 14:00:00", "2024-05-14 13:59:59", "2024-05-15 14:00:00",
	} {
		when, err := time.ParseInLocation(time.DateTime, at, berlin)
		if err != nil {
			t.Fatal(err)
		}
		s.file(discussions.Post{ObjectType: "P", ObjectID: 1, Timestamp: when.Unix()})
	}
	for _, test := range []struct{ query, want string }{
		{"period=A", "12 11 15 1 2 13 14 3 4 5 6 7 8 9 10 of 15"},
		{"period=D", "11 15 1 of 3"},
		{"period=LD", "2 13 14 3 of 4"},
		{"period=W", "12 11 15 1 2 13 14 3 4 of 9"},
		{"period=LW", "5 6 of 2"},
		{"period=M", "12 11 15 1 2 13 14 3 4 5 6 7 of 12"},
		{"period=LM", "8 of 1"},
		{"period=Y", "12 11 15 1 2 13 14 3 4 5 6 7 8 9 of 14"},
		{"period=LY", "10 of 1"},
		{"period=HH", "15 1 2 13 of 4"},
		{"period=HW", "15 1 2 13 14 3 4 5 of 8"},
		{"period=HM", "15 1 2 13 14 3 4 5 6 7 8 of 11"},
		{"period=C&time_from=2024-05-14&time_to=2024-05-14", "2 13 14 3 of 4"},
		{"period=C&time_from=1715637600&time_to=1715637600", "3 of 1"},
		{"period=C&time_to=2023-12-31", "10 of 1"},
		{"period=C&time_from=2024-05-16", "12 of 1"},
		{"period=C", "12 11 15 1 2 13 14 3 4 5 6 7 8 9 10 of 15"},
		{"period=D&time_from=nonsense&time_to=0", "11 15 1 of 3"}, // other periods ignore them
		{"time_from=nonsense", "12 11 15 1 2 13 14 3 4 5 6 7 8 9 10 of 15"},
	} {
		if got := s.list("items_per_page=20&" + test.query); got != test.want {
			t.Errorf("%s lists %s, want %s", test.query, got, test.want)
		}
	}
}

// The host's own code has the same filters, and can read all posts at once.
func TestDiscussions_Find(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		fileSome(s)
		id := int64(41)
		for _, test := range []struct {
			filter discussions.Filter
			want   string
		}{
			{discussions.Filter{}, "[2 5 4 3 1 6] of 6"},
			{discussions.Filter{ListOptions: resource.ListOptions{Limit: 2, Offset: 1}}, "[5 4] of 6"},
			{discussions.Filter{ListOptions: resource.ListOptions{Offset: 4}}, "[1 6] of 6"},
			{discussions.Filter{ObjectType: discussions.Product, ObjectID: &id, ListOptions: resource.ListOptions{SortBy: "name", Order: resource.Ascending}}, "[1 2] of 2"},
			{discussions.Filter{Period: "C", TimeFrom: "200", TimeTo: "299"}, "[5 4 3] of 3"},
		} {
			list, total, err := s.Discussions.Find(t.Context(), test.filter)
			var ids []int64
			for _, p := range list {
				ids = append(ids, p.PostID)
			}
			if got := fmt.Sprintf("%v of %d", ids, total); err != nil || got != test.want {
				t.Errorf("%+v finds %s, %v; want %s", test.filter, got, err, test.want)
			}
		}
		_, _, err := s.Discussions.Find(t.Context(), discussions.Filter{ListOptions: resource.ListOptions{SortBy: "message"}, RatingValue: 7})
		want := `rating_value must be a whole number from 1 to 5, not 7; sort_by must be one of timestamp, name, ip_address, status, updated_at, not "message".`
		if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// All iterates over the matching posts, by id, in Go.
func TestDiscussions_All(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		fileSome(s)
		var ids []int64
		for p, err := range s.Discussions.All(t.Context(), discussions.Filter{Status: discussions.Approved}) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, p.PostID)
		}
		if diff := cmp.Diff([]int64{1, 2, 4, 6}, ids); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, err := range s.Discussions.All(t.Context(), discussions.Filter{Status: "H"}) {
			shoptest.WantStatus(t, "a status that is none", err, 400)
		}
		list, err := s.Discussions.CreateAll(t.Context(), []discussions.Post{{ObjectType: "P", ObjectID: 9}, {ObjectType: "P", ObjectID: 9, RatingValue: 3}})
		if err != nil || len(list) != 2 || list[0].ThreadID != list[1].ThreadID {
			t.Errorf("CreateAll: %+v, %v", list, err)
		}
	})
}
