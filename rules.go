package shopapi

import (
	"context"
	"slices"
	"strings"
)

// A Rule is what is known of the values that a field or a parameter takes, for those
// who read of the API. The check of a request is what counts: it may ask for more.
type Rule struct {
	Field    string
	Required bool     // a new object needs it
	OneOf    []string // the values; nil for any
	Range    *Range   // of numbers; nil for any
	Length   int      // characters at most; 0 for no limit
	Bytes    int      // bytes at most, in UTF-8; 0 for no limit
	Note     string   // what a new object needs where it depends on other fields
}

// A Range is the least and the greatest value of a number.
type Range struct{ Low, High int64 }

// A RuleSource is an [Entity] that tells the rules on its fields. What is built
// with package resource is one: it observes the rules of its definition.
type RuleSource interface {
	// Rules returns what is known of the fields of bodies and of the parameters of
	// lists, at most one rule on each. The request has neither and is not carried out.
	Rules(ctx context.Context, empty *Request) (fields, parameters []Rule)
}

// Observed returns a Problems that also notes the rules that it is asked to check,
// and a function that returns them: one on each field, in the order in which the
// fields were first met. A field whose problem begins with "is required" is one that
// is, unless the words go on with a comma and a condition.
func Observed() (p *Problems, rules func() []Rule) {
	o := &observedRules{}
	return &Problems{observed: o}, func() []Rule { return o.rules }
}

// Observe notes that there is a field, on which no rule may follow.
func (p *Problems) Observe(field string) { p.observed.on(field) }

// observedRules collects rules.
type observedRules struct{ rules []Rule }

// on returns the rule on a field, which is added where there is none yet. It may be
// called on nil.
func (o *observedRules) on(field string) *Rule {
	if o == nil {
		return &Rule{}
	}
	for i := range o.rules {
		if o.rules[i].Field == field {
			return &o.rules[i]
		}
	}
	o.rules = append(o.rules, Rule{Field: field})
	return &o.rules[len(o.rules)-1]
}

// problem notes what the words of a problem tell.
func (o *observedRules) problem(field, text string) {
	rest, required := strings.CutPrefix(text, "is required")
	switch {
	case o == nil || !required:
	case strings.HasPrefix(rest, ","):
		o.on(field).Note = text
	default:
		o.on(field).Required = true
	}
}

// oneOf notes the values of a field.
func (o *observedRules) oneOf(field string, allowed []string) {
	if o != nil {
		o.on(field).OneOf = slices.Clone(allowed)
	}
}
