package pull

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/shopapi/shopapi/store"
)

// A known is the stored state of a pulled object.
type known struct {
	KnownID int64  `json:"known_id" store:"key"`
	Entity  string `json:"entity"`
	Object  string `json:"object"` // its id, or its name
	There   string `json:"there"`  // the hash of the rows as the other server sent them
	Here    string `json:"here"`   // the hash of the same rows without derived columns
	Listed  string `json:"listed"` // the hash of what lists of the other server show; "" where it is not known
}

// A fact is a stored fact about all pulls.
type fact struct {
	FactID int64  `json:"fact_id" store:"key"`
	Name   string `json:"name"`
	Value  string `json:"value"`
}

var (
	knowns = store.MustTable[known]("pull_objects", store.Index{Columns: []string{"entity", "object"}, Unique: true})
	facts  = store.MustTable[fact]("pull_facts", store.Index{Columns: []string{"name"}, Unique: true})
)

// Schemas are the tables in which a shop stores the state of pulls.
func Schemas() []*store.Schema { return []*store.Schema{knowns.Schema(), facts.Schema()} }

// The names of facts.
const (
	factSource   = "source"    // the address of the other shop
	factLanguage = "language"  // its base language
	factFinished = "finished"  // no more pulls
	factRunning  = "running"   // a pull is under way: its name and how often it said so
	factReserved = "reserved " // and the name of a table: the highest id that was pulled into it
	factTaken    = "taken "    // and the name of an entity: how many were written
)

func readFact(tx store.Tx, name string) (fact, error) {
	f, err := facts.First(tx, store.Query{Where: []store.Cond{store.Equal("name", store.String(name))}})
	if errors.Is(err, store.ErrNotFound) {
		return fact{Name: name}, nil
	}
	return f, err
}

func writeFact(tx store.Tx, name, value string) error {
	f, err := readFact(tx, name)
	if err != nil || f.FactID != 0 && f.Value == value {
		return err
	}
	f.Value = value
	if f.FactID == 0 {
		return facts.Insert(tx, &f)
	}
	return facts.Update(tx, &f)
}

// knownOf reads the state of objects of an entity, by their ids.
func knownOf(tx store.Tx, entity string, ids []string) (map[string]known, error) {
	values := make([]store.Value, len(ids))
	for i, id := range ids {
		values[i] = store.String(id)
	}
	list, err := knowns.Select(tx, store.Query{Where: []store.Cond{
		store.Equal("entity", store.String(entity)), store.In("object", values...),
	}})
	byID := make(map[string]known, len(list))
	for _, k := range list {
		byID[k.Object] = k
	}
	return byID, err
}

// How often a running pull says that it runs, and how long the next one watches.
const (
	beat  = time.Second / 2
	watch = 4 * beat
)

// ErrRunning is the error of a pull into a shop into which another one is running.
var ErrRunning = errors.New("pull: another pull into this shop is running")

// ErrFinished is the error of a pull into a shop for which [Finish] was called.
var ErrFinished = errors.New("pull: the move into this shop was finished: no more pulls are taken")

// begin notes that a pull is running, and keeps saying so until stop is called. A pull
// that was killed says nothing any more: after a while another one may begin.
func begin(ctx context.Context, st store.Store) (name string, stop func() error, err error) {
	name = rand.Text()
	read := func() (f fact, err error) {
		err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
			f, err = readFact(tx, factRunning)
			return err
		})
		return f, err
	}
	first, err := read()
	if err != nil {
		return "", nil, err
	}
	for begun := time.Now(); first.Value != "" && time.Since(begun) < watch; {
		if err := sleep(ctx, beat/4); err != nil {
			return "", nil, err
		}
		now, err := read()
		if err != nil {
			return "", nil, err
		}
		if now.Value == "" {
			break
		}
		if now.Value != first.Value {
			return "", nil, ErrRunning
		}
	}
	say := func(ctx context.Context, n int) error {
		return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			f, err := readFact(tx, factRunning)
			if err != nil {
				return err
			}
			if n == 0 && f.Value != first.Value || n > 0 && !ownBeat(f.Value, name) {
				return ErrRunning
			}
			return writeFact(tx, factRunning, name+" "+strconv.Itoa(n))
		})
	}
	if first, err = read(); err == nil {
		err = say(ctx, 0)
	}
	if err != nil {
		return "", nil, err
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case <-ticker.C:
				_ = say(ctx, n) // the next transaction of the pull returns the error
			}
		}
	}()
	return name, func() error {
		close(done)
		<-ended
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watch)
		defer cancel()
		return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			f, err := readFact(tx, factRunning)
			if err != nil || !ownBeat(f.Value, name) {
				return err
			}
			return writeFact(tx, factRunning, "")
		})
	}, nil
}

// stillOwn returns [ErrRunning] where another pull began because this one said nothing for
// too long.
func (p *puller) stillOwn(tx store.Tx) error {
	f, err := readFact(tx, factRunning)
	if err == nil && !ownBeat(f.Value, p.name) {
		err = ErrRunning
	}
	return err
}

func ownBeat(value, name string) bool { return len(value) > len(name) && value[:len(name)] == name }

// Finish ends the move: ids of new rows follow the highest that is there, and later pulls
// are refused with [ErrFinished].
func Finish(ctx context.Context, st store.Store) error {
	if err := st.Migrate(ctx, Schemas()...); err != nil {
		return err
	}
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		source, err := readFact(tx, factSource)
		if err != nil {
			return err
		}
		if source.Value == "" {
			return fmt.Errorf("pull: nothing was pulled into this shop")
		}
		return writeFact(tx, factFinished, time.Now().UTC().Format(time.DateTime))
	})
}
