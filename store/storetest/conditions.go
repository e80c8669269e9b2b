package storetest

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var conditionCases = []testCase{
	{"EveryOperator", testOperators},
	{"ManyValues", testManyValues},
	{"Contains", testContains},
	{"StartsWith", testStartsWith},
	{"NoTextIsAPattern", testNoPatterns},
	{"ATextWithoutAnIndexMayBeLong", testLongTexts},
}

// conditionRows are the rows of testOperators, keys 1 to 6.
var conditionRows = []item{
	{GroupID: 1, Order: 10, Rank: new(int64(5)), Name: "Green Tea", Nick: new("gt"), Code: "A1", Note: new("x"), Active: true, Shown: new(true), Price: amount("1.50"), Discount: new(amount("0.0001"))},
	{GroupID: 1, Order: -10, Rank: new(int64(-5)), Name: "black tea", Nick: new("BT"), Code: "a1", Note: new(""), Price: amount("-1.50"), Discount: new(amount("-0.0001"))},
	{GroupID: 2, Order: 0, Name: "Coffee", Code: "A10", Active: true, Shown: new(false), Price: amount("0.00")},
	{GroupID: 2, Order: 7, Rank: new(int64(0)), Name: "", Nick: new(""), Code: "", Note: new("X"), Price: amount("10.00"), Discount: new(amount("0.0000"))},
	{GroupID: 9, ParentID: new(int64(1)), Order: 9, Rank: new(int64(5)), Name: "GREEN TEA", Code: "B", Note: new("y"), Price: amount("9.99")},
	{GroupID: 0, ParentID: new(int64(99)), Order: 10, Name: "tea", Code: "A1 ", Price: amount("1.49"), Options: jsonText(`{}`), Extra: new(jsonText(`{}`))},
}

