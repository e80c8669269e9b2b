package images

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/wire"
)

const (
	wantPair  = "must be an image pair: an object with the objects detailed or icon"
	wantPairs = "must be an object, or an array, of image pairs: objects with the objects detailed or icon"
)

// maxPairBytes is the size of the JSON of a pair: more than its references and texts may have.
const maxPairBytes = 64 << 10

var tooLong = "must have at most " + strconv.Itoa(maxPairBytes) + " bytes"

// A sentImage is an image in a request. The first non-empty reference counts.
type sentImage struct {
	ImagePath      string       `json:"image_path"`
	ImageURL       string       `json:"image_url"`
	HTTPSImagePath string       `json:"https_image_path"`
	HTTPImagePath  string       `json:"http_image_path"`
	AbsolutePath   string       `json:"absolute_path"`
	RelativePath   string       `json:"relative_path"`
	Alt            string       `json:"alt"`
	Width          int64        `json:"image_x"`
	Height         int64        `json:"image_y"`
	HighRes        shopapi.Flag `json:"is_high_res"`
}

// images are the two of a pair by their names in requests, in a fixed order.
func (p *Pair) images() iter.Seq2[string, *Image] {
	return func(yield func(string, *Image) bool) {
		_ = yield("detailed", &p.Detailed) && yield("icon", &p.Icon)
	}
}

// A pairBody is a pair in a payload.
type pairBody struct {
	Position int64     `json:"position"` // among the pairs of an object
	Detailed sentImage `json:"detailed"` // the full size
	Icon     sentImage `json:"icon"`     // the thumbnail
}

// PayloadForms implements [shopapi.PayloadFormer].
func (Pair) PayloadForms() []any { return []any{pairBody{}} }

// PayloadForms implements [shopapi.PayloadFormer]: a list of pairs, or one pair.
func (Pairs) PayloadForms() []any { return []any{[]pairBody{}, pairBody{}} }

// UnmarshalJSON reads a pair as a request writes it. Null, the empty text, the empty
// array and objects without an image are none. It reads any JSON: see [Pair.Invalid].
func (p *Pair) UnmarshalJSON(data []byte) error {
	parsed, problem := parsePair(data, 0)
	if problem != "" {
		parsed = Pair{Invalid: document(data)}
	}
	*p = parsed
	return nil
}

// UnmarshalJSON reads pairs as a request writes them: an object by ids or other names,
// or an array. It reads any JSON, as that of Pair does.
func (ps *Pairs) UnmarshalJSON(data []byte) error {
	parsed, problem := parsePairs(data)
	if problem != "" {
		parsed = Pairs{{Invalid: document(data)}}
	}
	*ps = parsed
	return nil
}

// document returns JSON without white space.
func document(data []byte) string {
	text, err := wire.Compact(data)
	if err != nil {
		return string(data)
	}
	return text
}

// parsePair reads a pair. position is its default position. The problem describes an
// invalid pair.
func parsePair(raw json.RawMessage, position int64) (p Pair, problem string) {
	if wire.IsEmpty(raw) {
		return Pair{}, ""
	}
	if len(raw) > maxPairBytes {
		return Pair{}, tooLong
	}
	payload, err := shopapi.NewPayload(raw)
	if err != nil || !holdsImages(payload) {
		return Pair{}, wantPair
	}
	sent := struct {
		Position int64 `json:"position"`
	}{position}
	if err := (&shopapi.Request{Payload: payload}).Bind(&sent); err != nil {
		return Pair{}, words(err)
	}
	p.Position = sent.Position
	altAlone := false
	for name, image := range p.images() {
		var hasPath bool
		if *image, hasPath, problem = parseImage(payload.Raw(name)); problem != "" {
			return Pair{}, name + ": " + problem
		}
		altAlone = altAlone || image.Alt != "" && !hasPath
	}
	if altAlone && p.Detailed.Path == "" && p.Icon.Path == "" {
		return Pair{}, "must have an image_path beside alt: a pair that is sent replaces the old one"
	}
	p.Normalize()
	return p, p.Problem()
}

// holdsImages reports whether an object has the images of a pair, empty ones included.
func holdsImages(p *shopapi.Payload) bool { return p.Has("detailed") || p.Has("icon") }

// pathFields are the fields that may have the path of an image.
var pathFields = []string{"image_path", "image_url", "https_image_path", "http_image_path", "absolute_path", "relative_path"}

// parseImage reads an image. hasPath reports whether the request has a path for it; an empty path
// removes the image.
func parseImage(raw json.RawMessage) (image Image, hasPath bool, problem string) {
	if wire.IsEmpty(raw) {
		return Image{}, false, ""
	}
	payload, err := shopapi.NewPayload(raw)
	if err != nil {
		return Image{}, false, "must be an object with image_path"
	}
	var sent sentImage
	if err := (&shopapi.Request{Payload: payload}).Bind(&sent); err != nil {
		return Image{}, false, words(err)
	}
	path := cmp.Or(sent.ImagePath, sent.ImageURL, sent.HTTPSImagePath, sent.HTTPImagePath, sent.AbsolutePath, sent.RelativePath)
	image = Image{strings.TrimSpace(path), sent.Alt, sent.Width, sent.Height, bool(sent.HighRes)}
	return image, slices.ContainsFunc(pathFields, payload.Has), ""
}

// words returns the text of an error about fields as a part of a sentence.
func words(err error) string { return strings.TrimSuffix(err.Error(), ".") }

// parsePairs reads a list of pairs, or a single pair. A pair without a position gets its
// index in the list.
func parsePairs(raw json.RawMessage) (Pairs, string) {
	if wire.IsEmpty(raw) {
		return nil, ""
	}
	if payload, err := shopapi.NewPayload(raw); err == nil && holdsImages(payload) {
		p, problem := parsePair(raw, 0)
		ps := Pairs{p}
		ps.Normalize()
		return ps, problem
	}
	list, err := entries.Parse(raw)
	switch {
	case err != nil:
		return nil, wantPairs
	case len(list) > MaxPairs:
		return nil, tooMany(len(list))
	}
	ps := make(Pairs, len(list))
	for i := range list {
		var problem string
		if ps[i], problem = parsePair(list[i].Value, int64(i)); problem != "" {
			return nil, "[" + list[i].Key + "]: " + problem
		}
	}
	ps.Normalize()
	return ps, ""
}
