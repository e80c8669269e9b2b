package images_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/images"
)

// parsed are the pairs of a request.
func parsed(t *testing.T, sent string) images.Pairs {
	t.Helper()
	var ps images.Pairs
	if err := json.Unmarshal([]byte(sent), &ps); err != nil {
		t.Fatal(err)
	}
	return ps
}

// TestImages_References are URLs, http and https, and paths (§16).
func TestImages_References(t *testing.T) {
	for path, fits := range map[string]bool{
		"http://example.com/a.png": true, "https://example.com:8080/a.png?x=1&y=2#z": true, "HTTPS://example.com/a": true,
		"//example.com/a.png": true, "/srv/images/a b.png": true, "detailed/1/a.png": true, "a.png?at=10:30": true, "/a:b.png": true, "./a:b": true,
		"картина.png": true,

		"javascript:alert(1)": false, "JavaScript:alert(1)": false, "java\tscript:alert(1)": false, "java\nscript:alert(1)": false, "\x01javascript:alert(1)": false,
		"file:///etc/passwd": false, "FILE:/etc/passwd": false, "data:image/png;base64,AAAA": false, "ftp://example.com/a.png": false, "C:\\a.png": false, "c:/a.png": false,
		`\\server\a.png`: false, `http:\\example.com\a.png`: false, "http:/a.png": false, "http://": false, "https:a.png": false, "//": false, "http://[::1/a.png": false,
		strings.Repeat("a", images.MaxPath): true, strings.Repeat("a", images.MaxPath+1): false,
	} {
		for _, image := range []string{"image_path", "image_url", "absolute_path", "relative_path", "http_image_path", "https_image_path"} {
			p := parsed(t, fmt.Sprintf(`[{"icon": {%q: %q}}]`, image, strings.ReplaceAll(path, "\x01", "?")))
			if strings.Contains(path, "\x01") {
				p = images.Pairs{{Icon: images.Image{Path: path}}}
			}
			problem := p.Problem()
			if (problem == "") != fits {
				t.Errorf("%q as %s: %q", path, image, problem)
			}
			if fits && p[0].Icon.Path != path {
				t.Errorf("%q as %s is %q", path, image, p[0].Icon.Path)
			}
		}
		main := images.Pair{Detailed: images.Image{Path: path}}
		if problem := main.Problem(); (problem == "") != fits {
			t.Errorf("%q in Go: %q", path, problem)
		}
	}
}

// TestImages_ManyAreRefused: at most [images.MaxPairs] of one object (§16).
func TestImages_ManyAreRefused(t *testing.T) {
	for n, want := range map[int]string{
		images.MaxPairs: "", images.MaxPairs + 1: "must be at most 100 image pairs, not 101", 10_000: "must be at most 100 image pairs, not 10000",
	} {
		one := `{"detailed": {"image_path": "a.png"}},`
		ps := parsed(t, "["+strings.TrimSuffix(strings.Repeat(one, n), ",")+"]")
		if problem := ps.Problem(); problem != want {
			t.Errorf("%d: %q, want %q", n, problem, want)
		}
	}
	if problem := make(images.Pairs, images.MaxPairs+1).Problem(); problem == "" {
		t.Error("too many that Go code gives are taken")
	}
}

