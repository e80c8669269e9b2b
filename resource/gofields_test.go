package resource_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

type person struct {
	PersonID int64           `json:"person_id,string" store:"key" bind:"-"`
	Name     string          `json:"full_name" rule:"required" hint:"the name"`
	Billing  address.Address `json:"billing" prefix:"b_"`
	Shipping address.Address `json:"shipping" prefix:"s_"`
}

// TestErrors_NameTheGoField: an error of a Go method names a field as the struct does,
// beside its name on the wire.
func TestErrors_NameTheGoField(t *testing.T) {
	people, err := resource.Register(t.Context(), shopapi.New(nil), memory.New(), resource.Definition[person, person]{
		Name: "people", Object: "person", Privileges: shopapi.Privileges{View: "view_users", Manage: "manage_users"},
		Table: store.MustTable[person]("people"), Sorts: []resource.Sort{{Key: "id", Column: "person_id"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 300)
	want := map[string]string{"full_name": "Name", "b_city": "Billing.City"}
	check := func(how string, err error) {
		t.Helper()
		var e *shopapi.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", how, err)
		}
		if diff := cmp.Diff(want, e.GoFields); diff != "" || len(e.Fields) != 2 {
			t.Errorf("%s: %v (-want +got):\n%s", how, e.Fields, diff)
		}
	}
	wrong := person{Billing: address.Address{City: long}}
	_, err = people.Create(t.Context(), wrong)
	check("Create", err)
	_, err = people.CreateAll(t.Context(), []person{wrong})
	check("CreateAll", err)
	_, err = people.CreateFunc(t.Context(), func(p *person) error { *p = wrong; return nil })
	check("CreateFunc", err)
	made, err := people.Create(t.Context(), person{Name: "Ana"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = people.Update(t.Context(), made.PersonID, func(p *person) error {
		p.Name = ""
		p.Billing.City = long
		return nil
	})
	check("Update", err)
}

type town struct {
	TownID int64  `json:"town_id,string" store:"key" bind:"-"`
	Name   string `json:"town"`
	Code   string `json:"post_code"`
}

// TestErrors_OfTheStoreAreForClients: a text that no store takes, and a unique value that
// another object has, are a 400 of Go methods that names the field. It is the error of the
// store too.
func TestErrors_OfTheStoreAreForClients(t *testing.T) {
	towns, err := resource.Register(t.Context(), shopapi.New(nil), memory.New(), resource.Definition[town, town]{
		Name: "towns", Object: "town", Privileges: shopapi.Privileges{View: "view_users", Manage: "manage_users"},
		Table: store.MustTable[town]("towns", store.Index{Columns: []string{"post_code"}, Unique: true}),
		Sorts: []resource.Sort{{Key: "id", Column: "town_id"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	made, err := towns.Create(t.Context(), town{Name: "Oslo", Code: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		town  town
		goes  map[string]string
		cause error
	}{
		"not UTF-8":  {town{Name: "a\xff", Code: "2"}, map[string]string{"town": "Name"}, store.ErrBadText},
		"NUL":        {town{Name: "a\x00", Code: "2"}, map[string]string{"town": "Name"}, store.ErrBadText},
		"large":      {town{Name: strings.Repeat("a", store.MaxRow+1), Code: "2"}, map[string]string{"town": "Name"}, store.ErrBadText},
		"taken code": {town{Name: "Bergen", Code: "1"}, map[string]string{"post_code": "Code"}, store.ErrConflict},
	} {
		check := func(how, begins string, err error) {
			t.Helper()
			var e *shopapi.Error
			if !errors.As(err, &e) || e.Status != http.StatusBadRequest || !errors.Is(err, c.cause) || !strings.HasPrefix(e.Message, begins) {
				t.Fatalf("%s of %s: %T %v", how, name, err, err)
			}
			if diff := cmp.Diff(c.goes, e.GoFields); diff != "" {
				t.Errorf("%s of %s (-want +got):\n%s", how, name, diff)
			}
		}
		_, err := towns.Create(t.Context(), c.town)
		check("Create", "", err)
		_, err = towns.CreateAll(t.Context(), []town{{Name: "Molde", Code: "3"}, c.town})
		check("CreateAll", "Object 2: ", err)
		_, err = towns.CreateFunc(t.Context(), func(v *town) error { *v = c.town; return nil })
		check("CreateFunc", "", err)
		if c.cause == store.ErrBadText {
			_, err = towns.Update(t.Context(), made.TownID, func(v *town) error { *v = c.town; return nil })
			check("Update", "", err)
		}
	}
	if list, _, err := towns.Find(t.Context(), nil); err != nil || len(list) != 1 || list[0] != made {
		t.Errorf("the refused changes left %v, %v", list, err)
	}
}
