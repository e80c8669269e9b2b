package resource_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// The ids of a list must exist; the first that does not is named (decisions §5).
func TestIDs_Reference(t *testing.T) {
	eachStore(t, func(f *fixture) {
		f.create(part{Name: "a"})
		for list, want := range map[shopapi.IDList]string{
			"": "", "1": "", "1,1": "", "9,1,8": "labels must be the id of an object of parts that exists, not 8.",
		} {
			var problems shopapi.Problems
			if err := resource.CheckIDs(f.Context(), f.API, &problems, "labels", "parts", list); err != nil {
				f.Error(err)
			}
			if err := problems.Err(); err == nil && want != "" || err != nil && err.Error() != want {
				f.Errorf("%q: %v, want %s", list, err, want)
			}
		}
		for text, want := range map[shopapi.IDList]string{"3,1": "", "x": "labels must be", "1,": ""} {
			var problems shopapi.Problems
			resource.NormalizeIDs(&problems, "labels", &text)
			if err := problems.Err(); (err != nil) != (want != "") {
				f.Errorf("%q: %v, want %s", text, err, want)
			}
		}
	})
}

// An unreadable entity has objects in a store that cannot be reached.
type unreadable struct{}

func (unreadable) Describe() shopapi.Description {
	return shopapi.Description{Name: "unreadable", IDField: "id", Privileges: shopapi.Privileges{View: "v", Manage: "m"}}
}

func (unreadable) Get(context.Context, *shopapi.Request, string) (any, error) {
	return nil, store.ErrUnavailable
}

// If the ids of a list cannot be looked up, CheckIDs returns the error.
func TestIDs_ReferencesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t, memory.New())
	if err := f.Register(unreadable{}); err != nil {
		t.Fatal(err)
	}
	var problems shopapi.Problems
	if err := resource.CheckIDs(t.Context(), f.API, &problems, "labels", "unreadable", "1,2"); !errors.Is(err, store.ErrUnavailable) || problems.Err() != nil {
		t.Errorf("%v, %v", err, problems.Err())
	}
}

// A changeLog notes changes.
type changeLog []string

func (l *changeLog) Record(_ context.Context, c shopapi.Change) {
	*l = append(*l, fmt.Sprintf("%s %s %s %v", c.Operation, c.Entity, c.ID, c.Fields))
}

// An object that is deleted leaves the lists that name it: their objects have changed (decisions §14).
func TestIDs_DroppedFromLists(t *testing.T) {
	type goods struct {
		ID        int64          `json:"id" store:"key"`
		PartIDs   shopapi.IDList `json:"part_ids"`
		UpdatedAt int64          `json:"updated_at"`
	}
	type plain struct {
		ID      int64          `json:"id" store:"key"`
		PartIDs shopapi.IDList `json:"part_ids"`
	}
	eachStore(t, func(f *fixture) {
		var log changeLog
		f.Record(&log)
		table, without := store.MustTable[goods]("goods"), store.MustTable[plain]("plain")
		if err := f.st.Migrate(f.Context(), table.Schema(), without.Schema()); err != nil {
			f.Fatal(err)
		}
		f.BeforeDelete("parts", resource.DropIDs(f.API, f.st, "goods", table, "part_ids", func(g *goods) *shopapi.IDList { return &g.PartIDs }))
		f.BeforeDelete("parts", resource.DropIDs(f.API, f.st, "plain", without, "part_ids", func(g *plain) *shopapi.IDList { return &g.PartIDs }))
		for _, name := range []string{"a", "b", "c"} {
			f.create(part{Name: name})
		}
		err := f.st.Update(f.Context(), func(_ context.Context, tx store.Tx) error {
			for _, list := range []shopapi.IDList{"1,2,3", "2", "1", "1,2,3"} {
				if err := table.Insert(tx, &goods{PartIDs: list}); err != nil {
					return err
				}
			}
			return without.Insert(tx, &plain{PartIDs: "2,3"})
		})
		if err != nil {
			f.Fatal(err)
		}
		log = nil
		f.do("DELETE", "/api/parts/2", "", 204)
		f.do("DELETE", "/api/parts/2", "", 404)
		want := changeLog{"update goods 1 [part_ids]", "update goods 2 [part_ids]", "update goods 4 [part_ids]", "update plain 1 [part_ids]", "delete parts 2 []"}
		if diff := cmp.Diff(want, log); diff != "" {
			f.Errorf("the change log (-want +got):\n%s", diff)
		}
		err = f.st.View(f.Context(), func(_ context.Context, tx store.Tx) error {
			rows, err := table.Select(tx, store.Query{})
			var got []string
			for _, row := range rows {
				got = append(got, fmt.Sprintf("%s %v", row.PartIDs, row.UpdatedAt > 0))
			}
			if diff := cmp.Diff([]string{"1,3 true", " true", "1 false", "1,3 true"}, got); diff != "" {
				f.Errorf("the rows (-want +got):\n%s", diff)
			}
			return err
		})
		if err != nil {
			f.Error(err)
		}
	})
}
