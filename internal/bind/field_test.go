package bind_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
)

func TestFields(t *testing.T) {
	type embedded struct {
		Name string `json:"name"`
	}
	type object struct {
		ID int64 `json:"id,string" bind:"-"`
		embedded
		Count  *int64          `json:"count,string"`
		Price  decimal.Decimal `json:"price"`
		On     shopapi.Flag    `json:"on"`
		IDs    []int64         `json:"ids"`
		Names  []string        `json:"names"`
		Any    shopapi.JSON    `json:"any"`
		Tags   shopapi.IDList  `json:"tags"`
		Hidden string          `json:"-"`
		Parts  []object        `json:"parts"`
	}
	got := map[string]bind.Kind{}
	for _, f := range bind.Fields(reflect.TypeFor[object]()) {
		got[f.Name] = f.Kind
	}
	want := map[string]bind.Kind{
		"name": "text", "count": "number", "price": "amount", "on": "scalar", "ids": "numbers", "names": "texts", "any": "document", "tags": "document",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
