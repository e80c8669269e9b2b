package orders_test

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

type (
	ctx = context.Context
	tx  = store.Tx
)

var usersNamed = users.Filter{Email: "ana@example.org"}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// sorted joins ids in ascending order.
func sorted(ids []string) string {
	return strings.Join(slices.Sorted(slices.Values(ids)), " ")
}
