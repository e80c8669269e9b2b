package rules_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/rules"
)

type base struct {
	Name string `json:"name" rule:"required,len=3" hint:"the name"`
}

type crate struct {
	base
	Status  string          `json:"status" rule:"oneof=A D"`
	Note    *string         `json:"note" rule:"bytes=4"`
	Labels  []byte          `json:"labels" rule:"bytes=2"`
	Weight  int64           `json:"weight" rule:"min=1,max=int32"`
	Count   *int64          `json:"count" rule:"max=9"`
	Made    int64           `json:"made" rule:"time"`
	Owner   int64           `json:"owner" rule:"required" hint:"the id of the owner"`
	Yard    int64           `json:"yard" rule:"required"`
	Parts   []int64         `json:"parts" rule:"required" hint:"ids of parts"`
	Price   decimal.Decimal `json:"price" rule:"scale=2,max=99.99"`
	Free    string          `json:"free"`
	private string
}

func of[T any](t *testing.T, more ...shopapi.Rule) *rules.Plan {
	t.Helper()
	p, err := rules.Of(reflect.TypeFor[T](), more...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fields returns the problems by field.
func fields(p *shopapi.Problems) map[string]string {
	if err, ok := p.Err().(*shopapi.Error); ok {
		return err.Fields
	}
	return nil
}

func TestPlan_Check(t *testing.T) {
	long, many := "longer", int64(10)
	for name, test := range map[string]struct {
		crate crate
		want  map[string]string
	}{
		"valid": {
			crate: crate{base: base{"abc"}, Status: "A", Weight: 1, Made: 253_402_300_799, Owner: 1, Parts: []int64{1}},
		},
		"milliseconds": {
			crate: crate{base: base{"abc"}, Status: "A", Weight: 1, Made: 1_700_000_000_000, Owner: 1, Parts: []int64{1}},
			want:  map[string]string{"made": "must be a whole number from 0 to 253402300799, not 1700000000000"},
		},
		"empty": {
			want: map[string]string{
				"name": "is required: the name", "status": `must be one of A, D, not ""`,
				"weight": "must be a whole number from 1 to 2147483647, not 0",
				"owner":  "is required: the id of the owner", "parts": "is required: ids of parts",
			},
		},
		"too much": {
			crate: crate{
				base: base{"äbcd"}, Status: "D", Note: &long, Labels: []byte("abc"), Weight: 1 << 31, Count: &many,
				Owner: 1, Parts: []int64{1},
			},
			want: map[string]string{
				"name": "must have at most 3 characters, not 4", "note": "must have at most 4 bytes, not 6",
				"labels": "must have at most 2 bytes, not 3", "weight": "must be a whole number from 1 to 2147483647, not 2147483648",
				"count": "must be a whole number from 0 to 9, not 10",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_ = test.crate.private
			var problems shopapi.Problems
			of[crate](t).Check(&test.crate, &problems)
			if diff := cmp.Diff(test.want, fields(&problems)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlan_Normalize(t *testing.T) {
	for text, want := range map[string]string{"1.5": "1.50", "99.99": "99.99", "100": "0.00", "-1": "0.00", "1.234": "0.00"} {
		c := crate{Price: decimal.MustParse(text)}
		var problems shopapi.Problems
		of[crate](t).Normalize(&c, &problems)
		if got := c.Price.String(); got != want || (problems.Err() != nil) != (want == "0.00") {
			t.Errorf("%s becomes %s, want %s; %v", text, got, want, problems.Err())
		}
	}
}

func TestPlan_CheckGiven(t *testing.T) {
	var problems shopapi.Problems
	none := int64(0)
	p := of[crate](t)
	p.CheckGiven(&crate{Count: &none}, &problems)
	if err := problems.Err(); err != nil {
		t.Errorf("what is not given is refused: %v", err)
	}
	p.CheckGiven(&crate{Status: "X"}, &problems)
	if diff := cmp.Diff(map[string]string{"status": `must be one of A, D, not "X"`}, fields(&problems)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPlan_For: a struct of another type is checked by its own tags.
func TestPlan_For(t *testing.T) {
	p, err := of[crate](t).For(&base{})
	if err != nil {
		t.Fatal(err)
	}
	var problems shopapi.Problems
	p.Check(&base{}, &problems)
	if diff := cmp.Diff(map[string]string{"name": "is required: the name"}, fields(&problems)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOf_More: rules that are known only at run time add to the tags.
func TestOf_More(t *testing.T) {
	type thing struct {
		Name   string  `json:"name" rule:"len=3"`
		Kind   string  `json:"kind"`
		Images []int64 `json:"images"`
	}
	p := of[thing](t,
		shopapi.Rule{Field: "kind", OneOf: []string{"x"}}, shopapi.Rule{Field: "name", Required: true, Hint: "the name"},
		shopapi.Rule{Field: "images", Bytes: 7}, shopapi.Rule{Field: "sent", Note: "is required of others"})
	want := []shopapi.Rule{
		{Field: "name", Required: true, Hint: "the name", Length: 3}, {Field: "kind", OneOf: []string{"x"}},
		{Field: "images", Bytes: 7}, {Field: "sent", Note: "is required of others"},
	}
	if diff := cmp.Diff(want, p.Rules()); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	var problems shopapi.Problems
	p.Check(&thing{Kind: "y", Images: []int64{1}}, &problems)
	if diff := cmp.Diff(map[string]string{"name": "is required: the name", "kind": `must be one of x, not "y"`}, fields(&problems)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestPlan_SetDefaults(t *testing.T) {
	type thing struct {
		Kind  string `json:"kind" rule:"oneof=x y,default=x"`
		Label string `json:"-" rule:"default=two words"`
		Count int64  `json:"count" rule:"max=9,default=3"`
		Made  int64  `json:"made" rule:"default=now"`
		Own   int64  `json:"own" bind:"-" rule:"default=7"`
		Free  string `json:"free"`
	}
	p, now := of[thing](t), func() time.Time { return time.Unix(5, 0) }
	for name, test := range map[string]struct{ had, want thing }{
		"empty": {thing{}, thing{Kind: "x", Label: "two words", Count: 3, Made: 5, Own: 7}},
		"full":  {thing{"y", "label", 4, 6, 1, "free"}, thing{"y", "label", 4, 6, 1, "free"}},
		"wrong": {thing{Kind: "z", Count: -1, Made: -1}, thing{Kind: "z", Label: "two words", Count: -1, Made: -1, Own: 7}},
	} {
		if p.SetDefaults(&test.had, now); test.had != test.want {
			t.Errorf("%s: %+v, want %+v", name, test.had, test.want)
		}
	}
	described := make(map[string]string)
	for _, rule := range p.Rules() {
		described[rule.Field] = rule.Default
	}
	if diff := cmp.Diff(map[string]string{"kind": "x", "count": "3", "made": "now"}, described); diff != "" {
		t.Errorf("described defaults (-want +got):\n%s", diff)
	}
}

func TestOf_MoreDefaults(t *testing.T) {
	type thing struct {
		Kind string  `json:"kind" rule:"default=x"`
		Size int64   `json:"size" rule:"max=9"`
		Nick *string `json:"nick"`
	}
	got := thing{}
	of[thing](t, shopapi.Rule{Field: "kind", Default: "y"}, shopapi.Rule{Field: "size", Default: "2"}).SetDefaults(&got, time.Now)
	if want := (thing{"y", 2, nil}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for want, rule := range map[string]shopapi.Rule{
		"it needs now, or a whole number other than 0": {Field: "size", Default: "two"},
		"the rule default is not for pointers":         {Field: "nick", Default: "x"},
		"size must be a whole number from 0 to 9":      {Field: "size", Default: "10"},
		"kind must be one of a, b":                     {Field: "kind", OneOf: []string{"a", "b"}},
		"now is for numbers":                           {Field: "kind", Default: "now"},
	} {
		if _, err := rules.Of(reflect.TypeFor[thing](), rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: the error is %v, want one with %q", rule, err, want)
		}
	}
}

func TestOf_BadTags(t *testing.T) {
	for want, v := range map[string]any{
		`Name: the rule "lenght=3": there is no such rule`: struct {
			Name string `json:"name" rule:"lenght=3"`
		}{},
		`Name: the rule "len=x": it needs a number from 1`: struct {
			Name string `json:"name" rule:"len=x"`
		}{},
		`Name: the rule "oneof=": it needs values`: struct {
			Name string `json:"name" rule:"oneof="`
		}{},
		`N: the rule "min=1.5": it needs a whole number`: struct {
			N int64 `json:"n" rule:"min=1.5"`
		}{},
		`N: the rule min is more than max`: struct {
			N int64 `json:"n" rule:"min=2,max=1"`
		}{},
		`N: the rules len and oneof are for texts`: struct {
			N int64 `json:"n" rule:"len=2"`
		}{},
		`Name: the rules min and max are for numbers`: struct {
			Name string `json:"name" rule:"max=2"`
		}{},
		`Price: the rule "max=2": a decimal needs scale and max`: struct {
			Price decimal.Decimal `json:"price" rule:"max=2"`
		}{},
		`Name: the rule "default=": it needs a value, and a field that is a text or a number`: struct {
			Name string `json:"name" rule:"default="`
		}{},
		`Price: the rule "default=1": it needs a value, and a field that is a text or a number`: struct {
			Price decimal.Decimal `json:"price" rule:"default=1"`
		}{},
		`N: the rule "default=0": it needs now, or a whole number other than 0`: struct {
			N int64 `json:"n" rule:"default=0"`
		}{},
		`N: the rule default is not for pointers`: struct {
			N *int64 `json:"n" rule:"default=1"`
		}{},
		`Name: the rule default: name must be one of A, D, not "X".`: struct {
			Name string `json:"name" rule:"oneof=A D,default=X"`
		}{},
		`N: the rule default: n must be a whole number from 1 to 2, not 3.`: struct {
			N int64 `json:"n" rule:"min=1,max=2,default=3"`
		}{},
		`Name: the tag hint needs the rule required`: struct {
			Name string `json:"name" hint:"the name"`
		}{},
		`Name: a field with a rule needs a name in JSON`: struct {
			Name string `rule:"len=2"`
		}{},
	} {
		_, err := rules.Of(reflect.TypeOf(v))
		if err == nil || !strings.HasSuffix(err.Error(), "."+want) {
			t.Errorf("the error is %v, want one that ends with %q", err, want)
		}
	}
}

func TestTenDigits(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "9999999999.99": true, "-9999999999.99": true, "1.500": true,
		"10000000000": false, "-10000000000": false, "0.001": false, "999999999999999999": false,
	} {
		if got := rules.Fits(decimal.MustParse(text), rules.TenDigits(2)); got != want {
			t.Errorf("%s fits two decimals: %t", text, got)
		}
	}
}
