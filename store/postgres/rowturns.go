package postgres

import (
	"context"
	"slices"
	"sync"

	"github.com/shopapi/shopapi/internal/fair"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

var _ store.TurnTaker = (*tx)(nil)

// TakeTurns implements [store.TurnTaker]. A transaction that has a connection, or turns, does not
// wait: the one that it would wait for may need them to end. Nor does a member of a group, which
// takes the turns of all members.
func (t *tx) TakeTurns(s *store.Schema, keys []int64) error {
	if err := t.readable(); err != nil || !t.writable || t.conn != nil || t.group != nil || len(t.turns) > 0 {
		return err
	}
	return t.takeTurns(turnsOf(s, keys))
}

// turnsOf returns rows in the order in which their turns are taken, so that no two transactions wait
// for each other.
func turnsOf(s *store.Schema, keys []int64) (rows []rowKey) {
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		rows = append(rows, rowKey{s, key})
	}
	return rows
}

// takeTurns waits for the turns of rows.
func (t *tx) takeTurns(rows []rowKey) error {
	client := driver.ClientOf(t.ctx)
	for _, row := range rows {
		turn, err := t.store.rowTurns.take(t.ctx, client, row)
		if err != nil {
			return err // end leaves the turns that were taken
		}
		t.turns = append(t.turns, turn)
	}
	return nil
}

// rowTurns are the rows that transactions of this process have named by [store.TakeTurns].
type rowTurns struct {
	mu   sync.Mutex
	rows map[rowKey]*rowTurn
}

// A rowTurn is of one row. One transaction has it at a time; clients get it round robin.
type rowTurn struct {
	row   rowKey
	users *fair.Semaphore // of size 1
	txs   int             // that have the turn, or wait for it
}

// take waits for the turn of a row.
func (r *rowTurns) take(ctx context.Context, client any, row rowKey) (*rowTurn, error) {
	r.mu.Lock()
	turn := r.rows[row]
	if turn == nil {
		turn = &rowTurn{row: row, users: fair.New(1, 1)}
		if r.rows == nil {
			r.rows = make(map[rowKey]*rowTurn)
		}
		r.rows[row] = turn
	}
	turn.txs++
	r.mu.Unlock()
	err := turn.users.Acquire(ctx, client, 1)
	if err != nil {
		r.forget(turn)
	}
	return turn, err
}

// leaveTurns gives the turns of a transaction to the next ones.
func (t *tx) leaveTurns() {
	for _, turn := range t.turns {
		turn.users.Release(driver.ClientOf(t.ctx), 1)
		t.store.rowTurns.forget(turn)
	}
	t.turns = nil
}

// forget removes the turn of a row that no transaction has or waits for.
func (r *rowTurns) forget(turn *rowTurn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if turn.txs--; turn.txs == 0 {
		delete(r.rows, turn.row)
	}
}
