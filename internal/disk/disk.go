// Package disk puts a layer between the SQLite engine and the files of a folder, for tests.
// It records the writes, truncations, syncs and removals of the engine, lets them fail, and
// makes the files that a power cut could have left.
//
// A disk keeps all synced writes. A cut keeps some of the later writes, in no order, loses
// others, and tears the rest at the bounds of sectors.
package disk

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A Kind is what the engine does to a file.
type Kind int

// The kinds of an [Op].
const (
	Write Kind = iota
	Truncate
	Sync
	FailedSync
	Remove
	Mark // not the engine's: a place that the test has marked
)

// An Op is one operation on a file.
type Op struct {
	Kind   Kind
	File   string // its name in the folder
	Offset int64  // of a write; the size of a truncation
	Data   []byte // of a write
	Synced bool   // of a removal: with its folder
	Mark   int    // the value of a mark
}

// A Disk is the files of one folder.
type Disk struct {
	mu   sync.Mutex
	ops  []Op
	fail func(Op) bool
}

// New returns the disk of a folder, until the test ends.
func New(tb testing.TB, folder string) *Disk {
	tb.Helper()
	folder, err := filepath.EvalSymlinks(folder) // as the engine does
	if err != nil {
		tb.Fatal(err)
	}
	layer.once.Do(install)
	d := new(Disk)
	layer.mu.Lock()
	defer layer.mu.Unlock()
	layer.disks[folder] = d
	tb.Cleanup(func() {
		layer.mu.Lock()
		defer layer.mu.Unlock()
		delete(layer.disks, folder)
	})
	return d
}

// do records an operation and does it, or fails with an error of the engine.
func (d *Disk) do(op Op, failed int32, do func() int32) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail != nil && d.fail(op) {
		if op.Kind == Sync {
			d.ops = append(d.ops, Op{Kind: FailedSync, File: op.File})
		}
		return failed
	}
	rc := do()
	if rc == 0 {
		d.ops = append(d.ops, op)
	}
	return rc
}

// Fail has the operations fail for which the function returns true, none if it is nil.
// A write that fails changes nothing; of what a failed sync should have kept, some is lost
// at the next cut.
func (d *Disk) Fail(fail func(Op) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
}

// Mark records that the operations before it have returned.
func (d *Disk) Mark(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ops = append(d.ops, Op{Kind: Mark, Mark: n})
}

// Ops returns the operations so far.
func (d *Disk) Ops() []Op {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ops[:len(d.ops):len(d.ops)]
}

// Count counts the operations of a kind on files whose names have an ending, such as "-wal".
func Count(ops []Op, kind Kind, suffix string) (n int) {
	for _, op := range ops {
		if op.Kind == kind && strings.HasSuffix(op.File, suffix) {
			n++
		}
	}
	return n
}
