// Package rules reads the rules on the fields of a struct from their tags, once for each
// type, and checks objects against them:
//
//	Name   string `json:"tax" rule:"required,len=255" hint:"the name of the tax"`
//	Status string `json:"status" rule:"oneof=A D H"`
//	Weight int64  `json:"weight" rule:"min=0,max=int32"`
//
// The rules, separated by commas, are
//
//	required     the field must not be empty, zero or a list without items
//	len=255      a text has at most so many characters
//	bytes=4096   a text or a document has at most so many bytes
//	html         a text is HTML; it is only described
//	oneof=A D H  a text is one of these, which are separated by spaces
//	min=0        a number is not less; with max alone the least is 0
//	max=100      a number is not greater; int32 is the greatest number of 32 bits
//	time         a number is a Unix time in seconds, from 0 to the end of the year 9999
//	scale=2      a decimal has at most so many decimals; it also needs max
//	default=A    a new object has this text or whole number where the field is empty;
//	             now is the time in seconds since 1970, for numbers
//
// A decimal with the store tag scale and without a rule has at most these decimals and the
// digits that its column can store, of either sign. The rule - leaves a field to the entity.
//
// The tag hint says what a required field is, in the message for a missing one. Without
// it required is only described: the entity checks the field itself, because it may
// depend on other fields.
package rules
