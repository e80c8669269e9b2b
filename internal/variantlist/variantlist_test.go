package variantlist_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/variantlist"
	"github.com/shopapi/shopapi/store"
)

// A size is a variant of a hat.
type size struct {
	VariantID int64       `json:"variant_id" store:"key" bind:"-"`
	HatID     int64       `json:"hat_id" bind:"-"`
	Position  int64       `json:"position"`
	Name      string      `json:"name"`
	Image     images.Pair `json:"image_pair"`
}

var kind = variantlist.Kind[size]{Table: store.MustTable[size]("sizes"), Owner: "hat", Of: func(s *size) variantlist.Fields {
	return variantlist.Fields{ID: &s.VariantID, Owner: &s.HatID, Position: &s.Position, Image: &s.Image}
}}

func TestKind_Lists(t *testing.T) {
	list := []size{{Name: "new", Position: 1}, {VariantID: 7, Position: 1}, {VariantID: 9}}
	kind.Sort(list)
	if list[0].VariantID != 9 || list[1].VariantID != 7 || list[2].Name != "new" {
		t.Errorf("the variants are in the order %+v", list)
	}
	if diff := cmp.Diff([]int64{9}, kind.Gone(list, list[1:])); diff != "" {
		t.Error(diff)
	}
	pair := images.Pair{PairID: 3}
	kind.KeepImages(list, []size{{VariantID: 7, Image: pair}})
	if list[0].Image.PairID != 0 || len(kind.Images(list)) != 3 {
		t.Errorf("the images are %v", kind.Images(list))
	}
}

// Variants of a payload have an id by their variant_id or by their key; other keys make new
// variants.
func TestLayer(t *testing.T) {
	had := []size{{VariantID: 7, Name: "S"}, {VariantID: 9, Name: "L"}}
	layer := variantlist.Layer[size]{
		Kind: &kind, NoObject: errors.New("must be objects"), KeyID: (*entries.Entry).ID,
		Finish: func(_ *variantlist.Sent, v, had *size) (string, error) {
			if v.Name == "" || v.Name == had.Name {
				return "name must be new", nil
			}
			return "", nil
		},
	}
	for sent, want := range map[string]string{
		`{"7": {"name": "M"}, "1": {"name": "new"}}`:                "7 M, 0 new",
		`[{"variant_id": "9", "name": "XL"}]`:                       "9 XL",
		`{"7": {"name": "M"}, "x": {"variant_id": 7, "name": "N"}}`: "variants [x]: the variant 7 is named twice.",
		`{"7": {"name": "S"}}`:                                      "variants [7]: name must be new.",
		`{"x": {"variant_id": 8}}`:                                  "variants [x]: variant_id must be the id of a variant of the hat, or left out for a new one.",
		`{"x": {"variant_id": "y"}}`:                                `variants [x]: variant_id must be a whole number, not "y".`,
		`{"x": {"position": "y"}}`:                                  `variants [x]: position must be a whole number, not "y".`,
		`[1]`:                                                       "variants must be objects.",
		`[{}, {}, {}]`:                                              "must be at most 2",
		`7`:                                                         "must be a list",
	} {
		list, err := variantlist.Parse(json.RawMessage(sent), 2, errors.New("must be a list"))
		got := ""
		var laid []size
		if err == nil {
			laid, err = layer.LayOver(list, had, false)
		}
		for i, v := range laid {
			if i > 0 {
				got += ", "
			}
			got += shopapi.FormatID(v.VariantID) + " " + v.Name
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", sent, got, want)
		}
	}
}

func TestKind_Check(t *testing.T) {
	had := []size{{VariantID: 7}}
	for want, list := range map[string][]size{
		"": {{VariantID: 7, Name: "S"}, {Name: "L"}},
		"variants must have ids of variants of the hat, or none for new ones, not 8.": {{VariantID: 8, Name: "S"}},
		"variants must name the variant 7 once only.":                                 {{VariantID: 7, Name: "S"}, {VariantID: 7, Name: "L"}},
		"variants [number 2]: name is required: the size.":                            {{VariantID: 7, Name: "S"}, {}},
	} {
		var problems shopapi.Problems
		err := kind.Check(had, list, &problems, func(v, old *size) (string, error) {
			return kind.Problem(old, v, nil, func(p *shopapi.Problems) { p.Required("name", v.Name, "the size") })
		})
		if err == nil {
			err = problems.Err()
		}
		if got := variantlist.Words(err); got != variantlist.Words(errors.New(want)) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
