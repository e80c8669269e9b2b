package jsonenc

import (
	"context"
	"errors"
	"math"
	"unicode/utf8"

	"github.com/shopapi/shopapi/internal/budget"
)

// ErrTooLarge is returned when the output passes its limit.
var ErrTooLarge = errors.New("jsonenc: the output is larger than its limit")

// errTooDeep is the error for a value that contains itself.
var errTooDeep = errors.New("jsonenc: the value is nested too deep")

const (
	step     = 64 << 10 // bytes of output between two looks at limit and context
	piece    = 8 << 10  // bytes of a text between them: escaped they fit into a step
	maxDepth = 10_000   // levels of pointers, maps and interfaces
)

// A Limit ends one encoding: when the output passes a number of bytes, or when a
// context ends. Either is noticed within 64 KiB of output or one value that
// writes itself, and no more memory than that is taken beyond the limit.
type Limit struct {
	ctx   context.Context
	share *budget.Share // of the context
	most  int
	next  int // the length of output at which to look again
	depth int
}

// Within returns a limit in bytes on the output, including existing bytes of dst.
func Within(ctx context.Context, most int64) *Limit {
	m := int(min(max(most, 0), math.MaxInt-step))
	return &Limit{ctx: ctx, share: budget.From(ctx), most: m, next: min(step, m)}
}

// Unlimited returns a limit that ends nothing but values that hold themselves.
func Unlimited() *Limit { return Within(context.Background(), math.MaxInt64) }

// Check returns the output with room for more, or the error that ends it:
// [ErrTooLarge] or that of the context. Writers that append to limited output
// call it as they go, and when they are done.
func (l *Limit) Check(dst []byte) ([]byte, error) {
	if len(dst) < l.next {
		return dst, nil
	}
	return l.look(dst)
}

func (l *Limit) look(dst []byte) ([]byte, error) {
	if err := l.ctx.Err(); err != nil {
		return dst, err
	}
	dst, err := l.Grow(dst, 0)
	l.next = min(len(dst)+step, l.most)
	return dst, err
}

// Grow returns the output with room for at least n bytes more, or [ErrTooLarge]
// when there is none within the limit. Room doubles, but not beyond the limit, and counts
// as memory of the context's request ([budget.Share]).
func (l *Limit) Grow(dst []byte, n int) ([]byte, error) {
	if n > l.most-len(dst) {
		return dst, ErrTooLarge
	}
	if cap(dst)-len(dst) >= max(n, min(step, len(dst))) {
		return dst, nil
	}
	room := max(min(2*cap(dst), l.most), len(dst)+n) + min(step, len(dst)+n)
	if err := l.share.Use(int64(room)); err != nil {
		return dst, err
	}
	grown := make([]byte, len(dst), room)
	copy(grown, dst)
	return grown, nil
}

// deeper counts a level, of which [Limit.back] is the end.
func (l *Limit) deeper() error {
	if l.depth++; l.depth > maxDepth {
		return errTooDeep
	}
	return nil
}

func (l *Limit) back() { l.depth-- }

// appendText is AppendString for texts of any length.
func appendText(dst []byte, s string, l *Limit) ([]byte, error) {
	if len(s) <= piece {
		return AppendString(dst, s), nil
	}
	return appendLongText(dst, s, l)
}

func appendLongText(dst []byte, s string, l *Limit) (_ []byte, err error) {
	dst = append(dst, '"')
	for len(s) > piece {
		cut := cutText(s, piece)
		if dst, err = l.Check(appendEscaped(dst, s[:cut])); err != nil {
			return dst, err
		}
		s = s[cut:]
	}
	return append(appendEscaped(dst, s), '"'), nil
}

// cutText returns where to cut a text that is longer than most bytes, between two
// characters.
func cutText(s string, most int) int {
	for cut := most; cut > most-utf8.UTFMax; cut-- {
		if utf8.RuneStart(s[cut]) {
			return cut
		}
	}
	return most // no character is longer: the bytes here are not UTF-8
}
