// Package field has what the fields of objects have in common: their values on the wire
// ([Flag], [JSON], [Map], [IDList]), the rules on them ([Rule]), the fields that a host adds
// ([CustomField]), and the fields that a GET asks for ([Choice]). Package shopapi has most of
// these types under the same names.
package field
