package discussions

import (
	"bytes"
	"errors"
	"strconv"
)

// A Rating is a number of stars from 1 to 5, or 0 for none (decisions §10). The wire
// form is a text, empty for none.
type Rating int64

// NoRating is the rating of a post without stars.
const NoRating Rating = 0

// MaxRating is the best rating.
const MaxRating Rating = 5

// String returns "1" to "5", or "" for none.
func (r Rating) String() string {
	if r == NoRating {
		return ""
	}
	return strconv.FormatInt(int64(r), 10)
}

// MarshalText returns the text of String.
func (r Rating) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// PayloadForms implements [shopapi.PayloadFormer].
func (Rating) PayloadForms() []any { return []any{int64(0)} }

// UnmarshalJSON reads a number or a text from 1 to 5, or the empty text. It refuses 0.
func (r *Rating) UnmarshalJSON(data []byte) error {
	text := data
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	switch {
	case len(text) == 0 || bytes.Equal(data, []byte("null")):
		*r = NoRating
	case len(text) == 1 && '1' <= text[0] && text[0] <= '5':
		*r = Rating(text[0] - '0')
	default:
		return errNoRating
	}
	return nil
}

var errNoRating = errors.New(`must be a whole number from 1 to 5, or "" for none`)
