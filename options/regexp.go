package options

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Limits of the expressions that texts have to match. The time of a match is the size of
// its program times the length of the text.
const (
	maxProgram = 250       // instructions of one expression
	maxSteps   = 5_000_000 // instructions times bytes of text, of all lines that are resolved together
)

// parseExpression returns the number of instructions of an expression, before it is
// compiled. It returns an error for expressions that Go cannot read, such as lookaheads,
// which were written for browsers: they match everything.
func parseExpression(text string) (program int, err error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	return instructions(parsed), nil
}

// malformation returns what makes an expression one of no syntax, such as "missing
// closing ]", given the error of parseExpression. It is "" if err is about a feature that
// Go does not have.
func malformation(text string, err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code {
	case syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		if strings.Contains(text, "[]") || strings.Contains(text, "[^]") {
			return "" // empty classes of JavaScript, where Go reads the bracket as a member
		}
	case syntax.ErrMissingRepeatArgument:
		if strings.Contains(text, "(*") {
			return "" // a verb of PCRE, such as (*UTF8)
		}
	case syntax.ErrInvalidCharRange:
		if strings.HasPrefix(e.Expr, "[:") || strings.HasPrefix(e.Expr, `\`) {
			return "" // a class by a name that Go does not know, such as \p{Script=Greek}
		}
	case syntax.ErrTrailingBackslash:
	default:
		return ""
	}
	return string(e.Code)
}

// instructions estimates the size of the program of an expression: repetitions repeat
// the program of what they repeat. It ends beyond the limit.
func instructions(e *syntax.Regexp) int {
	n := 1
	switch e.Op {
	case syntax.OpLiteral:
		n += len(e.Rune)
	case syntax.OpCharClass:
		n += len(e.Rune) / 8
	}
	for _, sub := range e.Sub {
		if n += instructions(sub); n > maxProgram {
			return n
		}
	}
	if e.Op == syntax.OpRepeat {
		n *= max(1, e.Min, e.Max)
	}
	return n
}

// A matcher matches texts with the expressions of options. It compiles each once.
type matcher struct {
	compiled map[string]*compiled
	steps    int
}

type compiled struct {
	*regexp.Regexp     // nil matches everything
	program        int // instructions
}

// matches reports whether a text matches an expression. ok is false when the texts that
// were matched before and this one take too long together.
func (m *matcher) matches(expression, text string) (matches, ok bool) {
	c := m.compile(expression)
	if c.Regexp == nil {
		return true, true
	}
	if m.steps += c.program * (len(text) + 1); m.steps > maxSteps {
		return false, false
	}
	return c.MatchString(text), true
}

func (m *matcher) compile(expression string) *compiled {
	if c := m.compiled[expression]; c != nil {
		return c
	}
	c := &compiled{}
	if program, err := parseExpression(expression); err == nil && program <= maxProgram {
		if e, err := regexp.Compile(expression); err == nil {
			c = &compiled{e, program}
		}
	}
	if m.compiled == nil {
		m.compiled = map[string]*compiled{}
	}
	m.compiled[expression] = c
	return c
}
