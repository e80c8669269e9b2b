// Package conformance tests the library against the specification of the interface: over
// the wire, as a client, without looking inside. The tests of a single entity's rules
// are in its package.
//
// rules.txt lists the rules. SPECIFICATION.md is generated from it and from the tests,
// and lists the tests of each rule. A rule without a test, a test of an unlisted rule,
// and an outdated list fail:
//
//	go test ./internal/conformance           # check
//	go test ./internal/conformance -update   # write SPECIFICATION.md
package conformance