func testOperators(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema(), table.Schema())
	insert(t, st, items, conditionRows...)
	insert(t, st, table, group{Title: "One", Select: new(int64(5))}, group{Title: "Two"}, group{Title: "three", Select: new(int64(0))})
	var (
		integer, text, null = store.Int, store.String, store.Null
		groups, itemsSchema = table.Schema(), items.Schema()
	)
	for _, c := range []struct {
		name string
		cond store.Cond
		want []int64
	}{
		{"Equal integer", store.Equal("order", integer(10)), []int64{1, 6}},
		{"Equal zero is not null", store.Equal("rank", integer(0)), []int64{4}},
		{"Equal null integer", store.Equal("rank", null), []int64{3, 6}},
		{"Equal null where there is none", store.Equal("order", null), nil},
		{"Equal text by its bytes", store.Equal("code", text("A1")), []int64{1}},
		{"Equal text with its blanks", store.Equal("code", text("A1 ")), []int64{6}},
		{"Equal text of a fold column by its bytes", store.Equal("name", text("Green Tea")), []int64{1}},
		{"Equal empty text is not null", store.Equal("note", text("")), []int64{2}},
		{"Equal null text", store.Equal("note", null), []int64{3, 6}},
		{"Equal null text of a fold column", store.Equal("nick", null), []int64{3, 5, 6}},
		{"Equal flag", store.Equal("active", store.Bool(true)), []int64{1, 3}},
		{"Equal flag false is not null", store.Equal("shown", store.Bool(false)), []int64{3}},
		{"Equal null flag", store.Equal("shown", null), []int64{2, 4, 5, 6}},
		{"Equal amount", store.Equal("price", integer(150)), []int64{1}},
		{"Equal amount with null", store.Equal("discount", integer(0)), []int64{4}},
		{"Equal document", store.Equal("options", text("{}")), []int64{6}},
		{"Equal null document", store.Equal("extra", null), []int64{1, 2, 3, 4, 5}},
		{"Equal key", store.Equal("item_id", integer(3)), []int64{3}},
		{"Equal missing key", store.Equal("item_id", integer(7)), nil},
		{"NotEqual integer", store.NotEqual("order", integer(10)), []int64{2, 3, 4, 5}},
		{"NotEqual holds for null", store.NotEqual("rank", integer(5)), []int64{2, 3, 4, 6}},
		{"NotEqual null", store.NotEqual("rank", null), []int64{1, 2, 4, 5}},
		{"NotEqual text", store.NotEqual("note", text("x")), []int64{2, 3, 4, 5, 6}},
		{"In integers", store.InInts("order", 10, 0, 3), []int64{1, 3, 6}},
		{"In never holds for null", store.InInts("rank", 5, 0), []int64{1, 4, 5}},
		{"In texts", store.In("code", text("A1"), text(""), text("b")), []int64{1, 4}},
		{"In texts of a fold column by their bytes", store.In("name", text("GREEN TEA"), text("green tea"), text("Coffee")), []int64{3, 5}},
		{"In of keys, twice and out of order", store.InInts("item_id", 5, 1, 5, 99), []int64{1, 5}},
		{"In flags", store.In("active", store.Bool(true), store.Bool(false)), []int64{1, 2, 3, 4, 5, 6}},
		{"In nothing", store.In("order"), nil},
		{"Not In nothing", store.Not(store.In("rank")), []int64{1, 2, 3, 4, 5, 6}},
		{"Not In holds for null", store.Not(store.InInts("rank", 5)), []int64{2, 3, 4, 6}},
		{"InQuery of keys", store.InQuery("group_id", groups, "group_id"), []int64{1, 2, 3, 4}},
		{"InQuery with a condition", store.InQuery("group_id", groups, "group_id", store.EqualFold("title", "THREE")), nil},
		{"InQuery with conditions", store.InQuery("group_id", groups, "group_id", store.EqualFold("title", "one"), store.Equal("select", integer(5))), []int64{1, 2}},
		{"InQuery of a column with nulls", store.InQuery("rank", groups, "select"), []int64{1, 4, 5}},
		{"Not InQuery of a column with nulls", store.Not(store.InQuery("rank", groups, "select")), []int64{2, 3, 6}},
		{"InQuery of the same table", store.InQuery("item_id", itemsSchema, "parent_id"), []int64{1}},
		{"InQuery in InQuery", store.InQuery("parent_id", itemsSchema, "item_id", store.InQuery("group_id", groups, "group_id", store.Contains("title", "ON"))), []int64{5}},
		{"InQuery of nothing", store.InQuery("group_id", groups, "group_id", store.Any()), nil},
		{"Contains", store.Contains("name", "TEA"), []int64{1, 2, 5, 6}},
		{"Contains never holds for null", store.Contains("nick", "T"), []int64{1, 2}},
		{"Contains nothing holds but for null", store.Contains("nick", ""), []int64{1, 2, 4}},
		{"Not Contains holds for null", store.Not(store.Contains("nick", "g")), []int64{2, 3, 4, 5, 6}},
		{"EqualFold", store.EqualFold("name", "green TEA"), []int64{1, 5}},
		{"EqualFold of a part", store.EqualFold("name", "te"), nil},
		{"EqualFold nothing is not null", store.EqualFold("nick", ""), []int64{4}},
		{"BeginsFold", store.BeginsFold("name", "green T"), []int64{1, 5}},
		{"BeginsFold of another part", store.BeginsFold("name", "tea"), []int64{6}},
		{"BeginsFold nothing holds but for null", store.BeginsFold("nick", ""), []int64{1, 2, 4}},
		{"Not BeginsFold holds for null", store.Not(store.BeginsFold("nick", "g")), []int64{2, 3, 4, 5, 6}},
		{"AtMostColumn never holds for null", store.AtMostColumn("rank", "order"), []int64{1, 4, 5}},
		{"Not AtMostColumn holds for null", store.Not(store.AtMostColumn("rank", "order")), []int64{2, 3, 6}},
		{"AtLeast integer", store.AtLeast("order", integer(9)), []int64{1, 5, 6}},
		{"AtLeast never holds for null", store.AtLeast("rank", integer(-5)), []int64{1, 2, 4, 5}},
		{"AtMost integer", store.AtMost("order", integer(0)), []int64{2, 3}},
		{"AtMost never holds for null", store.AtMost("rank", integer(0)), []int64{2, 4}},
		{"Less integer", store.Less("order", integer(0)), []int64{2}},
		{"Less never holds for null", store.Less("rank", integer(5)), []int64{2, 4}},
		{"AtLeast text by its bytes", store.AtLeast("code", text("A10")), []int64{2, 3, 5}},
		{"AtMost text by its bytes", store.AtMost("code", text("A1 ")), []int64{1, 4, 6}},
		{"Less text by its bytes", store.Less("code", text("A1 ")), []int64{1, 4}},
		{"AtLeast text of a fold column by its bytes", store.AtLeast("name", text("a")), []int64{2, 6}},
		{"AtLeast amount", store.AtLeast("price", integer(150)), []int64{1, 4, 5}},
		{"Less amount", store.Less("discount", integer(0)), []int64{2}},
		{"AtMost flag", store.AtMost("active", integer(0)), []int64{2, 4, 5, 6}},
		{"a range", store.All(store.AtLeast("order", integer(0)), store.Less("order", integer(10))), []int64{3, 4, 5}},
		{"a range of keys", store.All(store.AtLeast("item_id", integer(2)), store.AtMost("item_id", integer(4))), []int64{2, 3, 4}},
		{"All of nothing", store.All(), []int64{1, 2, 3, 4, 5, 6}},
		{"Any of nothing", store.Any(), nil},
		{"Not All of nothing", store.Not(store.All()), nil},
		{"Any", store.Any(store.Equal("item_id", integer(2)), store.Equal("rank", null)), []int64{2, 3, 6}},
		{"Any of one", store.Any(store.Equal("item_id", integer(2))), []int64{2}},
		{"Not Equal of null", store.Not(store.Equal("rank", integer(5))), []int64{2, 3, 4, 6}},
		{"Not of a comparison holds for null", store.Not(store.AtLeast("rank", integer(0))), []int64{2, 3, 6}},
		{"Not Not", store.Not(store.Not(store.AtLeast("rank", integer(0)))), []int64{1, 4, 5}},
		{"nested", store.All(
			store.Any(store.All(store.Equal("group_id", integer(1)), store.Not(store.Equal("active", integer(1)))), store.EqualFold("name", "COFFEE"), store.Equal("item_id", integer(6))),
			store.Not(store.Any(store.Equal("parent_id", integer(99)), store.In("code", text("B")))),
		), []int64{2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := append([]int64{}, c.want...)
			where := []store.Cond{c.cond}
			view(t, st, func(_ context.Context, tx store.Tx) error {
				rows, err := items.Select(tx, store.Query{Where: where})
				if err != nil {
					return err
				}
				same(t, "Select reads the rows that match", want, keys(rows))
				n, err := items.Count(tx, where...)
				if err != nil {
					return err
				}
				same(t, "Count counts the rows that match", int64(len(want)), n)
				rows, n, err = items.Page(tx, store.Query{Where: where, Limit: 1, Order: []store.Order{store.Desc("item_id")}})
				same(t, "Page counts the rows that match", int64(len(want)), n)
				same(t, "Page reads the rows that match", want[max(0, len(want)-1):], keys(rows))
				return err
			})
			view(t, st, func(_ context.Context, tx store.Tx) error {
				rows, err := items.Select(tx, store.Query{Where: []store.Cond{store.Not(c.cond)}})
				same(t, "a condition and its opposite share out the rows", len(conditionRows)-len(want), len(rows))
				return err
			})
		})
	}
	view(t, st, func(_ context.Context, tx store.Tx) error {
		n, err := items.Count(tx, store.Equal("group_id", integer(1)), store.Equal("active", integer(1)), store.Contains("name", "e"))
		same(t, "all conditions of a list hold", int64(1), n)
		return err
	})
}

