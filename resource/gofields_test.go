package resource_test

import (
	"errors"
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
