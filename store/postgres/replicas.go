package postgres

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// replicas are the standbys of the primary that Views may read on.
type replicas struct {
	all  []*replica
	turn atomic.Uint32
	life context.Context // until the store is closed
	end  context.CancelFunc
	work sync.WaitGroup
}

// replicaWait is how long a View may wait for a replica: for a connection, until it has
// applied what the primary has committed, and for a lock.
const replicaWait = 50 * time.Millisecond

// A replica is a standby. It is in service while it answers, is in recovery, and applies
// within replicaWait what the primary commits.
type replica struct {
	address string // without credentials, for logs
	pool    *pgxpool.Pool
	mode    statements
	idle    idle
	views   atomic.Int64
	used    atomic.Bool // since the last check
	wake    chan struct{}

	mu       sync.Mutex
	in       bool            // in service
	life     context.Context // of the reads on it, nil when it was gone
	end      context.CancelFunc
	admitted time.Time
	retired  time.Time
	rest     time.Duration // out of service at least
}

// A ReplicaStatus is the state of one of [Options.Replicas].
type ReplicaStatus struct {
	Address   string // host and port
	InService bool   // Views read on it
	Views     int64  // that read on it since the store was opened
}

// Replicas returns the state of the replicas, in the order of [Options.Replicas].
func (s *Store) Replicas() []ReplicaStatus {
	list := make([]ReplicaStatus, len(s.replicas.all))
	for i, r := range s.replicas.all {
		list[i] = ReplicaStatus{Address: r.address, InService: r.inService() != nil, Views: r.views.Load()}
	}
	return list
}

// openReplicas makes the pools of the replicas, which connect when they are used.
func (s *Store) openReplicas(dsns []string) error {
	s.replicas.life, s.replicas.end = context.WithCancel(context.Background())
	for _, dsn := range dsns {
		config, err := poolConfig(dsn)
		if err != nil {
			return fmt.Errorf("postgres: Options.Replicas: %w", err)
		}
		pool, err := pgxpool.NewWithConfig(s.replicas.life, config)
		if err != nil {
			return fmt.Errorf("postgres: Options.Replicas: %w", err)
		}
		c := config.ConnConfig
		s.replicas.all = append(s.replicas.all, &replica{
			address: net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), pool: pool, mode: statementsOf(c), wake: make(chan struct{}, 1),
		})
	}
	for _, r := range s.replicas.all {
		s.replicas.work.Go(func() { r.watch(s) })
	}
	return nil
}

// close ends the use of the replicas, and waits for that.
func (r *replicas) close() {
	if r.end != nil {
		r.end()
	}
	r.work.Wait()
	for _, replica := range r.all {
		replica.idle.close()
		replica.pool.Close()
	}
}

// next returns a replica in service and the context of reads on it, nil when there is none.
func (r *replicas) next() (*replica, context.Context) {
	n := uint32(len(r.all))
	if n == 0 {
		return nil, nil
	}
	first := r.turn.Add(1)
	for i := range n {
		replica := r.all[(first+i)%n]
		if life := replica.inService(); life != nil {
			return replica, life
		}
	}
	return nil, nil
}

// inService returns the context of reads on the replica, nil while it is out of service.
func (r *replica) inService() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.in {
		return nil
	}
	return r.life
}

// take returns a connection: one left by a View, or one of the pool.
func (r *replica) take(ctx context.Context) (*conn, error) {
	r.used.Store(true)
	if c := r.idle.pop(); c != nil {
		return c, nil
	}
	pooled, err := r.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	c := connOf(pooled, r.mode)
	c.replica = r
	return c, nil
}
