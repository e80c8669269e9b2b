package sqlite_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/internal/disk"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

var (
	cuts    = flag.Int("cuts", 200, "how many power cuts are tried")
	cutSeed = flag.Uint64("cutseed", 1, "the seed of the first run of power cuts; runs of odd seeds can be repeated")
)

const (
	pairs       = 3  // rows that change together, each by one goroutine
	roundsOfRun = 60 // changes of each pair
	cutsOfRun   = 50 // of the disk of one run
	marksOfPair = 1000
)

// textOf is the text of a round: long at times, and every tenth time so long that a commit
// of it takes several writes.
func textOf(round int) string {
	length := 0
	switch {
	case round%10 == 7:
		length = 50_000
	case round%4 == 0:
		length = 100 * round
	}
	return fmt.Sprint(round, " ", strings.Repeat("x", length))
}

// setPair changes both rows of a pair to the text of a round.
func setPair(ctx context.Context, st store.Store, pair, round int) error {
	text := textOf(round)
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		for i := range 2 {
			p := page{PageID: int64(2*pair + i + 1), Title: text}
			err := pages.Update(tx, &p)
			if errors.Is(err, store.ErrNotFound) {
				err = pages.Insert(tx, &p)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A session opens the file of a disk, changes the pairs from a round to another, and closes
// it.
type session struct {
	disk     *disk.Disk
	path     string
	from, to int
	together bool  // by one goroutine for each pair; otherwise it can be repeated
	cache    int64 // of pages, in bytes
}

// run runs the session. It marks each change that has returned without an error, and goes on after
// failures.
func (s *session) run(ctx context.Context) error {
	st, err := sqlite.Open(ctx, s.path, &sqlite.Options{PageCacheBytes: s.cache})
	if err != nil {
		return err
	}
	if err := st.Migrate(ctx, pages.Schema()); err != nil {
		return errors.Join(err, st.Close())
	}
	var failed [pairs]error
	change := func(pair, round int) {
		switch err := setPair(ctx, st, pair, round); {
		case err == nil:
			s.disk.Mark(pair*marksOfPair + round)
		case !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrOutcomeUnknown):
			failed[pair] = err
		}
	}
	if s.together {
		var group sync.WaitGroup
		for pair := range pairs {
			group.Go(func() {
				for round := s.from; round < s.to; round++ {
					change(pair, round)
				}
			})
		}
		group.Wait()
	} else {
		for i := s.from * pairs; i < s.to*pairs; i++ {
			change(i%pairs, i/pairs)
		}
	}
	return errors.Join(append(failed[:], st.Close())...)
}

// checkPairs opens a file and looks for acknowledged changes that are lost, changes that
// are there in part, and damage. acknowledged is the last such round of each pair, tried the
// last round that may be there.
func checkPairs(ctx context.Context, path string, acknowledged [pairs]int, tried int) (err error) {
	st, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.Migrate(ctx, pages.Schema()); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	var found [pairs][2]int
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		rows, err := pages.Select(tx, store.Query{})
		for _, p := range rows {
			round := 0
			if _, err := fmt.Sscan(p.Title, &round); err != nil {
				return fmt.Errorf("page %d: %w", p.PageID, err)
			}
			if p.Title != textOf(round) {
				return fmt.Errorf("page %d has another text than that of round %d", p.PageID, round)
			}
			found[(p.PageID-1)/2][(p.PageID-1)%2] = round
		}
		return err
	})
	if err != nil {
		return err
	}
	for pair, rounds := range found {
		switch {
		case rounds[0] != rounds[1]:
			return fmt.Errorf("pair %d has the rounds %v: a change is there in part", pair, rounds)
		case rounds[0] < acknowledged[pair]:
			return fmt.Errorf("pair %d has the round %d: the acknowledged change %d is lost", pair, rounds[0], acknowledged[pair])
		case rounds[0] > tried:
			return fmt.Errorf("pair %d has the round %d, which nobody tried", pair, rounds[0])
		}
	}
	var result string
	if err := st.DB().QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&result); err != nil || result != "ok" {
		return fmt.Errorf("the engine finds %q, %w", result, err)
	}
	return setPair(ctx, st, 0, tried+1) // it can go on
}

// runOn changes the pairs on a disk in two sessions, in the second one with faults, if any.
// It returns what the disk did. A small cache has the engine write pages to the WAL before the
// commit, and some of them again.
func runOn(t *testing.T, together, smallCache bool, faults func(disk.Op) bool) []disk.Op {
	t.Helper()
	path := file(t)
	d := disk.New(t, filepath.Dir(path))
	cache := int64(0)
	if smallCache {
		cache = 32 << 10
	}
	first := session{d, path, 1, roundsOfRun / 3, together, cache}
	if err := first.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Fail(faults)
	second := session{d, path, roundsOfRun / 3, roundsOfRun, together, cache}
	var e *sqlite.Error
	if err := second.run(t.Context()); err != nil && (faults == nil || !errors.As(err, &e)) {
		t.Fatal(err)
	}
	d.Fail(nil)
	return d.Ops()
}

