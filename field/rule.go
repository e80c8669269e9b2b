package field

import "github.com/govalues/decimal"

// A Rule says which values a field or a parameter takes.
type Rule struct {
	Field    string   // the name in requests
	Required bool     // a new object needs it
	Hint     string   // what a required field is, such as "the name of the tax"
	OneOf    []string // the values; nil for any
	Range    *Range   // of whole numbers; nil for any
	Amount   *Amount  // of decimals; nil for any
	Length   int      // characters at most; 0 for no limit
	Bytes    int      // bytes at most, in UTF-8; 0 for no limit
	HTML     bool     // a text is HTML, which is stored as it is sent
	Default  string   // of a new object that leaves the field empty; now is the time, for a number
	Note     string   // what a new object needs, if that depends on more than the field
}

// A Range is the least and the greatest value of a number.
type Range struct{ Low, High int64 }

// An Amount is the least and the greatest value of a decimal, and the number of its
// decimals.
type Amount struct {
	Least, Most decimal.Decimal
	Scale       int
}
