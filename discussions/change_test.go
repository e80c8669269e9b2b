package discussions_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// review files post 1, about product 41, and returns the GET response.
func review(s *shop) string {
	s.file(discussions.Post{ObjectType: "P", ObjectID: 41, Name: "Ana", Message: "Holds heat well", RatingValue: 5, Timestamp: 1700000000, UserID: 17, IPAddress: "192.0.2.10"})
	return s.do("GET", "/api/2.0/discussions/1", "").want(http.StatusOK).Body
}

// decisions §10: PUT accepts name, message, rating_value, timestamp and status; other
// fields stay.
func TestDiscussions_Update(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		review(s)
		s.do("PUT", "/api/2.0/discussions/1", `{"status":"D"}`).want(http.StatusOK).is(`{"post_id":"1"}`)
		s.do("GET", "/api/2.0/discussions/1", "").is(`{"post_id":"1","thread_id":"1","name":"Ana","timestamp":"1700000000","user_id":"17","ip_address":"192.0.2.10","status":"D",` +
			`"message":"Holds heat well","rating_value":"5","object_id":"41","object_type":"P","type":"B","company_id":"7","updated_at":"1715774400"}`)
		s.do("PUT", "/api/2.0/discussions/1", `{"name":"Ana B","message":"","rating_value":"","timestamp":1700000001,"status":"A"}`).want(http.StatusOK)
		s.do("GET", "/api/2.0/discussions/1", "").is(`{"post_id":"1","thread_id":"1","name":"Ana B","timestamp":"1700000001","user_id":"17","ip_address":"192.0.2.10","status":"A",` +
			`"message":"","rating_value":"","object_id":"41","object_type":"P","type":"B","company_id":"7","updated_at":"1715774400"}`)
		if diff := cmp.Diff([]string{"create discussions 1 by the host", "update discussions 1 by 1", "update discussions 1 by 1"}, s.Events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// decisions §10: a post cannot move, but its own object and thread may be sent along.
// decisions §4: read-only and unknown fields change nothing.
func TestDiscussions_UpdateKeepsThePlace(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		before := review(s)
		s.file(discussions.Post{ObjectType: "P", ObjectID: 42})
		for _, test := range []struct {
			body   string
			fields []string
		}{
			{`{"object_id":42,"name":"x"}`, []string{"object_id"}},
			{`{"object_type":"C","name":"x"}`, []string{"object_type"}},
			{`{"thread_id":2,"name":"x"}`, []string{"thread_id"}},
			{`{"reply_to":"Y","name":"x"}`, []string{"reply_to"}},
			{`{"thread_id":99,"object_id":99,"object_type":"Z"}`, []string{"thread_id", "object_id", "object_type"}},
		} {
			s.do("PUT", "/api/2.0/discussions/1", test.body).names(test.fields...)
		}
		s.do("PUT", "/api/2.0/discussions/1", before).want(http.StatusOK)
		s.do("PUT", "/api/2.0/discussions/1", `{"post_id":9,"user_id":9,"ip_address":"198.51.100.1","type":"C","company_id":9,"unknown":1}`).want(http.StatusOK)
		s.do("GET", "/api/2.0/discussions/1", "").is(before)
	})
}

func TestDiscussions_UpdateRefuses(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		before := review(s)
		for _, test := range []struct {
			body   string
			fields []string
		}{
			{`{"rating_value":6,"name":"x"}`, []string{"rating_value"}},
			{`{"rating_value":0,"name":"x"}`, []string{"rating_value"}},
			{`{"rating_value":"abc","name":"x"}`, []string{"rating_value"}},
			{`{"status":"H","name":"x"}`, []string{"status"}},
			{`{"status":null,"name":"x"}`, []string{"status"}},
			{`{"timestamp":"soon","name":"x"}`, []string{"timestamp"}},
			{`{"timestamp":-1,"name":"x"}`, []string{"timestamp"}},
			{`{"name":["x"]}`, []string{"name"}},
		} {
			s.do("PUT", "/api/2.0/discussions/1", test.body).names(test.fields...)
		}
		s.do("PUT", "/api/2.0/discussions/1", `{}`).want(http.StatusMethodNotAllowed)
		s.do("GET", "/api/2.0/discussions/1", "").is(before)
	})
}

// decisions §5: an unknown or invalid id is a 404.
func TestDiscussions_UnknownID(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		review(s)
		for _, id := range []string{"2", "0", "-1", "01", "1.0", "x", "99999999999999999999", "1%20"} {
			for _, method := range []string{"GET", "PUT", "DELETE"} {
				s.do(method, "/api/2.0/discussions/"+id, `{"name":"x"}`).want(http.StatusNotFound)
			}
		}
	})
}

