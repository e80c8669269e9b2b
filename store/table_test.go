package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

type (
	status string
	number int64
	flag   bool
)

// summary is embedded in full.
type summary struct {
	ID     int64  `json:"id,string" store:"key"`
	Title  string `json:"title" store:"fold,index"`
	Hidden string `json:"hidden" store:"-"`
}

type full struct {
	summary
	Status   status           `json:"status,omitempty" store:"index"`
	Number   number           `json:"number"`
	Flag     flag             `json:"flag"`
	Price    decimal.Decimal  `json:"price" store:"scale=2"`
	Document json.RawMessage  `json:"document"`
	Renamed  int64            `json:"-" store:"name=other_name"`
	MaybeS   *status          `json:"maybe_s" store:"fold"`
	MaybeN   *number          `json:"maybe_n"`
	MaybeF   *flag            `json:"maybe_f"`
	MaybeD   *decimal.Decimal `json:"maybe_d" store:"scale=4"`
	MaybeJ   *json.RawMessage `json:"maybe_j"`
	_        int              // no column
}

var fulls = store.MustTable[full]("fulls", store.Index{Columns: []string{"status", "number"}, Unique: true})

func TestTableColumns(t *testing.T) {
	want := []store.Column{
		{Name: "id", Kind: store.Integer},
		{Name: "title", Kind: store.Text, Fold: true},
		{Name: "status", Kind: store.Text},
		{Name: "number", Kind: store.Integer},
		{Name: "flag", Kind: store.Boolean},
		{Name: "price", Kind: store.Decimal, Scale: 2},
		{Name: "document", Kind: store.JSON},
		{Name: "other_name", Kind: store.Integer},
		{Name: "maybe_s", Kind: store.Text, Fold: true, Null: true},
		{Name: "maybe_n", Kind: store.Integer, Null: true},
		{Name: "maybe_f", Kind: store.Boolean, Null: true},
		{Name: "maybe_d", Kind: store.Decimal, Scale: 4, Null: true},
		{Name: "maybe_j", Kind: store.JSON, Null: true},
	}
	if diff := cmp.Diff(want, fulls.Schema().Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	indexes := []store.Index{{Columns: []string{"title"}}, {Columns: []string{"status"}}, {Columns: []string{"status", "number"}, Unique: true}}
	if diff := cmp.Diff(indexes, fulls.Schema().Indexes); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
}

func TestNewTableRefuses(t *testing.T) {
	type hasName struct {
		ID int64
	}
	type float struct {
		ID int64   `json:"id"`
		F  float64 `json:"f"`
	}
	type smallInt struct {
		ID int32 `json:"id"`
	}
	type slice struct {
		ID int64    `json:"id"`
		S  []string `json:"s"`
	}
	type pointers struct {
		ID int64   `json:"id"`
		P  **int64 `json:"p"`
	}
	type option struct {
		ID int64 `json:"id" store:"key,primary"`
	}
	type contended struct {
		ID int64 `json:"id" store:"key"`
		N  int64 `json:"n" store:"contended"`
	}
	type scale struct {
		ID int64           `json:"id"`
		D  decimal.Decimal `json:"d" store:"scale=x"`
	}
	type bigScale struct {
		ID int64           `json:"id"`
		D  decimal.Decimal `json:"d" store:"scale=10"`
	}
	type noScale struct {
		ID int64           `json:"id"`
		D  decimal.Decimal `json:"d"`
	}
	type scaledText struct {
		ID int64  `json:"id"`
		S  string `json:"s" store:"scale=2"`
	}
	type textKey struct {
		ID string `json:"id" store:"key"`
	}
	type nullKey struct {
		ID *int64 `json:"id" store:"key"`
	}
	type lateKey struct {
		N  int64 `json:"n"`
		ID int64 `json:"id" store:"key"`
	}
	type foldedNumber struct {
		ID int64 `json:"id" store:"fold"`
	}
	type twice struct {
		summary
		ID int64 `json:"title"`
	}
	type embeddedBad struct {
		ID int64 `json:"id"`
		float
	}
	for _, c := range []struct {
		make func() error
		want string
	}{
		{refusal[hasName], "hasName.ID: has no name"},
		{refusal[float], "float.F: a float64 cannot be a column"},
		{refusal[smallInt], "a int32 cannot be a column"},
		{refusal[slice], "a []string cannot be a column"},
		{refusal[pointers], "a *int64 cannot be a column"},
		{refusal[option], `unknown option "primary"`},
		{refusal[contended], "contended in the tag store is only for the key"},
		{refusal[scale], `scale "x" is not a number from 0 to 9`},
		{refusal[bigScale], `scale "10" is not a number from 0 to 9`},
		{refusal[noScale], "noScale.D: a decimal.Decimal needs its number of decimals, such as scale=2"},
		{refusal[scaledText], "only a decimal.Decimal has a scale"},
		{refusal[textKey], "a key must be an int64"},
		{refusal[nullKey], "the first column must be the key"},
		{refusal[lateKey], "the key id must be the first column"},
		{refusal[foldedNumber], "id is folded but no text"},
		{refusal[twice], "title is declared twice"},
		{refusal[embeddedBad], "float.F: a float64 cannot be a column"},
		{refusal[struct{}], "the first column must be the key"},
		{refusal[int64], "int64 is not a struct"},
	} {
		if err := c.make(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewTable returns %v, want an error with %q", err, c.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustTable does not panic where NewTable fails")
		}
	}()
	store.MustTable[float]("t")
}

