// Command mutants shows that the tests notice mistakes in the rules that must never be
// wrong. It makes one mistake at a time, a mutant, and runs the tests that should fail.
//
//	go run ./internal/mutants                  # every mutant of internal/mutants/lists
//	go run ./internal/mutants -list readsets   # the mutants of one list
//	go run ./internal/mutants -run commit      # those whose file and name match
//	go run ./internal/mutants -auto store/driver/readset.go -test ./store/driver
//
// A list contains hand-written mutants, each with its reason. -auto makes mutants from
// the operators and conditions of a file. No file of the repository is changed: the
// compiler reads the mutant in place of the file (go test -overlay). The generated mutants of
// a file are compiled at once, each behind a switch, so that a mutant costs no more than a
// run of its tests.
//
// A mutant is killed if the tests fail, and survives if they pass. A mutant that does not
// compile counts as neither. The command ends with exit code 1 when a mutant survives
// that no list declares equal in behaviour.
package main