// TestImages_Wire: one pair is an object, pairs are an object by their ids, and neither
// is an empty array. URLs have both schemes.
func TestImages_Wire(t *testing.T) {
	image := func(more, path, alt, rest string) string {
		return `{` + more + `"image_path":"` + path + `","alt":"` + alt + `",` + rest + `}`
	}
	url := `"image_x":"0","image_y":"0","http_image_path":"http://example.com/a.png","https_image_path":"https://example.com/a.png","absolute_path":"","relative_path":"","is_high_res":false`
	absolute := `"image_x":"9","image_y":"8","http_image_path":"","https_image_path":"","absolute_path":"/a.png","relative_path":"","is_high_res":true`
	relative := `"image_x":"0","image_y":"0","http_image_path":"","https_image_path":"","absolute_path":"","relative_path":"a.png","is_high_res":false`
	on := images.Object{Type: "product", ID: 41}
	for _, c := range []struct {
		what string
		v    any
		want string
	}{
		{"no pair", images.Pair{}, `[]`},
		{"no pairs", images.Pairs{}, `[]`},
		{"a URL", images.Pair{PairID: 3, Detailed: images.Image{Path: "https://example.com/a.png", Alt: `<b>`}},
			`{"pair_id":"3","image_id":"0","detailed_id":"5","position":"0","detailed":` + image("", "https://example.com/a.png", "<b>", url) + `}`},
		{"a URL of either scheme", images.Pair{PairID: 3, Detailed: images.Image{Path: "//example.com/a.png"}},
			`{"pair_id":"3","image_id":"0","detailed_id":"5","position":"0","detailed":` + image("", "//example.com/a.png", "", url) + `}`},
		{"paths of an object", images.Pair{
			PairID: 3, Position: 7, Object: on,
			Detailed: images.Image{Path: "/a.png", Width: 9, Height: 8, HighRes: true}, Icon: images.Image{Path: "a.png"},
		},
			`{"pair_id":"3","image_id":"6","detailed_id":"5","position":"7","object_id":"41","object_type":"product","detailed":` +
				image(`"object_id":"41","object_type":"product","type":"M",`, "/a.png", "", absolute) + `,"icon":` +
				image(`"object_id":"41","object_type":"product","type":"M",`, "a.png", "", relative) + `}`},
		{"pairs", images.Pairs{{PairID: 4, Object: on, Icon: images.Image{Path: "a.png"}}, {PairID: 3, Position: 1, Icon: images.Image{Path: "a.png"}}},
			`{"4":{"pair_id":"4","image_id":"8","detailed_id":"0","position":"0","object_id":"41","object_type":"product","icon":` +
				image(`"object_id":"41","object_type":"product","type":"A",`, "a.png", "", relative) +
				`},"3":{"pair_id":"3","image_id":"6","detailed_id":"0","position":"1","icon":` + image("", "a.png", "", relative) + `}}`},
	} {
		got, err := c.v.(interface{ AppendJSON([]byte) ([]byte, error) }).AppendJSON(nil)
		if err != nil || string(got) != c.want {
			t.Errorf("%s is written %s (%v), want\n%s", c.what, got, err, c.want)
		}
	}
}

// TestImages_EqualPairsKeepTheirIDs, in whatever order, and others get new ones (§16).
func TestImages_EqualPairsKeepTheirIDs(t *testing.T) {
	pair := func(id, position int64, path, alt string) images.Pair {
		return images.Pair{PairID: id, Position: position, Icon: images.Image{Path: path, Alt: alt}}
	}
	before := images.Pairs{pair(5, 0, "a.png", ""), pair(6, 0, "a.png", ""), pair(7, 1, "b.png", "b")}
	after := images.Pairs{pair(0, 1, "b.png", "b"), pair(9, 0, "a.png", ""), pair(5, 0, "a.png", "new"), pair(0, 0, "a.png", ""), pair(0, 0, "a.png", "")}
	after.Keep(before)
	for i, want := range []int64{7, 5, 0, 6, 0} {
		if after[i].PairID != want {
			t.Errorf("pair %d has the id %d, want %d", i, after[i].PairID, want)
		}
	}
}

// TestImages_ColumnsHavePairs and nothing else.
func TestImages_ColumnsHavePairs(t *testing.T) {
	for _, column := range []string{`{"detailed":{"image_path":"x.jpg"}}`, `5`, `["a"]`, `[{"id":5}]`, `{`} {
		var p images.Pair
		var ps images.Pairs
		if err := p.UnmarshalText([]byte(column)); err == nil {
			t.Errorf("a pair is read from the column %s", column)
		}
		if err := ps.UnmarshalText([]byte(column)); err == nil {
			t.Errorf("pairs are read from the column %s", column)
		}
	}
}

// TestImages_InvalidIsRefused, also where Go code puts a pair there.
func TestImages_InvalidIsRefused(t *testing.T) {
	for _, sent := range []string{`5`, `{"detailed":{"image_path":"a.png"}}`} {
		p := images.Pair{Invalid: sent}
		if p.Problem() == "" || (images.Pairs{p}).Problem() == "" {
			t.Errorf("%s is not refused", sent)
		}
	}
}

