package orders

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
)

// Products of the tests of plans: 1 has one stock, 2 has it by combinations, 3 is not tracked.
var planned = stockReader{
	goods: map[int64]*products.OrderView{
		1: {ProductID: 1, Tracking: products.Track, Amount: 7},
		2: {ProductID: 2, Tracking: products.TrackByOptions, Amount: 7},
		3: {ProductID: 3, Tracking: products.DoNotTrack, Amount: 7},
	},
	combinations: map[int64]int64{9: 4},
}

type held struct {
	Reserved        int64
	FromCombination bool
}

// A line takes pieces of the stock that its product has today, and gives back what it took of another
// one (§26).
func TestOrders_26_PlanTakes(t *testing.T) {
	for name, c := range map[string]struct {
		line     Line
		n, whole int64
		holds    held
		moves    []move
		missing  []missing
	}{
		"of the product":              {Line{ProductID: 1}, 3, 3, held{3, false}, []move{{source{1, 0}, -3}}, nil},
		"more of it":                  {Line{ProductID: 1, Reserved: 2}, 1, 3, held{3, false}, []move{{source{1, 0}, -1}}, nil},
		"nothing":                     {Line{ProductID: 1, Reserved: 2}, 0, 2, held{2, false}, nil, nil},
		"of a combination":            {Line{ProductID: 2, Combination: 9}, 3, 5, held{3, true}, []move{{source{2, 9}, -3}}, nil},
		"more of it, by combinations": {Line{ProductID: 2, Combination: 9, Reserved: 2, FromCombination: true}, 1, 3, held{3, true}, []move{{source{2, 9}, -1}}, nil},
		"of no combination":           {Line{ProductID: 2, Combination: 8, Amount: 3}, 3, 3, held{0, false}, nil, []missing{{2, 3, "f", false}}},
		"more of no combination":      {Line{ProductID: 2, Combination: 8, Amount: 5}, 3, 5, held{0, false}, nil, []missing{{2, 3, "f", true}}},
		"nothing of no combination":   {Line{ProductID: 2, Combination: 8}, 0, 3, held{0, false}, nil, nil},
		"of a product without stock":  {Line{ProductID: 3}, 3, 3, held{0, false}, nil, nil},
		"of a deleted product":        {Line{ProductID: 4}, 3, 3, held{0, false}, nil, nil},
		"tracked by combinations since": {
			Line{ProductID: 2, Combination: 9, Reserved: 2}, 1, 5, held{5, true}, []move{{source{2, 0}, 2}, {source{2, 9}, -5}}, nil,
		},
		"tracked by product since": {
			Line{ProductID: 1, Combination: 9, Reserved: 2, FromCombination: true}, 1, 5, held{5, false}, []move{{source{1, 9}, 2}, {source{1, 0}, -5}}, nil,
		},
	} {
		var plan stockPlan
		planned.take(&plan, &c.line, c.n, c.whole, "f")
		got := held{c.line.Reserved, c.line.FromCombination}
		if diff := cmp.Diff(c.holds, got); diff != "" {
			t.Errorf("%s: the line (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.moves, plan.moves(), cmp.AllowUnexported(move{}, source{})); diff != "" {
			t.Errorf("%s: the moves (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.missing, plan.missing, cmp.AllowUnexported(missing{})); diff != "" {
			t.Errorf("%s: missing (-want +got):\n%s", name, diff)
		}
	}
}

// A line gives back the pieces that it no longer needs, to the stock that it took them from (§26).
func TestOrders_26_PlanGivesBack(t *testing.T) {
	for name, c := range map[string]struct {
		most  int64 // -1 for release
		holds held
		back  int64
	}{
		"some":         {2, held{2, true}, 3},
		"all":          {0, held{0, false}, 5},
		"more than it": {-3, held{0, false}, 5},
		"none":         {7, held{5, true}, 0},
		"released":     {-1, held{0, false}, 5},
	} {
		var plan stockPlan
		l := Line{ProductID: 2, Combination: 9, Reserved: 5, FromCombination: true}
		if c.most == -1 {
			plan.release(&l)
		} else {
			l.reduce(&plan, c.most)
		}
		if got := (held{l.Reserved, l.FromCombination}); got != c.holds {
			t.Errorf("%s: the line holds %+v, want %+v", name, got, c.holds)
		}
		if got := plan.n[source{2, 9}]; got != c.back {
			t.Errorf("%s: %d go back, want %d", name, got, c.back)
		}
	}
}

// The stock of a product that is tracked by combinations is theirs, and a deleted product has none.
func TestOrders_26_PlanKnowsTheStock(t *testing.T) {
	for s, want := range map[source]int64{{1, 0}: 7, {2, 9}: 4, {2, 8}: 0, {2, 0}: 0, {4, 0}: 0} {
		if got := planned.available(s); got != want {
			t.Errorf("of %+v there are %d, want %d", s, got, want)
		}
	}
}

// Lines that take more than there is are refused by their fields, unless their product may be ordered
// beyond its stock, or everything may (§26, decisions §18).
func TestOrders_26_PlanRefuses(t *testing.T) {
	r := &stockReader{
		goods: map[int64]*products.OrderView{
			1: {ProductID: 1, Amount: 7, Tracking: products.Track},
			2: {ProductID: 2, Amount: -2, Tracking: products.Track},
			3: {ProductID: 3, Amount: 1, Tracking: products.Track, OutOfStockActions: products.Backorder},
			4: {ProductID: 4, Tracking: products.TrackByOptions},
			5: {ProductID: 5, Tracking: products.TrackByOptions, OutOfStockActions: products.Backorder},
		},
		combinations: map[int64]int64{9: 4},
	}
	o := &Orders{api: shopapi.New(nil)}
	for name, c := range map[string]struct {
		plan func(p *stockPlan)
		want []string
	}{
		"all that there is":        {func(p *stockPlan) { p.add(source{1, 0}, -7, "a") }, nil},
		"one more":                 {func(p *stockPlan) { p.add(source{1, 0}, -8, "a") }, []string{"a"}},
		"as much as it gives back": {func(p *stockPlan) { p.add(source{2, 0}, 1, ""); p.add(source{2, 0}, -1, "a") }, nil},
		"less than it gives back":  {func(p *stockPlan) { p.add(source{2, 0}, 2, ""); p.add(source{2, 0}, -1, "a") }, nil},
		"more of too few":          {func(p *stockPlan) { p.add(source{2, 0}, -1, "a") }, []string{"a"}},
		"backorders":               {func(p *stockPlan) { p.add(source{3, 0}, -2, "a") }, nil},
		"of a combination":         {func(p *stockPlan) { p.add(source{4, 9}, -4, "a") }, nil},
		"more of a combination":    {func(p *stockPlan) { p.add(source{4, 9}, -5, "a") }, []string{"a"}},
		"of no combination":        {func(p *stockPlan) { p.missing = []missing{{4, 1, "a", false}} }, []string{"a"}},
		"backorders of none":       {func(p *stockPlan) { p.missing = []missing{{5, 1, "a", false}} }, nil},
		"each line":                {func(p *stockPlan) { p.add(source{1, 0}, -9, "a"); p.missing = []missing{{4, 1, "b", false}} }, []string{"a", "b"}},
	} {
		var plan stockPlan
		c.plan(&plan)
		var problems shopapi.Problems
		if err := o.checkStock(t.Context(), 0, r, &plan, &problems); err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := problems.Err(); err != nil {
			got = shopapi.AsError(err).FieldNames()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: the refused fields (-want +got):\n%s", name, diff)
		}
	}
	o.api.FixSetting(shopapi.SettingAllowNegativeAmount, "Y")
	var problems shopapi.Problems
	plan := stockPlan{missing: []missing{{4, 1, "a", false}}}
	plan.add(source{1, 0}, -8, "b")
	if err := o.checkStock(t.Context(), 0, r, &plan, &problems); err != nil || problems.Err() != nil {
		t.Errorf("where everything may be ordered: %v, %v", err, problems.Err())
	}
}
