//go:build !race

package shop_test

import "testing"

func aloneIsSlow(*testing.T) {}
