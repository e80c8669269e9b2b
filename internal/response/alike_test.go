package response_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/response"
)

var isJSON = response.NewField("Content-Type", "application/json")

func tagged(body string) *response.Response {
	r := response.New(http.StatusOK, isJSON, []byte(body))
	r.Tag()
	return r
}

func object(id int) string {
	return fmt.Sprintf(`{"page_id": "%d", "page": "Page %d", "status": "A", "description": %q}`, id, id*7, strings.Repeat("Words of all pages. ", 20))
}

// TestAlike_Pack: a packed response is the same when it is unpacked, whatever it is.
func TestAlike_Pack(t *testing.T) {
	other := func(change func(r *response.Response)) *response.Response {
		r := tagged(object(5))
		change(r)
		return r
	}
	random := make([]byte, 3000)
	for i := range random {
		random[i] = byte(i * i * 31 / 7)
	}
	var alike response.Alike
	if _, ok := alike.Pack(nil, tagged("{}")); ok || alike.FirstLen() != 0 {
		t.Error("a body that is too short to resemble is the first")
	}
	alike.Pack(nil, tagged(object(0)))
	if n := alike.FirstLen(); n != len(object(0)) {
		t.Errorf("the first body has %d bytes, want %d", n, len(object(0)))
	}
	for name, r := range map[string]*response.Response{
		"an object":            tagged(object(1)),
		"another":              tagged(object(2)),
		"a list":               tagged("[" + strings.Repeat(object(3)+",", 500) + object(4) + "]"),
		"a short body":         tagged("{}"),
		"random bytes":         tagged(string(random)),
		"8 KiB":                tagged((strings.Repeat(object(3), 50))[:8<<10]),
		"a byte more":          tagged((strings.Repeat(object(3), 50))[:8<<10+1]),
		"another name":         other(func(r *response.Response) { r.Fields[0].Name = "X-Cache-Control" }),
		"two values":           other(func(r *response.Response) { r.Fields[0].Values = append(r.Fields[0].Values[:1:1], "no-store") }),
		"no body":              response.Empty(http.StatusOK),
		"no tag":               response.New(http.StatusOK, isJSON, []byte(object(5))),
		"another content type": response.New(http.StatusOK, response.NewField("Content-Type", "text/plain"), []byte(object(5))),
		"another status":       other(func(r *response.Response) { r.Status = http.StatusCreated }),
		"another tag":          other(func(r *response.Response) { r.ETag, r.Fields[4].Values[0] = `"0"`, `"0"` }),
		"a tag of capitals": other(func(r *response.Response) {
			r.ETag = strings.ToUpper(r.ETag)
			r.Fields[4].Values[0] = r.ETag
		}),
		"a further header": other(func(r *response.Response) { r.Add("X-Total-Count", "5") }),
		"a stream":         other(func(r *response.Response) { r.Stream = func(io.Writer) error { return nil } }),
		"other caching":    other(func(r *response.Response) { r.Fields[0] = response.NewField("Cache-Control", "no-store") }),
	} {
		packed, ok := alike.Pack([]byte("before "), r)
		if after, begins := bytes.CutPrefix(packed, []byte("before ")); begins {
			packed = after
		} else {
			t.Errorf("%s overwrites the buffer", name)
		}
		if usual := slices.Contains([]string{"an object", "another", "a list", "a short body", "random bytes", "8 KiB", "a byte more"}, name); ok != usual {
			t.Errorf("%s is packed: %v, want %v", name, ok, usual)
		}
		if !ok {
			continue
		}
		if got, ok := alike.Unpack(packed); !ok || !cmp.Equal(r, got) {
			t.Errorf("%s is not the same (-before +after), %v:\n%s", name, ok, cmp.Diff(r, got))
		}
		if len(packed) > len(r.Body)+30 {
			t.Errorf("%s has %d bytes packed, and a body of %d", name, len(packed), len(r.Body))
		}
		if _, ok := alike.Unpack(packed[:len(packed)-1]); ok {
			t.Errorf("%s is unpacked when the last byte is missing", name)
		}
		if _, ok := alike.Unpack(packed[:16]); ok {
			t.Errorf("%s is unpacked when the body is missing", name)
		}
	}
}

// TestAlike_Size: a response that resembles the first one has a tenth of its bytes.
func TestAlike_Size(t *testing.T) {
	var alike response.Alike
	for id := range 10 {
		r := tagged(object(id))
		if packed, ok := alike.Pack(nil, r); !ok || len(packed) > len(r.Body)/8 {
			t.Errorf("page %d has %d bytes packed (%v), and %d before", id, len(packed), ok, len(r.Body))
		}
	}
}

func FuzzAlike(f *testing.F) {
	f.Add(object(1), object(2))
	f.Add("{}", object(1))
	f.Add(strings.Repeat(object(3), 50), "")
	f.Fuzz(func(t *testing.T, first, second string) {
		var alike response.Alike
		for _, body := range []string{first, second, first + second, strings.Repeat(second, 9)} {
			r := tagged(body)
			packed, ok := alike.Pack(nil, r)
			if !ok {
				continue
			}
			if got, ok := alike.Unpack(packed); !ok || string(got.Body) != body || got.ETag != r.ETag {
				t.Errorf("after %q, %q is unpacked as %q, %v", first, body, got.Body, ok)
			}
		}
	})
}

// BenchmarkAlike packs and unpacks an object and a list. It reports how much shorter they are
// packed.
func BenchmarkAlike(b *testing.B) {
	var list strings.Builder
	for id := range 100 {
		list.WriteString(object(id))
	}
	for name, body := range map[string]string{"object": object(5), "list of 100": list.String()} {
		var alike response.Alike
		alike.Pack(nil, tagged(object(1)))
		r := tagged(body)
		packed, _ := alike.Pack(nil, r)
		b.Run(name+"/pack", func(b *testing.B) {
			for b.Loop() {
				alike.Pack(nil, r)
			}
			b.ReportMetric(float64(len(body))/float64(len(packed)), "times-shorter")
		})
		b.Run(name+"/unpack", func(b *testing.B) {
			for b.Loop() {
				alike.Unpack(packed)
			}
		})
	}
}
