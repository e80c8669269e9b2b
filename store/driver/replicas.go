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

// OnReplicas runs a read whose Views may read on replicas of their database. A replica
// may be lost in the middle of a View, whose function cannot run twice. Then read, whatever
// it returned, runs again under ctx, where Views read on the primary alone.
func OnReplicas(ctx context.Context, read func(context.Context) error) error {
	use := new(replicaUse)
	err := read(context.WithValue(ctx, replicasKey{}, use))
	use.over.Store(true)
	if use.failed.Load() && ctx.Err() == nil {
		return read(ctx)
	}
	return err
}

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

// FailReplicas has the read of [OnReplicas] run again.
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
