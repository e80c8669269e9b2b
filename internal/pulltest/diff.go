package pulltest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
)

// shown is how many rows of a table a difference shows.
const shown = 3

// Diff describes how [Tables] differ between the old shop and the new one, "" where they
// are equal. It shows the first rows of each table that differs.
func Diff(old, made map[string][]string) string {
	var b strings.Builder
	for _, table := range slices.Sorted(maps.Keys(old)) {
		missing, extra := without(old[table], made[table]), without(made[table], old[table])
		if len(missing)+len(extra) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %d rows are missing, %d are too many (-old +new)\n", table, len(missing), len(extra))
		for i := range min(shown, max(len(missing), len(extra))) {
			b.WriteString(gocmp.Diff(rowAt(missing, i), rowAt(extra, i)))
		}
	}
	return b.String()
}

// without returns the rows of one list that the other lacks. Both are in order.
func without(list, other []string) (rest []string) {
	for _, row := range list {
		for len(other) > 0 && other[0] < row {
			other = other[1:]
		}
		if len(other) > 0 && other[0] == row {
			other = other[1:]
			continue
		}
		rest = append(rest, row)
	}
	return rest
}

func rowAt(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return ""
}
