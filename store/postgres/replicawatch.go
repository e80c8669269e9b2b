package postgres

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store/driver"
)

const (
	// replicaCheck is how often a replica is checked that is read or out of service.
	replicaCheck = 200 * time.Millisecond

	// maxReplicaCheck is how long the wait between checks becomes while they fail.
	maxReplicaCheck = 2 * time.Second

	// steady is how long a replica is in service until it does not rest before its next turn.
	steady = 5 * time.Second

	// replicaAnswer is how long a replica may take to answer a check. Reads on a
	// slower replica go to the primary.
	replicaAnswer = time.Second
)

var (
	errPromoted = errors.New("it is not a standby")
	errBehind   = errors.New("it has not applied what the primary has committed")
	errSlow     = errors.New("it did not answer within 50 ms")
	errForeign  = errors.New("it is not a standby of this primary")
)

// replicaSQL asks a replica whether it is in recovery, and how far it has applied the log.
const replicaSQL = `SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::bigint`

// watch puts the replica into service and out of it.
func (r *replica) watch(s *Store) {
	ctx := s.replicas.life
	var own *pgx.Conn // beside the pool, whose connections may all be in use
	defer func() { r.retire(nil) }()
	for pause := replicaCheck; ctx.Err() == nil; {
		switch in := r.inService() != nil; {
		case in && !r.used.Swap(false):
		default:
			var err error
			if own, err = r.check(ctx, s, own, in); err != nil {
				r.retire(err)
				pause = min(2*pause, maxReplicaCheck)
				break
			}
			pause = replicaCheck
			if !in {
				r.admit(s)
			}
		}
		select {
		case <-time.After(pause):
		case <-r.wake:
			pause = replicaCheck
		case <-ctx.Done():
		}
	}
	if own != nil {
		_ = own.Close(context.Background())
	}
}

// check returns why the replica cannot be read. A replica out of service also has to
// show what the primary has committed.
func (r *replica) check(ctx context.Context, s *Store, own *pgx.Conn, in bool) (*pgx.Conn, error) {
	var told *driver.Versions
	if !in {
		if !s.versions.on.Load() {
			return own, errNoVersions
		}
		var err error
		if told, err = s.asker.ask(ctx); err != nil {
			return own, err
		}
		select {
		case <-time.After(replicaWait):
		case <-ctx.Done():
		}
	}
	ctx, cancel := context.WithTimeout(ctx, replicaAnswer)
	defer cancel()
	if own == nil || own.IsClosed() {
		var err error
		if own, err = pgx.ConnectConfig(ctx, r.pool.Config().ConnConfig); err != nil {
			return nil, err
		}
	}
	var standby bool
	var position uint64
	var epoch string
	err := own.QueryRow(ctx, replicaSQL, pgx.QueryExecModeExec).Scan(&standby, &position)
	switch {
	case err != nil:
		_ = own.Close(context.Background())
		return nil, err
	case !standby:
		return own, errPromoted
	case in:
		return own, nil
	}
	if err := own.QueryRow(ctx, "SELECT "+replicaEpochSQL, pgx.QueryExecModeExec).Scan(&epoch); err != nil {
		return own, err
	}
	switch number, err := moduloWord([]byte(epoch)); {
	case position < told.Position:
		return own, errBehind
	case err != nil || number != told.Epoch:
		return own, errForeign
	}
	return own, nil
}

// admit puts the replica into service, unless it went out of it so often that it rests.
func (r *replica) admit(s *Store) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.retired) < r.rest {
		return
	}
	if r.life == nil {
		r.life, r.end = context.WithCancel(s.replicas.life)
	}
	r.in, r.admitted = true, time.Now()
	slog.Default().LogAttrs(r.life, slog.LevelInfo, "postgres: a replica is in service", slog.String("replica", r.address))
}

// retire takes the replica out of service. Unless it is only slow, the reads on it go to the
// primary.
func (r *replica) retire(reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slow := errors.Is(reason, errBehind) || errors.Is(reason, errSlow)
	if r.life != nil && !slow {
		r.end()
		r.life, r.end = nil, nil
	}
	if !r.in {
		return
	}
	r.in, r.retired = false, time.Now()
	if r.retired.Sub(r.admitted) < steady {
		r.rest = min(max(2*r.rest, replicaCheck), maxReplicaCheck)
	} else {
		r.rest = 0
	}
	if reason != nil && !errors.Is(reason, context.Canceled) {
		slog.Default().LogAttrs(context.Background(), slog.LevelWarn, "postgres: a replica is out of service",
			slog.String("replica", r.address), slog.String("error", reason.Error()))
	}
}

// suspect has the replica be checked soon.
func (r *replica) suspect() {
	r.used.Store(true)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}
