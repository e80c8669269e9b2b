package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

func TestSearch(t *testing.T) {
	c := open(t)
	long := strings.Repeat("a", 200_000)
	for _, test := range []struct {
		name       string
		text, part store.Value
		want       store.Value
	}{
		{"at the beginning", store.String("blue bowl"), store.String("blue"), store.Int(1)},
		{"at the end", store.String("blue bowl"), store.String("bowl"), store.Int(1)},
		{"the whole", store.String("bowl"), store.String("bowl"), store.Int(1)},
		{"longer than the text", store.String("bowl"), store.String("bowls"), store.Int(0)},
		{"another", store.String("bowl"), store.String("jug"), store.Int(0)},
		{"bytes as they are", store.String("Bowl"), store.String("bowl"), store.Int(0)},
		{"not ASCII", store.String("größe"), store.String("öß"), store.Int(1)},
		{"empty in a text", store.String("bowl"), store.String(""), store.Int(1)},
		{"empty in an empty one", store.String(""), store.String(""), store.Int(1)},
		{"in an empty one", store.String(""), store.String("a"), store.Int(0)},
		{"in null", store.Null, store.String("a"), store.Null},
		{"null", store.String("a"), store.Null, store.Null},
		{"in a number", store.Int(1234), store.String("23"), store.Int(1)},
		{"a number", store.String("a1234"), store.Int(23), store.Int(1)},
		{"over the end of a chunk", store.String(long[:65535] + "bc" + long), store.String("bc"), store.Int(1)},
		{"after some chunks", store.String(long + "b"), store.String("aab"), store.Int(1)},
		{"long, found", store.String(long + "b" + long), store.String(long[:150_000] + "b"), store.Int(1)},
		{"long, not found", store.String(long + long), store.String(long + "b"), store.Int(0)},
	} {
		err := c.Query("SELECT "+engine.SearchFunction+"(?, ?)", []store.Value{test.text, test.part}, func(row []store.Value) error {
			if row[0] != test.want {
				t.Errorf("%s: %#v, want %#v", test.name, row[0], test.want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// FuzzSearch compares with package strings.
func FuzzSearch(f *testing.F) {
	f.Add("aab", "ab", uint32(70_000))
	f.Add("", "", uint32(0))
	f.Add("abcab", "cababc", uint32(20_000))
	f.Fuzz(func(t *testing.T, text, part string, times uint32) {
		c := open(t)
		text = strings.Repeat(text, int(times%100_000)/(len(text)+1)+1)
		err := c.Query("SELECT "+engine.SearchFunction+"(?, ?)", []store.Value{store.String(text), store.String(part)}, func(row []store.Value) error {
			if want := strings.Contains(text, part); row[0] != store.Bool(want) {
				t.Errorf("%q in %d bytes: %#v, want %v", part, len(text), row[0], want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// A countdown is a context that ends when it has been asked so many times.
type countdown struct {
	context.Context
	left, asked int
}

func (c *countdown) Err() error {
	c.asked++
	if c.asked > c.left {
		return context.Canceled
	}
	return nil
}

// A search through one long text ends with the context, not with the text.
func TestTheContextEndsASearchWithinARow(t *testing.T) {
	c := open(t)
	exec(t, c, "CREATE TABLE t (a)")
	exec(t, c, "INSERT INTO t VALUES (?)", store.String(strings.Repeat("a", 8<<20)))
	ctx := &countdown{Context: t.Context(), left: 10}
	c.InterruptOn(ctx)
	defer c.NoInterrupt()
	if got := code(t, c.Exec("SELECT "+engine.SearchFunction+"(a, 'aab') FROM t")); got != engine.Interrupt {
		t.Errorf("code %d, want %d", got, engine.Interrupt)
	}
	if ctx.asked > 15 {
		t.Errorf("the context was asked %d times, and had ended at the tenth", ctx.asked)
	}
	if c.InTransaction() {
		t.Error("a transaction is open")
	}
	c.InterruptOn(t.Context())
	exec(t, c, "SELECT "+engine.SearchFunction+"(a, 'aab') FROM t")
}
