package route

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/plain"
)

// codePrefix begins a segment of an address that is a code.
const codePrefix = "code:"

// MaxSame is how many ids the 409 names where several objects have a code.
const MaxSame = 10

// Coded is what codes in addresses depend on of an entity.
type Coded interface {
	// FieldOfCode is the field that has the code, "" where objects have no codes.
	FieldOfCode() string

	// FindCode returns the ids of the objects with a code.
	FindCode(ctx context.Context, code string) (ids []string, err error)
}

// A Step is an object, or an entity, on the way of an address.
type Step[E Entity] struct {
	Entry E
	ID    string // "" for the entity's own address
	Code  string // used instead of the id; may be ""
}

// TakeCodes finds the codes in the address. escaped says that they are still
// percent-encoded, as within the parameter _d. Literal segments are never read as codes.
func (t *Target[E]) TakeCodes(escaped bool, literal []bool) error {
	for i := range t.Parents {
		if 2*i+1 < len(literal) && literal[2*i+1] {
			continue
		}
		if err := t.Parents[i].takeCode(escaped); err != nil {
			return err
		}
	}
	if at := 2*len(t.Parents) + 1; at < len(literal) && literal[at] {
		return nil
	}
	return t.takeCode(escaped)
}

func (s *Step[E]) takeCode(escaped bool) (err error) {
	code, ok := strings.CutPrefix(s.ID, codePrefix)
	if !ok || s.Entry.FieldOfCode() == "" {
		return nil
	}
	if escaped {
		if code, err = url.PathUnescape(code); err != nil || !plain.IsText(code) {
			return s.noSuchCode(s.ID)
		}
	}
	if code == "" {
		return s.noSuchCode(code)
	}
	s.Code = code
	return nil
}

func (s *Step[E]) noSuchCode(code string) error {
	_, err := IDOfCode(s.Entry.Segment(), s.Entry.FieldOfCode(), code, nil)
	return err
}

// ByCode returns the first entity of an address that names its object by a code. ok is false
// for an address without codes.
func (t *Target[E]) ByCode() (e E, ok bool) {
	for _, step := range t.Parents {
		if step.Code != "" {
			return step.Entry, true
		}
	}
	return t.Entry, t.Code != ""
}

// Found returns the target with the ids of the objects that have its codes. Parents do
// not narrow the search.
func (t *Target[E]) Found(ctx context.Context) (Target[E], error) {
	r := *t
	r.Parents = slices.Clone(t.Parents)
	for i := range r.Parents {
		if err := r.Parents[i].find(ctx); err != nil {
			return r, err
		}
	}
	return r, r.find(ctx)
}

func (s *Step[E]) find(ctx context.Context) error {
	if s.Code == "" {
		return nil
	}
	ids, err := s.Entry.FindCode(ctx, s.Code)
	if err != nil {
		return err
	}
	if s.ID, err = IDOfCode(s.Entry.Segment(), s.Entry.FieldOfCode(), s.Code, ids); err != nil {
		return err
	}
	s.Code = ""
	return nil
}

// IDOfCode returns the id of the object with a code: the only one of ids. It returns a 404
// where there is none, and a 409 where several objects of the entity have the code.
func IDOfCode(entity, field, code string, ids []string) (string, error) {
	switch len(ids) {
	case 0:
		return "", clienterror.Errorf(http.StatusNotFound, "No object of %s has the %s %s.", entity, field, plain.Quoted(code))
	case 1:
		return ids[0], nil
	}
	more := ""
	if len(ids) > MaxSame {
		ids, more = ids[:MaxSame], " and others"
	}
	return "", clienterror.Errorf(http.StatusConflict, "Several objects of %s have the %s %s: %s%s. Name one by its id.", entity, field, plain.Quoted(code), strings.Join(ids, ", "), more)
}
