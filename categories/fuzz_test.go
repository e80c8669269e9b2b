package categories_test

import (
	"net/http"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/memory"
)

// FuzzCreate posts any body: the response is never 5xx, and a created category can be
// read, listed, written back unchanged, and deleted.
func FuzzCreate(f *testing.F) {
	for _, body := range []string{
		`{"category": "Cups"}`, `{` + everyField + `}`, `{"category": "C", "company_id": 0, "usergroup_ids": [1, "2"]}`,
		`{"category": "C", "parent_id": 1}`, `{"category": "C", "position": 1e3, "main_pair": null}`, `{"category": "\ud83c\udf75"}`,
		`{"category": {"a": [1]}, "status": null}`, `{"selected_views": "x", "category": 5}`, `[]`, `{`, `null`, `{"category": "C", "category": "D"}`,
		`category=C&main_pair[a][]=1&usergroup_ids[]=2`, `{"category": "C", "is_op": "y", "timestamp": "9223372036854775807"}`,
	} {
		f.Add(body)
	}
	s := suite.Open(f, memory.New(), shopapi.Options{})
	s.addTo(0, "top")
	f.Fuzz(func(t *testing.T, body string) {
		s := s.in(t)
		w := s.Send("POST", "/api/categories", body)
		switch {
		case w.Status >= 500:
			t.Fatalf("status %d: %s", w.Status, w.Body)
		case w.Status != http.StatusCreated:
			return
		}
		var reply struct {
			ID int64 `json:"category_id,string"`
		}
		decode(t, w.Body, &reply)
		before := s.Call(200, "GET", at(reply.ID), "")
		s.Call(200, "GET", "/api/categories", "")
		s.wholeTree()
		s.put(200, reply.ID, before)
		sameJSON(t, s.Call(200, "GET", at(reply.ID), ""), before)
		s.Call(204, "DELETE", at(reply.ID), "")
	})
}
