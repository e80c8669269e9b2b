package changes

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
)

// The cursors that are not positions.
const (
	Oldest = "0"   // before the oldest change that is kept
	Now    = "now" // after the newest change
)

// A GoneError means that the log has no changes after a cursor, because they were pruned
// or the log was reset. Read the position with [Log.Position], then everything, and
// continue from that position.
type GoneError struct {
	FirstSeq string // the position of the oldest change that is kept, else of the next one
	LastSeq  string // the position after the newest change
}

// Error implements error.
func (e *GoneError) Error() string {
	return "changes: the log does not have what follows the cursor: read everything again"
}

// formatPosition writes a position as readers see it.
func formatPosition(h head, n int64) string { return h.Name + "." + strconv.FormatInt(n, 10) }

// numberOf returns the number of a position of this log; ok is false for another cursor.
func (h *head) numberOf(cursor string) (n int64, ok bool) {
	name, number, _ := strings.Cut(cursor, ".")
	n, err := strconv.ParseInt(number, 10, 64)
	return n, err == nil && name == h.Name
}

// start returns the position after which a cursor reads on.
func (b *bounds) start(cursor string) (int64, error) {
	if named := strings.Contains(cursor, "."); !named && !b.head.On {
		return 0, shopapi.Errorf(http.StatusNotFound, "The change log is switched off.")
	}
	switch cursor {
	case Oldest:
		return b.oldest - 1, nil
	case Now, "":
		return b.newest, nil
	}
	name, number, named := strings.Cut(cursor, ".")
	n, err := strconv.ParseInt(number, 10, 64)
	if !named || err != nil || n < 0 || name == "" || strconv.FormatInt(n, 10) != number {
		return 0, shopapi.Invalid("since", "must be a position that the change log answered, such as %s, or 0, or now, not %s",
			formatPosition(b.head, b.newest), quoted(cursor))
	}
	if name != b.head.Name || n > b.newest || n < b.oldest-1 {
		return 0, &GoneError{FirstSeq: formatPosition(b.head, b.oldest), LastSeq: formatPosition(b.head, b.newest)}
	}
	return n, nil
}

// quoted shortens what a client sent, for messages.
func quoted(s string) string { return fmt.Sprintf("%.40q", s) }
