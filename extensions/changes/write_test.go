package changes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopapi/shopapi/extensions/changes"
)

// Extensions E4: several changes of an object in one transaction are one row. Transactions that a
// store commits together keep their own rows where these differ.
func TestE4_ARepeatedRowOfOneCommitIsWrittenOnce(t *testing.T) {
	mug := changes.Row{Entity: "products", Object: "7", Op: changes.Updated, Fields: "amount", User: 1, Time: 10}
	with := func(change func(*changes.Row)) changes.Row {
		r := mug
		change(&r)
		return r
	}
	byAnother := with(func(r *changes.Row) { r.User = 2 })
	priced := with(func(r *changes.Row) { r.Fields = "price" })
	deleted := with(func(r *changes.Row) { r.Op, r.Fields = changes.Deleted, "" })
	created := with(func(r *changes.Row) { r.Op, r.Fields = changes.Created, "" })
	moved := with(func(r *changes.Row) { r.Moved, r.FormerCompany = true, 3 })
	cup := with(func(r *changes.Row) { r.Object = "8" })
	sub := with(func(r *changes.Row) { r.ParentEntity, r.Parent = "products", "9" })
	later := with(func(r *changes.Row) { r.Time = 11 })
	for _, c := range []struct {
		name         string
		transactions [][]changes.Row
		want         []changes.Row
	}{
		{"one product in two orders", [][]changes.Row{{mug, cup}, {cup, mug}}, []changes.Row{mug, cup}},
		{"another user between", [][]changes.Row{{mug}, {byAnother}, {mug}}, []changes.Row{mug, byAnother, mug}},
		{"another field", [][]changes.Row{{mug}, {priced}, {priced}}, []changes.Row{mug, priced}},
		{"deleted and made again", [][]changes.Row{{mug}, {deleted}, {created}, {mug}}, []changes.Row{mug, deleted, created, mug}},
		{"moved to another company", [][]changes.Row{{mug}, {moved}}, []changes.Row{mug, moved}},
		{"the same id elsewhere", [][]changes.Row{{mug}, {sub}}, []changes.Row{mug, sub}},
		{"another second", [][]changes.Row{{mug}, {later}}, []changes.Row{mug, later}},
	} {
		if diff := cmp.Diff(c.want, changes.Distinct(c.transactions...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
