package entitytest

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/structfields"
)

// badAmounts are amounts that hardly a column stores as they are.
var badAmounts = []string{"4.20500001", "99999999999999999", "-99999999999999999", "1e400", "NaN"}

// amounts: an amount is stored as it was sent, or refused by its name (§4, §5).
func amounts(w *world) {
	names := w.amountFields()
	if len(names) == 0 {
		w.t.Skipf("%s has no amounts", w.config.Entity)
	}
	id := w.stocked(1)[0]
	for _, name := range names {
		before := w.object(id)[name]
		for _, amount := range badAmounts {
			what := fmt.Sprintf("PUT of %s %q", name, amount)
			answer := w.Put(w.at(id), encode(w.t, map[string]any{name: amount}))
			if answer.Status != 200 {
				w.refused(answer, what, name)
				continue
			}
			if now := w.object(id)[name]; !alike(now, before) && !sameAmount(now, amount) {
				w.t.Errorf("%s stores %v, want 400, or what was sent (§4)", what, now)
			}
		}
	}
}

// amountFields returns the amounts that payloads set.
func (w *world) amountFields() (names []string) {
	bound := w.description.Payload
	if bound == nil {
		bound = w.description.Object
	}
	if bound == nil || bound.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range structfields.Of(bound) {
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if t == reflect.TypeFor[decimal.Decimal]() && f.Tag.Get("bind") != "-" && !w.isReadOnly(name) && w.config.Except["Fields/Amounts/"+name] == "" {
			names = append(names, name)
		}
	}
	return names
}

// sameAmount reports whether a value of a response is the amount.
func sameAmount(value any, amount string) bool {
	got, err := decimal.Parse(fmt.Sprint(value))
	want, wrong := decimal.Parse(amount)
	return err == nil && wrong == nil && got.Cmp(want) == 0
}