// Specification, discussions: DELETE answers 204. The thread stays, and so does
// its id.
func TestDiscussions_Delete(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		review(s)
		s.do("DELETE", "/api/2.0/discussions/1", "").want(http.StatusNoContent).is("")
		s.do("DELETE", "/api/2.0/discussions/1", "").want(http.StatusNotFound)
		s.do("POST", "/api/2.0/discussions", `{"object_type":"P","object_id":41}`).want(http.StatusCreated).is(`{"post_id":"2"}`)
		if got := s.do("GET", "/api/2.0/discussions/2", "").object()["thread_id"]; got != "1" {
			t.Errorf("thread %v, want 1", got)
		}
		if diff := cmp.Diff([]string{"create discussions 1 by the host", "delete discussions 1 by 1", "create discussions 2 by 1"}, s.Events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// The host's own code changes posts by the same rules.
func TestDiscussions_GoUpdate(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		before := review(s)
		cause := errors.New("changed my mind")
		change := func(f func(p *discussions.Post) error) error {
			_, err := s.Discussions.Update(t.Context(), 1, f)
			return err
		}
		if err := change(func(p *discussions.Post) error { p.Name = "x"; return cause }); !errors.Is(err, cause) {
			t.Errorf("%v, want the error of the change", err)
		}
		var e *shopapi.Error
		if err := change(func(p *discussions.Post) error { p.ObjectID = 42; return nil }); !errors.As(err, &e) || e.Fields["object_id"] == "" {
			t.Errorf("moving a post: %v", err)
		}
		if err := change(func(p *discussions.Post) error { p.RatingValue = 6; return nil }); !errors.As(err, &e) || e.Fields["rating_value"] == "" {
			t.Errorf("rating 6: %v", err)
		}
		s.do("GET", "/api/2.0/discussions/1", "").is(before)
		if err := change(func(p *discussions.Post) error { p.Status = discussions.Disapproved; return nil }); err != nil {
			t.Error(err)
		}
		if got, err := s.Discussions.Get(t.Context(), 1); err != nil || got.Status != "D" {
			t.Errorf("%+v, %v", got, err)
		}
		if err := s.Discussions.Delete(t.Context(), 1); err != nil {
			t.Error(err)
		}
		if _, err := s.Discussions.Get(t.Context(), 1); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("after Delete: %v", err)
		}
	})
}

// The threads and posts about an object are deleted with it, and no others, whatever its
// entity.
func TestDiscussions_DeletedWithTheirObjects(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for _, o := range []discussions.Post{{ObjectType: "P", ObjectID: 1}, {ObjectType: "P", ObjectID: 1}, {ObjectType: "P", ObjectID: 2}, {ObjectType: "C", ObjectID: 1}, {ObjectType: "P", ObjectID: 3}} {
			s.file(o)
		}
		err := s.Store.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
			return s.API.RunDeleteHooks(ctx, "products", 1, 3, 4)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.list("sort_order=asc"); got != "3 4 of 2" {
			t.Errorf("posts left: %s", got)
		}
		s.do("POST", "/api/2.0/discussions", `{"thread_id":1}`).names("thread_id")
		s.do("POST", "/api/2.0/discussions", `{"thread_id":2}`).want(http.StatusCreated)
	})
}

func TestDiscussions_DeletedWithObjectsOfEachEntity(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i, kind := range []string{"P", "C", "A", "O"} {
			s.file(discussions.Post{ObjectType: kind, ObjectID: int64(i + 1)})
		}
		s.file(discussions.Post{ObjectType: "E"})
		for i, entity := range []string{"products", "categories", "pages", "orders"} {
			ids := []string{"1", "2", "3", "4", "5"}[i:]
			if got, want := s.list("sort_order=asc"), fmt.Sprintf("%s of %d", strings.Join(ids, " "), len(ids)); got != want {
				t.Errorf("before deletions of %s: %s, want %s", entity, got, want)
			}
			before := s.Events()
			s.do("DELETE", fmt.Sprintf("/api/2.0/%s/%d", entity, i+1), "").want(http.StatusNoContent)
			if diff := cmp.Diff(append(before, fmt.Sprintf("delete %s %d by 1", entity, i+1)), s.Events()); diff != "" {
				t.Errorf("events of %s (-want +got):\n%s", entity, diff)
			}
		}
		if got := s.list(""); got != "5 of 1" {
			t.Errorf("at last: %s, want the post about the home page", got)
		}
	})
}

// An update without a difference is not reported, over HTTP and from Go, and unchanged
// fields are not checked.
func TestDiscussions_UnchangedCausesNoEvent(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		got := review(s)
		s.do("PUT", "/api/2.0/discussions/1", got).want(http.StatusOK).is(`{"post_id":"1"}`)
		s.do("PUT", "/api/2.0/products/41/discussions/1", got).want(http.StatusOK)
		s.do("PUT", "/api/2.0/discussions/1", `{"unknown":1}`).want(http.StatusOK)
		p, err := s.Discussions.Update(t.Context(), 1, func(p *discussions.Post) error { p.Status = discussions.Approved; return nil })
		if err != nil || p.Name != "Ana" {
			t.Errorf("%+v, %v", p, err)
		}
		s.do("GET", "/api/2.0/discussions/1", "").is(got)
		if diff := cmp.Diff([]string{"create discussions 1 by the host"}, s.Events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// A post from an older version with a name that is too long today can be changed in
// other fields.
func TestDiscussions_UnchangedFieldIsNotChecked(t *testing.T) {
	type row struct {
		PostID int64  `json:"post_id" store:"key"`
		Name   string `json:"name" store:"fold"`
		Rating int64  `json:"rating_value"`
		Status string `json:"status"`
	}
	older, err := store.NewTable[row]("discussions")
	if err != nil {
		t.Fatal(err)
	}
	st := shoptest.Memory(t)
	if err := st.Migrate(t.Context(), older.Schema()); err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("x", 300)
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return older.Insert(tx, &row{Name: name, Rating: 9, Status: "A"})
	})
	if err != nil {
		t.Fatal(err)
	}
	s := suite.Open(t, st, shopapi.Options{})
	s.do("PUT", "/api/2.0/discussions/1", `{"message":"Thank you","name":"`+name+`"}`).want(http.StatusOK)
	if got := s.do("GET", "/api/2.0/discussions/1", "").object(); got["message"] != "Thank you" || got["name"] != name {
		t.Errorf("the post is %v", got)
	}
	s.do("PUT", "/api/2.0/discussions/1", `{"name":"y`+name+`"}`).names("name")
	if _, err := s.Discussions.Update(t.Context(), 1, func(p *discussions.Post) error { p.RatingValue = 7; return nil }); err == nil {
		t.Error("a rating of 7 is accepted")
	}
}