func testManyValues(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{Name: "a", Order: 3, Code: "3"}, item{Name: "b", Order: 50_000, Code: "50000"}, item{Name: "c", Order: 79_998, Code: "79998"})
	const many = 40_000
	numbers, texts := make([]store.Value, many), make([]store.Value, many)
	for i := range many {
		n := int64(2 * i)
		numbers[i], texts[i] = store.Int(n), store.String(store.Int(n).GoString())
	}
	for _, c := range []struct {
		name string
		cond store.Cond
		want []int64
	}{
		{"integers", store.In("order", numbers...), []int64{2, 3}},
		{"keys", store.In("item_id", numbers...), []int64{2}},
		{"texts", store.In("code", texts...), []int64{2, 3}},
		{"texts of a fold column", store.In("name", append(texts, store.String("c"))...), []int64{3}},
		{"opposite", store.Not(store.In("order", numbers...)), []int64{1}},
		{"two lists", store.Any(store.In("order", numbers...), store.In("code", append(texts, store.String("3"))...)), []int64{1, 2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			same(t, "a condition may have 40,000 values", c.want, keys(list(t, st, items, store.Query{Where: []store.Cond{c.cond}})))
			same(t, "so may one of Count", int64(len(c.want)), count(t, st, items, c.cond))
		})
	}
}
