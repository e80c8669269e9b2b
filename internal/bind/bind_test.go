package bind_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
)

// Choices is a map that reads JSON by itself.
type choices map[string]int

func (c *choices) UnmarshalJSON(data []byte) error {
	var m map[string]json.Number
	if err := json.Unmarshal(data, &m); err != nil {
		return errors.New("must be a map of numbers")
	}
	*c = choices{}
	for name, n := range m {
		v, err := n.Int64()
		if err != nil {
			return errors.New("must be a map of numbers")
		}
		(*c)[name] = int(v)
	}
	return nil
}

type level string

type base struct {
	ID       int64  `json:"id,string" bind:"-"`
	Text     string `json:"text"`
	Shadowed string `json:"shadowed"`
}

// A bindable has a field of every type that requests can set.
type bindable struct {
	base
	Shadowed string           `json:"shadowed"`
	Level    level            `json:"level"`
	Pointer  *string          `json:"pointer"`
	Number   int64            `json:"number,string"`
	Int      int              `json:"int"`
	Small    int8             `json:"small"`
	Unsigned uint16           `json:"unsigned"`
	Float    float64          `json:"float"`
	NumberP  *int64           `json:"number_p"`
	Flag     shopapi.Flag     `json:"flag"`
	FlagP    *shopapi.Flag    `json:"flag_p"`
	Bool     bool             `json:"bool"`
	BoolP    *bool            `json:"bool_p"`
	Amount   decimal.Decimal  `json:"amount"`
	AmountP  *decimal.Decimal `json:"amount_p"`
	JSON     shopapi.JSON     `json:"json"`
	IDs      shopapi.IDList   `json:"ids"`
	Numbers  []int64          `json:"numbers"`
	Texts    []string         `json:"texts"`
	Choices  choices          `json:"choices"`
	ReadOnly string           `json:"read_only" bind:"-"`
	Output   []base           `json:"output"`
	Plain    map[string]int   `json:"plain"`
	Untagged string
	Hidden   string `json:"-"`
}

// filled is what the payloads below are laid over.
func filled() bindable {
	return bindable{
		base: base{ID: 1, Text: "old"}, Pointer: new("old"), Number: 5, NumberP: new(int64(5)), Flag: true, FlagP: new(shopapi.Flag(true)),
		Bool: true, Amount: decimal.MustParse("1.50"), JSON: shopapi.JSON(`{"a":1}`), Numbers: []int64{1}, Texts: []string{"old"}, Choices: choices{"a": 1},
		ReadOnly: "kept", Untagged: "kept", Hidden: "kept", Output: []base{{ID: 1}}, Plain: map[string]int{"kept": 1}, Shadowed: "old",
	}
}

var compare = cmp.Options{
	cmp.AllowUnexported(bindable{}, base{}),
	cmp.Comparer(func(a, b decimal.Decimal) bool { return a.String() == b.String() }),
}

func bound(t *testing.T, body string) (bindable, error) {
	t.Helper()
	p, err := shopapi.NewPayload(json.RawMessage(body))
	if err != nil {
		t.Fatal(err)
	}
	got := filled()
	err = (&shopapi.Request{Payload: p}).Bind(&got)
	return got, err
}

