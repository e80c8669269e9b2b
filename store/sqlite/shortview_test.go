package sqlite_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// ShortViews do not wait for Views, which may take all connections but the reserved ones.
func TestShortViewsPassLongViews(t *testing.T) {
	const readers = 3
	st := open(t, file(t), &sqlite.Options{Readers: readers})
	if err := st.Migrate(t.Context(), fuzzed); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	running, end := make(chan bool), make(chan bool)
	for range readers {
		all.Go(func() {
			err := st.View(context.Background(), func(context.Context, store.Tx) error {
				running <- true
				<-end
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for range readers {
		<-running
	}
	for range 5 {
		err := st.ShortView(t.Context(), func(ctx context.Context, tx store.Tx) error {
			// A View inside is the same transaction.
			return st.View(ctx, func(_ context.Context, tx store.Tx) error {
				_, err := tx.Count(fuzzed, nil)
				return err
			})
		})
		if err != nil {
			t.Errorf("a ShortView beside %d Views: %v", readers, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	none := func(context.Context, store.Tx) error { return nil }
	if err := st.View(ctx, none); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one View too many: %v, want that it waits", err)
	}
	close(end)
	all.Wait()
	for range 2 * readers {
		if err := st.View(t.Context(), none); err != nil {
			t.Error(err)
		}
	}
}

// The time of a search is proportional to the length of the searched text, not to the
// product of the lengths of the text and of the search term: that would be half a minute
// here.
func TestSearchesAreLinear(t *testing.T) {
	st := open(t, file(t), nil)
	if err := st.Migrate(t.Context(), fuzzed); err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("a", 256<<10)
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for key := range int64(15) {
			row := randomSource(nil, 0).row(int(key + 1))
			row[fuzzed.Index("name")] = store.String(name)
			if _, err := tx.Insert(fuzzed, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		for part, want := range map[string]int64{name[:128<<10]: 15, name[:128<<10] + "b": 0, name[:1000] + "b": 0} {
			n, err := tx.Count(fuzzed, []store.Cond{store.Contains("name", part)})
			if n != want || err != nil {
				t.Errorf("%d texts hold one of %d bytes, %v, want %d", n, len(part), err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
