package images

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scanStored reads a column as MarshalText writes it, without the cost of encoding/json:
// the members of storedPair and storedImage in their order, without white space. ok is
// false for anything else, which may still be pairs.
func scanStored(text string) (ps Pairs, ok bool) {
	s := scanner{text}
	if !s.skip("[") {
		return nil, false
	}
	ps = make(Pairs, 0, 1)
	for {
		ps = append(ps, Pair{})
		if !s.pair(&ps[len(ps)-1]) {
			return nil, false
		}
		if !s.skip(",") {
			return ps, s.rest == "]"
		}
	}
}

// A scanner reads a column from its beginning. Its methods report false at what
// MarshalText does not write.
type scanner struct{ rest string }

// skip passes over a token, where it comes next.
func (s *scanner) skip(token string) (found bool) {
	s.rest, found = strings.CutPrefix(s.rest, token)
	return found
}

func (s *scanner) pair(p *Pair) bool {
	return s.skip(`{"id":`) && s.number(&p.PairID) &&
		(!s.skip(`,"position":`) || s.number(&p.Position)) &&
		(!s.skip(`,"detailed":`) || s.image(&p.Detailed)) &&
		(!s.skip(`,"icon":`) || s.image(&p.Icon)) && s.skip("}")
}

func (s *scanner) image(i *Image) bool {
	ok := s.skip(`{"path":`) && s.text(&i.Path) &&
		(!s.skip(`,"alt":`) || s.text(&i.Alt)) &&
		(!s.skip(`,"width":`) || s.number(&i.Width)) &&
		(!s.skip(`,"height":`) || s.number(&i.Height))
	i.HighRes = s.skip(`,"high_res":true`)
	return ok && s.skip("}")
}

func (s *scanner) number(n *int64) bool {
	end := strings.IndexAny(s.rest, ",}")
	if end < 0 {
		return false
	}
	var err error
	*n, err = strconv.ParseInt(s.rest[:end], 10, 64)
	written := err == nil && strconv.FormatInt(*n, 10) == s.rest[:end]
	s.rest = s.rest[end:]
	return written
}

func (s *scanner) text(t *string) bool {
	if !strings.HasPrefix(s.rest, `"`) {
		return false
	}
	escaped := false
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return false
		case c == '"':
			quoted := s.rest[:i+1]
			s.rest = s.rest[i+1:]
			if escaped {
				return json.Unmarshal([]byte(quoted), t) == nil
			}
			*t = quoted[1:i]
			return utf8.ValidString(*t)
		}
	}
	return false
}