// §4: which values a field of a kind accepts.
func TestBody_Accepts(t *testing.T) {
	for _, test := range []struct {
		body string
		want func(*bindable)
	}{
		{`{}`, func(b *bindable) {}},
		{`{"text":"new"}`, func(b *bindable) { b.Text = "new" }},
		{`{"text":""}`, func(b *bindable) { b.Text = "" }},
		{`{"text":12.50}`, func(b *bindable) { b.Text = "12.50" }},
		{`{"text":null}`, func(b *bindable) { b.Text = "" }},
		{`{"level":"x"}`, func(b *bindable) { b.Level = "x" }},
		{`{"shadowed":"new"}`, func(b *bindable) { b.Shadowed = "new" }},
		{`{"pointer":"new"}`, func(b *bindable) { b.Pointer = new("new") }},
		{`{"pointer":""}`, func(b *bindable) { b.Pointer = new("") }},
		{`{"pointer":null}`, func(b *bindable) { b.Pointer = nil }},
		{`{"number":7}`, func(b *bindable) { b.Number = 7 }},
		{`{"number":"-7"}`, func(b *bindable) { b.Number = -7 }},
		{`{"number":"007"}`, func(b *bindable) { b.Number = 7 }},
		{`{"number":0}`, func(b *bindable) { b.Number = 0 }},
		{`{"number":null}`, func(b *bindable) { b.Number = 0 }},
		{`{"number":9223372036854775807}`, func(b *bindable) { b.Number = 9223372036854775807 }},
		{`{"int":7,"small":-128,"unsigned":"65535","float":"1.5"}`, func(b *bindable) { b.Int, b.Small, b.Unsigned, b.Float = 7, -128, 65535, 1.5 }},
		{`{"number_p":0}`, func(b *bindable) { b.NumberP = new(int64(0)) }},
		{`{"number_p":null}`, func(b *bindable) { b.NumberP = nil }},
		{`{"flag":"N","bool":"n"}`, func(b *bindable) { b.Flag, b.Bool = false, false }},
		{`{"flag":false,"bool":false}`, func(b *bindable) { b.Flag, b.Bool = false, false }},
		{`{"flag":0,"bool":"0"}`, func(b *bindable) { b.Flag, b.Bool = false, false }},
		{`{"flag":"False","bool":"FALSE"}`, func(b *bindable) { b.Flag, b.Bool = false, false }},
		{`{"flag":null,"bool":null}`, func(b *bindable) { b.Flag, b.Bool = false, false }},
		{`{"flag_p":"N","bool_p":"Y"}`, func(b *bindable) { b.FlagP, b.BoolP = new(shopapi.Flag(false)), new(true) }},
		{`{"flag_p":null}`, func(b *bindable) { b.FlagP = nil }},
		{`{"amount":12.5}`, func(b *bindable) { b.Amount = decimal.MustParse("12.5") }},
		{`{"amount":"0"}`, func(b *bindable) { b.Amount = decimal.Zero }},
		{`{"amount":0}`, func(b *bindable) { b.Amount = decimal.Zero }},
		{`{"amount":null}`, func(b *bindable) { b.Amount = decimal.Zero }},
		{`{"amount_p":"-1.25"}`, func(b *bindable) { b.AmountP = new(decimal.MustParse("-1.25")) }},
		{`{"json":{"x": [1, "<"]}}`, func(b *bindable) { b.JSON = shopapi.JSON(`{"x":[1,"<"]}`) }},
		{`{"json":"text"}`, func(b *bindable) { b.JSON = shopapi.JSON(`"text"`) }},
		{`{"json":""}`, func(b *bindable) { b.JSON = shopapi.JSON(`[]`) }},
		{`{"json":null}`, func(b *bindable) { b.JSON = nil }},
		{`{"numbers":[3,"4"]}`, func(b *bindable) { b.Numbers = []int64{3, 4} }},
		{`{"numbers":"3, 4,"}`, func(b *bindable) { b.Numbers = []int64{3, 4} }},
		{`{"numbers":3}`, func(b *bindable) { b.Numbers = []int64{3} }},
		{`{"numbers":{"7":"3","12":"4"}}`, func(b *bindable) { b.Numbers = []int64{3, 4} }},
		{`{"numbers":{"12":"4","7":"3"}}`, func(b *bindable) { b.Numbers = []int64{4, 3} }},
		{`{"numbers":{"12":"4","7":"3","12":"5"}}`, func(b *bindable) { b.Numbers = []int64{5, 3} }},
		{`{"numbers":{}}`, func(b *bindable) { b.Numbers = nil }},
		{`{"numbers":[]}`, func(b *bindable) { b.Numbers = nil }},
		{`{"numbers":""}`, func(b *bindable) { b.Numbers = nil }},
		{`{"numbers":null}`, func(b *bindable) { b.Numbers = nil }},
		{`{"texts":["a,b","",5]}`, func(b *bindable) { b.Texts = []string{"a,b", "", "5"} }},
		{`{"texts":"a,b"}`, func(b *bindable) { b.Texts = []string{"a", "b"} }},
		{`{"ids":"1, 02,,3"}`, func(b *bindable) { b.IDs = "1,2,3" }},
		{`{"ids":[0,"2"]}`, func(b *bindable) { b.IDs = "0,2" }},
		{`{"ids":7}`, func(b *bindable) { b.IDs = "7" }},
		{`{"ids":{"12":"4","7":3}}`, func(b *bindable) { b.IDs = "4,3" }},
		{`{"ids":[]}`, func(b *bindable) { b.IDs = "" }},
		{`{"ids":""}`, func(b *bindable) { b.IDs = "" }},
		{`{"choices":{"x":1,"y":"2"}}`, func(b *bindable) { b.Choices = choices{"x": 1, "y": 2} }},
		{`{"choices":null}`, func(b *bindable) { b.Choices = nil }},
		{`{"unknown":{"a":[]},"id":9,"read_only":"x","Untagged":"x","Hidden":"x","-":"x","base":"x","output":[{"id":2}],"plain":{"a":1}}`, func(b *bindable) {}},
		{`{"TEXT":"x","Number":"x"}`, func(b *bindable) {}},
		{`{"text":"first","text":"last"}`, func(b *bindable) { b.Text = "last" }},
	} {
		t.Run(test.body, func(t *testing.T) {
			got, err := bound(t, test.body)
			if err != nil {
				t.Fatal(err)
			}
			want := filled()
			test.want(&want)
			if diff := cmp.Diff(want, got, compare); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// §4: a value that does not fit the field is 400 naming the field.
func TestBody_Refuses(t *testing.T) {
	for _, test := range []struct{ body, field, problem string }{
		{`{"text":true}`, "text", "must be text, not a boolean"},
		{`{"text":[]}`, "text", "must be a single value, not an array or an object"},
		{`{"text":{"a":1}}`, "text", "must be a single value, not an array or an object"},
		{`{"number":""}`, "number", `must be a whole number, not ""`},
		{`{"number":"x"}`, "number", `must be a whole number, not "x"`},
		{`{"number":1.5}`, "number", `must be a whole number, not "1.5"`},
		{`{"number":5e-1}`, "number", `must be a whole number, not "5e-1"`},
		{`{"number":"+1"}`, "number", `must be a whole number, not "+1"`},
		{`{"number":" 1"}`, "number", `must be a whole number, not " 1"`},
		{`{"number":"1_000"}`, "number", `must be a whole number, not "1_000"`},
		{`{"number":"９"}`, "number", `must be a whole number, not "９"`},
		{`{"number":true}`, "number", `must be a whole number, not "true"`},
		{`{"number":9223372036854775808}`, "number", `must be a whole number from -9223372036854775808 to 9223372036854775807, not "9223372036854775808"`},
		{`{"number_p":""}`, "number_p", `must be a whole number, not ""`},
		{`{"small":128}`, "small", `must be a whole number from -128 to 127, not "128"`},
		{`{"unsigned":-1}`, "unsigned", `does not fit: "-1" is not a value of this field`},
		{`{"float":"x"}`, "float", `must be a number such as 12.50, not "x"`},
		{`{"flag":"yes"}`, "flag", "must be Y or N"},
		{`{"flag":""}`, "flag", "must be Y or N"},
		{`{"flag":2}`, "flag", "must be Y or N"},
		{`{"bool":"x"}`, "bool", "must be Y or N"},
		{`{"bool":""}`, "bool", "must be Y or N"},
		{`{"amount":"1,5"}`, "amount", `must be a number such as 12.50, not "1,5"`},
		{`{"amount":""}`, "amount", `must be a number such as 12.50, not ""`},
		{`{"amount":true}`, "amount", `must be a number such as 12.50, not "true"`},
		{`{"amount":1e400}`, "amount", `must be a number such as 12.50, not "1e400"`},
		{`{"amount":"NaN"}`, "amount", `must be a number such as 12.50, not "NaN"`},
		{`{"numbers":["x"]}`, "numbers", `must be a whole number, not "x"`},
		{`{"numbers":[""]}`, "numbers", `must be a whole number, not ""`},
		{`{"numbers":[[1]]}`, "numbers", "must be a list of single values"},
		{`{"numbers":[null]}`, "numbers", "must be a list of single values"},
		{`{"numbers":"1,x"}`, "numbers", `must be a whole number, not "x"`},
		{`{"numbers":{"a":1}}`, "numbers", "must be a list, not an object"},
		{`{"texts":[true]}`, "texts", "must be text, not a boolean"},
		{`{"ids":"x"}`, "ids", "must be whole numbers from 0 joined by commas, or an array of them"},
		{`{"ids":-1}`, "ids", "must be whole numbers from 0 joined by commas, or an array of them"},
		{`{"ids":[[1]]}`, "ids", "must be whole numbers from 0 joined by commas, or an array of them"},
		{`{"ids":{}}`, "ids", "must be whole numbers from 0 joined by commas, or an array of them"},
		{`{"ids":{"1":{"2":3}}}`, "ids", "must be whole numbers from 0 joined by commas, or an array of them"},
		{`{"ids":{"a":1}}`, "ids", "must be whole numbers from 0 joined by commas, or an array of them"},
		{`{"choices":"x"}`, "choices", "must be a map of numbers"},
		{`{"choices":{"a":"x"}}`, "choices", "must be a map of numbers"},
	} {
		t.Run(test.body, func(t *testing.T) {
			_, err := bound(t, test.body)
			var e *shopapi.Error
			if !errors.As(err, &e) || e.Status != http.StatusBadRequest {
				t.Fatalf("error %v, want a 400", err)
			}
			if diff := cmp.Diff(map[string]string{test.field: test.problem}, e.Fields); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Every field at fault is named, in the order of the struct.
func TestBody_NamesAllFields(t *testing.T) {
	_, err := bound(t, `{"numbers":"x","flag":"x","number":"x","text":true}`)
	const want = `text must be text, not a boolean; number must be a whole number, not "x"; flag must be Y or N; numbers must be a whole number, not "x".`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// So is every parameter, whatever the order in which they came.
func TestFilter_NamesAllFields(t *testing.T) {
	err := (&shopapi.Request{Filter: url.Values{
		"numbers": {"1", "x"}, "small": {"300"}, "bool": {""}, "amount_p": {"x"}, "ids": {"-1"}, "number": {"1"}, "text": {"a"},
	}}).BindFilter(&bindable{})
	const want = `small must be a whole number from -128 to 127, not "300"; bool must be Y or N; amount_p must be a number such as 12.50, not "x"; ` +
		`ids must be whole numbers from 0 joined by commas, or an array of them; numbers must be a whole number, not "x".`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// An invalid field keeps its value, and so does the target of its pointer.
func TestBody_LeavesFieldsAtFaultAlone(t *testing.T) {
	got, err := bound(t, `{"text":true,"small":300,"number_p":"x","flag_p":"x","amount":"x","json":"new","ids":"x","numbers":[2,"x"],"choices":[]}`)
	if err == nil {
		t.Fatal("no error")
	}
	want := filled()
	want.JSON = shopapi.JSON(`"new"`)
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Error(diff)
	}
}

// Fields are found by their json names alone, letter by letter.
func TestBody_NamesAreExact(t *testing.T) {
	type object struct {
		Name  string
		Title string `json:"name"`
		Lower int64  `json:"a"`
		Upper int64  `json:"A"`
		Dot   int64  `json:"a.b"`
		//lint:ignore SA5008 gorilla/schema has such an option, encoding/json has not
		Comma int64 `json:"required,required"`
	}
	p, err := shopapi.NewPayload(json.RawMessage(`{"name":"x","a":1,"A":2,"a.b":3}`))
	if err != nil {
		t.Fatal(err)
	}
	got := object{Name: "old"}
	if err := (&shopapi.Request{Payload: p}).Bind(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(object{Name: "old", Title: "x", Lower: 1, Upper: 2, Dot: 3}, got); diff != "" {
		t.Error(diff)
	}
}

// Requests that come at once may be the first for their type.
func TestBody_AtOnce(t *testing.T) {
	type fresh struct {
		Number int64        `json:"number"`
		Flag   shopapi.Flag `json:"flag"`
		Inner  shopapi.JSON `json:"json"`
	}
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			var got fresh
			err := (&shopapi.Request{Filter: url.Values{"number": {"5"}, "flag": {"Y"}, "json": {"x"}}}).BindFilter(&got)
			if diff := cmp.Diff(fresh{5, true, shopapi.JSON(`"x"`)}, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
	group.Wait()
}

// A struct that was copied keeps its old values behind pointers and in maps.
func TestBody_LeavesCopiesAlone(t *testing.T) {
	p, err := shopapi.NewPayload(map[string]any{"pointer": "new", "number_p": 6, "flag_p": "N", "numbers": []int{2}, "choices": map[string]int{"a": 2}})
	if err != nil {
		t.Fatal(err)
	}
	before := filled()
	after := before
	if err := (&shopapi.Request{Payload: p}).Bind(&after); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(filled(), before, compare); diff != "" {
		t.Error(diff)
	}
	if *after.Pointer != "new" || *after.NumberP != 6 || *after.FlagP || after.Numbers[0] != 2 || after.Choices["a"] != 2 {
		t.Errorf("got %+v", after)
	}
}

func TestBody_NoPayload(t *testing.T) {
	got := filled()
	if err := (&shopapi.Request{}).Bind(&got); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(filled(), got, compare); diff != "" {
		t.Error(diff)
	}
}
