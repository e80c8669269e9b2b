package driver

import (
	"context"
	"sync/atomic"
)

type replicasKey struct{}

// A replicaUse is the use of replicas by one read.
type replicaUse struct {
	over   atomic.Bool // the read has returned
	failed atomic.Bool // the read has to run again
}

// A ReplicaRead is a read that may use replicas of a database. If a replica is lost in the middle of
// a View, the function of the View cannot run again, and the read fails. It then runs once more, on
// the primary alone:
//
//	for read := driver.OnReplicas(ctx); read.Next(); {
//		err = st.View(read.Context(), fn)
//	}
type ReplicaRead struct {
	outside, ctx context.Context // ctx is nil before the first run
	use          *replicaUse
}

// OnReplicas returns a read under ctx.
func OnReplicas(ctx context.Context) ReplicaRead {
	return ReplicaRead{outside: ctx, use: new(replicaUse)}
}

// Next reports whether the read has to run, the first time or again.
func (r *ReplicaRead) Next() bool {
	if r.ctx == nil {
		r.ctx = context.WithValue(r.outside, replicasKey{}, r.use)
		return true
	}
	if r.use.over.Swap(true) {
		return false
	}
	r.ctx = r.outside
	return r.use.failed.Load() && r.outside.Err() == nil
}

// Context is the context of the run.
func (r *ReplicaRead) Context() context.Context { return r.ctx }

// replicaUseOf returns the use of replicas under ctx, nil where there is none.
func replicaUseOf(ctx context.Context) *replicaUse {
	use, _ := ctx.Value(replicasKey{}).(*replicaUse)
	if use == nil || use.over.Load() || use.failed.Load() {
		return nil
	}
	return use
}

// MayUseReplicas reports whether a View under ctx may read on a replica.
func MayUseReplicas(ctx context.Context) bool { return replicaUseOf(ctx) != nil }

// FailReplicas has the [ReplicaRead] of ctx run again.
func FailReplicas(ctx context.Context) {
	if use := replicaUseOf(ctx); use != nil {
		use.failed.Store(true)
	}
}

// VersionsOnce returns the versions that st showed after ctx was made, or later. It asks
// once under a context of [AskOnce]; again has it ask once more.
func VersionsOnce(ctx context.Context, st Asked, again bool) (*Versions, error) {
	if again {
		questionOf(ctx).forget()
	}
	return versions(ctx, st)
}