// cut cuts the power at places of chance between operations. It returns what is wrong with
// the files that are left. The disk does not do what lies reports.
func cut(t *testing.T, ops []disk.Op, random *rand.Rand, n int, lies func(disk.Op) bool) (found []error) {
	t.Helper()
	parent := t.TempDir()
	image, acknowledged := disk.NewImage(random), [pairs]int{}
	for i, op := range ops {
		for left := len(ops) - i; n > 0 && random.IntN(left) < n; n-- {
			folder, err := os.MkdirTemp(parent, "cut")
			if err == nil {
				err = image.Cut(folder)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := checkPairs(t.Context(), filepath.Join(folder, "shop.db"), acknowledged, roundsOfRun); err != nil {
				found = append(found, fmt.Errorf("cut before operation %d of %d: %w", i, len(ops), err))
			}
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case op.Kind == disk.Mark:
			acknowledged[op.Mark/marksOfPair] = op.Mark % marksOfPair
		case lies == nil || !lies(op):
			image.Apply(op)
		}
	}
	return found
}

// cutRuns cuts the power in runs until the cuts of the flag are done. faults returns the
// faults of a run.
func cutRuns(t *testing.T, faults func(*rand.Rand) func(disk.Op) bool) {
	for done := 0; done < *cuts; done += cutsOfRun {
		seed := *cutSeed + uint64(done/cutsOfRun)
		random := rand.New(rand.NewPCG(seed, 0))
		ops := runOn(t, seed%2 == 0, seed/2%2 == 1, faults(random))
		for _, err := range cut(t, ops, random, min(cutsOfRun, *cuts-done), nil) {
			t.Errorf("-cutseed %d: %v", seed, err)
		}
	}
}

// Acknowledged changes survive a power cut, and no change is there in part, whatever the
// disk has done of the writes since its last sync.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	cutRuns(t, func(*rand.Rand) func(disk.Op) bool { return nil })
}

// The same for a disk whose writes and syncs fail at times: changes that were acknowledged
// between the failures survive, also in the same process.
func TestPowerCuts_FailingDisk(t *testing.T) {
	t.Parallel()
	cutRuns(t, func(random *rand.Rand) func(disk.Op) bool {
		kind, often := disk.Kind(random.IntN(3)), 2+random.IntN(40)
		return func(op disk.Op) bool { return op.Kind == kind && random.IntN(often) == 0 }
	})
}

// The tests of power cuts notice a disk that keeps less than was synced.
func TestPowerCuts_Notice(t *testing.T) {
	ops := runOn(t, false, false, nil)
	for name, lies := range map[string]func(disk.Op) bool{
		"the WAL is not synced":      func(op disk.Op) bool { return op.Kind == disk.Sync && strings.HasSuffix(op.File, "-wal") },
		"the database is not synced": func(op disk.Op) bool { return op.Kind == disk.Sync && strings.HasSuffix(op.File, ".db") },
	} {
		if found := cut(t, ops, rand.New(rand.NewPCG(1, 0)), cutsOfRun, lies); len(found) == 0 {
			t.Errorf("%s: no cut of %d lost anything", name, cutsOfRun)
		}
	}
}

// Updates wait for one write and one sync, whether they commit alone or together.
func TestUpdates_SyncOnce(t *testing.T) {
	path := file(t)
	d := disk.New(t, filepath.Dir(path))
	st := openPages(t, path, nil)
	for _, waiting := range []int{1, 20} {
		members := make([]member, waiting)
		for i := range members {
			members[i].fn = insert("one")
		}
		before := len(d.Ops())
		for _, err := range batch(t, st, members...) { // behind an Update that changes nothing
			if err != nil {
				t.Fatal(err)
			}
		}
		ops := d.Ops()[before:]
		if syncs := disk.Count(ops, disk.Sync, ""); syncs != 1 || disk.Count(ops, disk.Sync, "-wal") != 1 {
			t.Errorf("%d Updates took %d syncs, want 1, of the WAL", waiting, syncs)
		}
		// The table and the index of its titles have a page each.
		if writes := disk.Count(ops, disk.Write, ""); writes != 1 || disk.Count(ops, disk.Write, "-wal") != writes {
			t.Errorf("%d Updates took %d writes, want 1, to the WAL", waiting, writes)
		}
	}
}
