package store

import (
	"context"

	"github.com/shopapi/shopapi/store/internal/commithook"
)

// AfterCommit has hook run once the innermost transaction of ctx that may write
// has been committed, and never if it is rolled back or run again. Hooks run in
// the order of the commits and must be quick: others wait behind them. Outside
// such a transaction hook runs at once.
func AfterCommit(ctx context.Context, hook func()) {
	if s := commithook.From(ctx); s != nil {
		s.AfterCommit(hook)
		return
	}
	hook()
}
