package variantlist

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/entries"
)

// A Sent is a variant in the field variants of a payload.
type Sent struct {
	*entries.Entry
	request *shopapi.Request
}

// Refuse returns the error for a problem of the variant.
func (s *Sent) Refuse(problem string) error {
	return shopapi.Invalid("variants", "[%s]: %s", s.Key, problem)
}

// Payload returns the fields of a variant. It fails for a value that is not an object.
func (s *Sent) Payload() (*shopapi.Payload, error) {
	if s.request == nil {
		payload, err := shopapi.NewPayload(s.Value)
		if err != nil {
			return nil, err
		}
		s.request = &shopapi.Request{Payload: payload}
	}
	return s.request.Payload, nil
}

// Parse reads an object of variants, or an array, with at most so many. noList is the error for
// other values.
func Parse(raw json.RawMessage, most int, noList error) ([]Sent, error) {
	list, err := entries.ParseMost(raw, most)
	switch {
	case errors.Is(err, entries.ErrTooMany):
		return nil, fmt.Errorf("must be at most %d", most)
	case err != nil:
		return nil, noList
	}
	sent := make([]Sent, len(list))
	for i := range list {
		sent[i].Entry = &list[i]
	}
	return sent, nil
}

// Images are the images that a payload gives variants. Values that are not objects have none.
func Images(list []Sent) (all images.Pairs) {
	for i := range list {
		if payload, err := list[i].Payload(); err == nil {
			all = append(all, images.Sent(payload, "image_pair")...)
		}
	}
	return all
}

// A Layer lays the variants of a payload over the variants of an object.
type Layer[T any] struct {
	*Kind[T]
	NoObject error                      // the problem of variants that are not objects
	KeyID    func(*entries.Entry) int64 // the id that a key is, 0 for none

	// Finish completes a variant and returns its problem, "" for none. had is what the variant
	// was. It may be nil.
	Finish func(s *Sent, v, had *T) (problem string, err error)
}

// LayOver lays the variants of a payload over had, the variants of an object. Ids are
// ignored for a new object.
func (l *Layer[T]) LayOver(list []Sent, had []T, isNew bool) ([]T, error) {
	known, named := l.ByID(had), make(map[int64]bool, len(list))
	all := make([]T, 0, len(list))
	for i := range list {
		s := &list[i]
		var v T
		if !isNew {
			id, err := l.ID(s, known)
			if err != nil {
				return had, err
			}
			if old := known[id]; old != nil {
				v = *old
			}
			if id != 0 && named[id] {
				return had, s.Refuse("the variant " + shopapi.FormatID(id) + " is named twice")
			}
			named[id] = true
		}
		if err := l.Bind(s, &v); err != nil {
			return had, err
		}
		all = append(all, v)
	}
	return all, nil
}

// Bind lays a variant of a payload over a variant.
func (l *Layer[T]) Bind(s *Sent, v *T) error {
	had := *v
	if _, err := s.Payload(); err != nil {
		return shopapi.Invalid("variants", "%s", l.NoObject)
	}
	if err := s.request.Bind(v); err != nil {
		return s.Refuse(Words(err))
	}
	if l.Finish == nil {
		return nil
	}
	problem, err := l.Finish(s, v, &had)
	if err == nil && problem != "" {
		err = s.Refuse(problem)
	}
	return err
}

// ID returns the id that a variant of a payload has: its variant_id, or its key in an object
// where that is the id of a known variant. It is 0 for a new one.
func (l *Layer[T]) ID(s *Sent, known map[int64]*T) (int64, error) {
	if _, err := s.Payload(); err != nil {
		return 0, shopapi.Invalid("variants", "%s", l.NoObject)
	}
	var named struct {
		ID int64 `json:"variant_id"`
	}
	if err := s.request.Bind(&named); err != nil {
		return 0, s.Refuse(Words(err))
	}
	if named.ID != 0 && known[named.ID] == nil {
		return 0, s.Refuse("variant_id must be the id of a variant of the " + l.Owner + ", or left out for a new one")
	}
	if id := l.KeyID(s.Entry); named.ID == 0 && known[id] != nil {
		return id, nil
	}
	return named.ID, nil
}

// Words returns the text of an error about fields as a part of a sentence, "" for no error.
func Words(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimSuffix(err.Error(), ".")
}
