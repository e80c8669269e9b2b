package structfields_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/structfields"
)

type base struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Note string `json:"note"`
}

type home struct {
	Name string `json:"home_name"`
	Key  string `json:"-"`
}

type work struct {
	Name string `json:"work_name"`
	Key  string
}

type Places struct {
	home
	work
}

type person struct {
	base
	Places
	Note   int `json:"note"` // hides the deeper one
	hidden string
	Named  base `json:"named"`
	Second base `json:"second" prefix:"second_"`
	outer  base `prefix:"outer_"` // not exported: encoding packages leave it out
}

// TestOf lists fields as JSON shows them; the fields of a struct with the tag prefix have
// names of their own.

func TestOf(t *testing.T) {
	_, _ = person{}.hidden, person{}.outer
	var got []string
	for _, f := range structfields.Of(reflect.TypeFor[person]()) {
		got = append(got, f.Name+" "+string(f.Tag))
		if found := reflect.TypeFor[person]().FieldByIndex(f.Index); found.Type != f.Type || found.Name != f.Name {
			t.Errorf("the index of %s leads to %s", f.Name, found.Name)
		}
	}
	want := []string{
		`ID json:"id"`, `Name json:"name"`, `Name json:"home_name"`, `Key json:"-"`, `Name json:"work_name"`, `Key `,
		`Note json:"note"`, `Named json:"named"`,
		`ID json:"second_id"`, `Name json:"second_name"`, `Note json:"second_note"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
