package images

import (
	"cmp"
	"slices"
)

// A Pair is an image of an object in two sizes, either of which may be missing. The
// zero Pair is none.
type Pair struct {
	PairID   int64 // given by the library; 0 for none, and until the pair is stored
	Position int64 // among the further pairs of an object
	Detailed Image // in its full size
	Icon     Image // its thumbnail

	// Object is the object that has the pair. Reads set it; it is not stored.
	Object Object

	// Invalid is the JSON that a request sent in place of an image pair. Pair.Check
	// refuses it, so it is never stored.
	Invalid string
}

// Pairs are the further images of an object, by position.
type Pairs []Pair

// An Image is one picture. It is missing where it has no Path.
type Image struct {
	Path    string // a URL, http or https, or a path
	Alt     string // what it shows, in words
	Width   int64  // pixels; 0 if unknown
	Height  int64
	HighRes bool // is_high_res
}

// An Object is what an image pair belongs to.
type Object struct {
	Type string // such as product; "" where the wire does not name it
	ID   int64
}

// DetailedID is the id of the detailed image, or 0.
func (p *Pair) DetailedID() int64 { return p.imageID(&p.Detailed, 2*p.PairID-1) }

// IconID is the id of the thumbnail, which the interface calls image_id, 0 where there
// is none.
func (p *Pair) IconID() int64 { return p.imageID(&p.Icon, 2*p.PairID) }

func (p *Pair) imageID(image *Image, id int64) int64 {
	if image.Path == "" || p.PairID == 0 {
		return 0
	}
	return id
}

// IsZero reports whether there is no image.
func (p *Pair) IsZero() bool {
	return p.Detailed.Path == "" && p.Icon.Path == "" && p.Invalid == ""
}

// sameAs reports whether two pairs differ in their id at most.
func (p *Pair) sameAs(q *Pair) bool {
	a, b := *p, *q
	a.PairID, b.PairID, a.Object, b.Object = 0, 0, Object{}, Object{}
	return a == b
}

// Normalize brings a pair into the form in which it is stored.
func (p *Pair) Normalize() {
	for _, image := range []*Image{&p.Detailed, &p.Icon} {
		if image.Path == "" {
			*image = Image{}
		}
	}
	if p.IsZero() {
		*p = Pair{}
	}
}

// Normalize sorts pairs, and drops pairs without an image.
func (ps *Pairs) Normalize() {
	for i := range *ps {
		(*ps)[i].Normalize()
	}
	*ps = slices.DeleteFunc(*ps, func(p Pair) bool { return p.IsZero() })
	slices.SortStableFunc(*ps, func(a, b Pair) int { return cmp.Compare(a.Position, b.Position) })
}

// Keep gives a pair the id of its predecessor if the two are equal, and no id otherwise.
func (p *Pair) Keep(before Pair) {
	p.PairID = 0
	if p.sameAs(&before) {
		p.PairID = before.PairID
	}
}

// Keep gives each pair the id of an equal pair in before, or no id.
func (ps Pairs) Keep(before Pairs) {
	left := slices.Clone(before)
	for i := range ps {
		ps[i].PairID = 0
		if same := slices.IndexFunc(left, func(p Pair) bool { return p.sameAs(&ps[i]) }); same >= 0 {
			ps[i].PairID = left[same].PairID
			left = slices.Delete(left, same, same+1)
		}
	}
}

// ShownOn says which object a pair is shown on.
func (p *Pair) ShownOn(object Object) {
	if !p.IsZero() && p.Invalid == "" {
		p.Object = object
	}
}

// ShownOn says which object pairs are shown on.
func (ps Pairs) ShownOn(object Object) {
	for i := range ps {
		ps[i].ShownOn(object)
	}
}
