// Package conformance holds the library's tests against the specification of the
// interface: a shop is asked over the wire, as any client would ask it, and
// nothing of the inside is looked at.
//
// rules.txt lists the rules, SPECIFICATION.md is generated from it and from the
// tests and says which test holds which rule. A rule without a test, a test of a
// rule that is not listed and a list that is out of date fail:
//
//	go test ./conformance           # check
//	go test ./conformance -update   # write SPECIFICATION.md anew
package conformance
