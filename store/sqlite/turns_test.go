package sqlite_test

import (
	"testing"

	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storetest"
)

// Connections and the writer go round by client: one with many requests does not delay the
// list or the write of another.
func TestClientsTakeTurns(t *testing.T) {
	t.Run("views", func(t *testing.T) {
		st := open(t, file(t), &sqlite.Options{Readers: 1})
		storetest.RunTurns(t, st, st.View, st.WaitingViews)
	})
	t.Run("updates", func(t *testing.T) {
		st := open(t, file(t), nil)
		storetest.RunTurns(t, st, st.Update, st.Waiting)
	})
}
