package images

import (
	"encoding/json"
	"errors"
)

// A pair and pairs are both stored as an array of pairs.

// none is the column of an object without images.
const none = "[]"

var errColumn = errors.New("images: the column has no image pairs")

type storedPair struct {
	ID       int64        `json:"id"`
	Position int64        `json:"position,omitempty"`
	Detailed *storedImage `json:"detailed,omitempty"`
	Icon     *storedImage `json:"icon,omitempty"`
}

type storedImage struct {
	Path    string `json:"path"`
	Alt     string `json:"alt,omitempty"`
	Width   int64  `json:"width,omitempty"`
	Height  int64  `json:"height,omitempty"`
	HighRes bool   `json:"high_res,omitempty"`
}

func (i *Image) stored() *storedImage {
	if i.Path == "" {
		return nil
	}
	return (*storedImage)(i)
}

func (i *storedImage) image() Image {
	if i == nil {
		return Image{}
	}
	return Image(*i)
}

// MarshalText returns the column of a pair.
func (p Pair) MarshalText() ([]byte, error) {
	if p.IsZero() {
		return []byte(none), nil
	}
	return Pairs{p}.MarshalText()
}

// MarshalText returns the column of pairs.
func (ps Pairs) MarshalText() ([]byte, error) {
	list := make([]storedPair, len(ps))
	for i := range ps {
		p := &ps[i]
		list[i] = storedPair{p.PairID, p.Position, p.Detailed.stored(), p.Icon.stored()}
	}
	return json.Marshal(list)
}

// UnmarshalText reads a column.
func (p *Pair) UnmarshalText(text []byte) error {
	var ps Pairs
	if err := ps.UnmarshalText(text); err != nil {
		return err
	}
	switch len(ps) {
	case 0:
		*p = Pair{}
	case 1:
		*p = ps[0]
	default:
		return errColumn
	}
	return nil
}

// UnmarshalText reads a column. Any other text is an error.
func (ps *Pairs) UnmarshalText(text []byte) error {
	*ps = nil
	if len(text) == 0 || string(text) == none {
		return nil
	}
	if *ps = readStored(text); *ps == nil {
		return errColumn
	}
	return nil
}

// readStored reads what MarshalText wrote. It returns nil for anything else.
func readStored(text []byte) Pairs {
	ps, ok := scanStored(string(text))
	if !ok {
		var list []storedPair
		if json.Unmarshal(text, &list) != nil {
			return nil
		}
		ps = make(Pairs, len(list))
		for i := range list {
			s := &list[i]
			ps[i] = Pair{PairID: s.ID, Position: s.Position, Detailed: s.Detailed.image(), Icon: s.Icon.image()}
		}
	}
	for i := range ps {
		if ps[i].IsZero() {
			return nil
		}
	}
	return ps
}
