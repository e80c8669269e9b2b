package images

import (
	"reflect"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsonenc"
)

// A wirePair is an image pair as it is answered.
type wirePair struct {
	PairID     int64      `json:"pair_id,string"`
	ImageID    int64      `json:"image_id,string"` // of the icon, 0 for none
	DetailedID int64      `json:"detailed_id,string"`
	Position   int64      `json:"position,string"`
	ObjectID   int64      `json:"object_id,string,omitempty"`
	ObjectType string     `json:"object_type,omitempty"`
	Detailed   *wireImage `json:"detailed,omitempty"`
	Icon       *wireImage `json:"icon,omitempty"`
}

// A wireImage is an image as it is answered.
type wireImage struct {
	ObjectID       int64  `json:"object_id,string,omitempty"`
	ObjectType     string `json:"object_type,omitempty"`
	Type           string `json:"type,omitempty"` // M of the main pair, A of a further one
	ImagePath      string `json:"image_path"`
	Alt            string `json:"alt"`
	Width          int64  `json:"image_x,string"`
	Height         int64  `json:"image_y,string"`
	HTTPImagePath  string `json:"http_image_path"`
	HTTPSImagePath string `json:"https_image_path"`
	AbsolutePath   string `json:"absolute_path"`
	RelativePath   string `json:"relative_path"`
	IsHighRes      bool   `json:"is_high_res"`
}

// The types of images.
const (
	mainType       = "M"
	additionalType = "A"
)

// WireType is the struct that a pair is written as, for descriptions of the API.
func WireType() reflect.Type { return reflect.TypeFor[wirePair]() }

// MarshalJSON writes a pair as an object, or an empty array.
func (p Pair) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (p Pair) AppendJSON(dst []byte) ([]byte, error) {
	if p.IsZero() {
		return append(dst, none...), nil
	}
	return jsonenc.Append(dst, p.wire(mainType))
}

// MarshalJSON writes pairs as an object by their ids, or an empty array.
func (ps Pairs) MarshalJSON() ([]byte, error) { return ps.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (ps Pairs) AppendJSON(dst []byte) ([]byte, error) {
	if len(ps) == 0 {
		return append(dst, none...), nil
	}
	object := make(shopapi.Map, len(ps))
	for i := range ps {
		object[i] = shopapi.Member{Name: shopapi.FormatID(ps[i].PairID), Value: ps[i].wire(additionalType)}
	}
	return object.AppendJSON(dst)
}

func (p *Pair) wire(kind string) *wirePair {
	return &wirePair{
		PairID: p.PairID, ImageID: p.IconID(), DetailedID: p.DetailedID(), Position: p.Position,
		ObjectID: p.Object.ID, ObjectType: p.Object.Type,
		Detailed: p.wireImage(&p.Detailed, kind), Icon: p.wireImage(&p.Icon, kind),
	}
}

func (p *Pair) wireImage(i *Image, kind string) *wireImage {
	if i.Path == "" {
		return nil
	}
	w := &wireImage{ImagePath: i.Path, Alt: i.Alt, Width: i.Width, Height: i.Height, IsHighRes: i.HighRes}
	if p.Object.Type != "" {
		w.ObjectID, w.ObjectType, w.Type = p.Object.ID, p.Object.Type, kind
	}
	switch place, isURL := afterScheme(i.Path); {
	case isURL:
		w.HTTPImagePath, w.HTTPSImagePath = withScheme("http:", place, i.Path), withScheme("https:", place, i.Path)
	case i.Path[0] == '/':
		w.AbsolutePath = i.Path
	default:
		w.RelativePath = i.Path
	}
	return w
}

// withScheme is the URL of a place with a scheme: path where it has that already.
func withScheme(scheme, place, path string) string {
	if strings.HasPrefix(path, scheme) {
		return path
	}
	return scheme + place
}

// afterScheme returns the part of a URL after its scheme, from the slashes on. isURL is
// false for a path.
func afterScheme(path string) (place string, isURL bool) {
	if strings.HasPrefix(path, "//") {
		return path, true
	}
	scheme, place, found := strings.Cut(path, ":")
	return place, found && strings.HasPrefix(place, "//") && !strings.Contains(scheme, "/")
}