// The JSON of a pair has at most 64 KiB.
func TestImages_LongPairsAreRefused(t *testing.T) {
	const rest = `{"detailed":{"image_path":"a.png","unknown":""}}`
	for size, refused := range map[int]bool{64 << 10: false, 64<<10 + 1: true} {
		var p images.Pair
		text := strings.Replace(rest, `""`, `"`+strings.Repeat("x", size-len(rest))+`"`, 1)
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		p.Normalize()
		if problem := p.Problem(); strings.Contains(problem, "65536 bytes") != refused {
			t.Errorf("a pair of %d bytes: %q", size, problem)
		}
	}
}

// FuzzImages reads any JSON as a request and as a column: accepted images are stored,
// returned and read again unchanged.
func FuzzImages(f *testing.F) {
	for _, s := range []string{
		`[]`, `{}`, `null`, `""`, `7`, `{"detailed":{"image_path":"a.png","image_x":"5"},"icon":{"relative_path":"b"},"position":3}`,
		`[{"icon":{"image_url":"https://example.com/\u003cb>"}},{"detailed":{"image_path":"//x/y"}}]`, `{"a":{"detailed":{"alt":"\u0000","image_path":"x"}}}`,
		`[{"id":5,"detailed":{"path":"a.png","width":-1}}]`, `[{"id":1,"position":2,"detailed":{"path":"a?b=1\u0026c","alt":"\"ü\"","width":3,"height":4,"high_res":true},"icon":{"path":"b"}},{"id":2,"icon":{"path":"c"}}]`,
		`[{"id":01,"icon":{"path":"a"}}]`, `[{"id":1}]`, `[{"id":1,"icon":{"path":"a","width":-0}},]`, "[{\"id\":1,\"icon\":{\"path\":\"\xff\"}}]", `[{"id":1e1,"icon":{"path":"\ud800"}}]`, `{"detailed":{"image_path":"javascript:x"}}`, `[[1]]`, `{`, `{"detailed":[],"icon":null}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var column images.Pairs
		err := column.UnmarshalText([]byte(s))
		var spaced bytes.Buffer
		if json.Indent(&spaced, []byte(s), " ", " ") == nil {
			var other images.Pairs
			otherErr := other.UnmarshalText(spaced.Bytes())
			if (err == nil) != (otherErr == nil) || fmt.Sprint(column) != fmt.Sprint(other) {
				t.Errorf("the column %s is %+v, %v, and with white space %+v, %v", s, column, err, other, otherErr)
			}
		}
		var sent images.Pair
		if json.Unmarshal([]byte(s), &sent) == nil && sent.Invalid == "" {
			hold(t, images.Pairs{sent})
		}
		var list images.Pairs
		if json.Unmarshal([]byte(s), &list) == nil && (len(list) != 1 || list[0].Invalid == "") {
			hold(t, list)
		}
	})
}

// hold checks pairs that a request sent.
func hold(t *testing.T, ps images.Pairs) {
	t.Helper()
	ps.Normalize()
	if problem := ps.Problem(); problem != "" {
		t.Fatalf("%+v was taken: %s", ps, problem)
	}
	for i := range ps {
		ps[i].PairID = int64(i + 1)
	}
	text, err := ps.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var read images.Pairs
	if err := read.UnmarshalText(text); err != nil || fmt.Sprint(read) != fmt.Sprint(ps) {
		t.Errorf("%+v is stored as %s, and read as %+v", ps, text, read)
	}
	answer, err := ps.MarshalJSON()
	if err != nil || !json.Valid(answer) {
		t.Fatalf("%+v is answered %s, %v", ps, answer, err)
	}
	var again images.Pairs
	if err := json.Unmarshal(answer, &again); err != nil {
		t.Fatal(err)
	}
	again.Keep(ps)
	if fmt.Sprint(again) != fmt.Sprint(ps) {
		t.Errorf("%+v is answered %s, which is taken as %+v", ps, answer, again)
	}
}
