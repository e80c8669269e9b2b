package jsonenc

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// large are values of more than a step of output, each of another shape.
func large() map[string]any {
	text := strings.Repeat("a text with \"quotes\" and ü ", 8<<10)
	return map[string]any{
		"a text":     text,
		"objects":    make([]base, 20_000),
		"texts":      []string{text, text},
		"a struct":   struct{ A, B string }{text, text},
		"an any":     []any{text, map[string]any{"k": text}, 5},
		"a map":      map[string]string{"a": text, "b": text},
		"documents":  []raw{raw(`"` + strings.Repeat("x", 100_000) + `"`), raw(`[]`)},
		"a pointer":  &text,
		"small ones": make([]int64, 200_000),
	}
}

func TestWithinEndsAtItsLimit(t *testing.T) {
	for name, v := range large() {
		t.Run(name, func(t *testing.T) {
			whole, err := Append(nil, v)
			if err != nil {
				t.Fatal(err)
			}
			want, err := expected(v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, string(whole)); diff != "" {
				t.Fatalf("encoding/json writes it otherwise (-want +got):\n%s", diff)
			}
			for _, most := range []int{0, 1, 1000, step, step + 1, len(whole) - 1} {
				if got, err := AppendWithin(nil, v, Within(t.Context(), int64(most))); !errors.Is(err, ErrTooLarge) {
					t.Errorf("%d bytes within %d: error %v", len(got), most, err)
				}
			}
			got, err := AppendWithin(nil, v, Within(t.Context(), int64(len(whole))))
			if err != nil || string(got) != string(whole) {
				t.Errorf("%d bytes within as many: %d bytes, error %v", len(whole), len(got), err)
			}
		})
	}
}

// An ender ends a context when it is written.
type ender struct{ end context.CancelFunc }

func (e ender) AppendJSON(dst []byte) ([]byte, error) {
	e.end()
	return append(dst, "null"...), nil
}

func TestWithinEndsWithItsContext(t *testing.T) {
	for name, v := range large() {
		ctx, end := context.WithCancel(t.Context())
		got, err := AppendWithin(nil, []any{ender{end}, v, v}, Within(ctx, 1<<30))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		if most := 4 * step; len(got) > most {
			t.Errorf("%s: %d bytes were written after the end, want at most %d", name, len(got), most)
		}
	}
}

// Values beyond the limit are not encoded: memory is proportional to the limit, not to
// the value.
func TestWithinBoundsMemory(t *testing.T) {
	const most = 1 << 20
	escaped := strings.Repeat("\x01", 2<<20) // six times as long when it is written
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = escaped
	}
	values := map[string]any{"texts": texts, "a map": map[string]any{"a": texts, "b": texts}, "a struct": struct{ A, B string }{escaped, escaped}}
	for name, v := range values {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := AppendWithin(nil, v, Within(t.Context(), most))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrTooLarge) {
			t.Fatalf("%s: error %v", name, err)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4*most || cap(got) > most+2*step {
			t.Errorf("%s: %d bytes were allocated, %d for the output, within %d", name, allocated, cap(got), most)
		}
	}
}

type list []list

// A value that contains itself is an error, and does not end the process.
func TestAppendFailsForCycles(t *testing.T) {
	m := map[string]any{}
	m["m"] = m
	o := &object{Raw: raw("[]")}
	o.Self = o
	l := list{nil}
	l[0] = l
	var p any
	p = &p
	for name, v := range map[string]any{"map": m, "pointer": o, "slice": l, "interface": p} {
		if got, err := Append(nil, v); err == nil {
			t.Errorf("a %s that holds itself is %.100s", name, got)
		}
	}
}

func FuzzAppendText(f *testing.F) {
	for _, seed := range []string{"plain", "ü", "\xff\xbf\xbf\xbf\xbf\xbf", "😀😀", "\u2028", "\xf0\x9f\x98", "\"\\\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for before := range min(len(s), piece) + 1 { // the cut falls into s everywhere
			text := strings.Repeat("x", piece-before) + s
			got, err := appendText(nil, text, Unlimited())
			if err != nil {
				t.Fatal(err)
			}
			if want := string(AppendString(nil, text)); string(got) != want {
				t.Fatalf("cut after %d bytes of %q: got %q, want %q", before, s, got[piece-before:], want[piece-before:])
			}
			if before > 100 {
				break
			}
		}
	})
}
