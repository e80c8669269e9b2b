//go:build race

package shop_test

import "testing"

// aloneIsSlow skips an attack with one client at a time under the race detector: it has
// no concurrency and takes ten times as long.
func aloneIsSlow(t *testing.T) {
	t.Helper()
	t.Skip("one client at a time, which the race detector needs not see")
}