func refusal[T any]() error {
	_, err := store.NewTable[T]("t")
	return err
}

func TestTableRoundTrip(t *testing.T) {
	st := memory.New()
	if err := st.Migrate(t.Context(), fulls.Schema()); err != nil {
		t.Fatal(err)
	}
	rows := []full{
		{
			summary: summary{Title: "T"}, Status: "A", Number: -1, Flag: true, Price: decimal.MustParse("12.30"),
			Document: json.RawMessage(`{"a":1}`), Renamed: 7, MaybeS: new(status), MaybeN: new(number(5)), MaybeF: new(flag(true)),
			MaybeD: new(decimal.MustParse("0.1234")), MaybeJ: new(json.RawMessage("null")),
		},
		{Price: decimal.MustParse("0.00"), Document: json.RawMessage("[]")},
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range rows {
			if err := fulls.Insert(tx, &rows[i]); err != nil {
				return err
			}
			if want := int64(i + 1); rows[i].ID != want {
				t.Errorf("Insert sets the key %d, want %d", rows[i].ID, want)
			}
			got, err := fulls.Get(tx, rows[i].ID)
			if diff := cmp.Diff(rows[i], got, cmp.AllowUnexported(full{}, summary{})); err != nil || diff != "" {
				t.Errorf("Get: %v (-want +got):\n%s", err, diff)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAmountsFitTheirColumn(t *testing.T) {
	st := memory.New()
	if err := st.Migrate(t.Context(), fulls.Schema()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, want string }{
		{"1", "1.00"}, {"1.5", "1.50"}, {"-0.01", "-0.01"}, {"92233720368547758.07", "92233720368547758.07"},
		{"92233720368547758.08", ""}, {"-92233720368547758.08", ""}, {"1234567890123456789", ""},
	} {
		var got string
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			row := full{Price: decimal.MustParse(c.in), Number: number(len(c.in))}
			if err := fulls.Insert(tx, &row); err != nil {
				return err
			}
			back, err := fulls.Get(tx, row.ID)
			got = back.Price.String()
			return errors.Join(err, fulls.DeleteKey(tx, row.ID))
		})
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("the amount %s is read as %q (%v), want %q", c.in, got, err, c.want)
		}
	}
}

func TestProjectRefuses(t *testing.T) {
	for _, c := range []struct {
		make func()
		want string
	}{
		{func() { store.Project[struct{ N int64 }](fulls) }, "has no name"},
		{func() {
			store.Project[struct {
				N int64 `json:"nope"`
			}](fulls)
		}, "no such column as nope"},
		{func() {
			store.Project[struct {
				N string `json:"number"`
			}](fulls)
		}, "no such column as number"},
		{func() {
			store.Project[struct {
				N *int64 `json:"number"`
			}](fulls)
		}, "no such column as number"},
		{func() {
			store.Project[struct {
				P decimal.Decimal `json:"price" store:"scale=9"`
			}](fulls)
		}, "no such column as price"},
	} {
		func() {
			defer func() {
				var text string
				switch p := recover().(type) {
				case string:
					text = p
				case error:
					text = p.Error()
				}
				if !strings.Contains(text, c.want) {
					t.Errorf("Project panics with %q, want %q", text, c.want)
				}
			}()
			c.make()
		}()
	}
}
