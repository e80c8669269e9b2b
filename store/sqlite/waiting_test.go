package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A good is an article with a stock, and a sold is an entry of a log of what happens to it.
type good struct {
	GoodID int64  `json:"good_id" store:"key"`
	Name   string `json:"name"`
	Amount int64  `json:"amount" store:"index"`
}

type sold struct {
	SoldID int64  `json:"sold_id" store:"key"`
	GoodID int64  `json:"good_id" store:"index"`
	Text   string `json:"text"`
}

var (
	goods  = store.MustTable[good]("goods")
	solds  = store.MustTable[sold]("solds")
	amount = goods.Field("amount")
)

// openGoods returns a store with goods 1 to n, of which there are 100 pieces each.
func openGoods(t *testing.T, path string, n int) *sqlite.Store {
	t.Helper()
	st := open(t, path, nil)
	if err := st.Migrate(t.Context(), goods.Schema(), solds.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range n {
			if err := goods.Insert(tx, &good{Name: fmt.Sprint(i + 1), Amount: 100}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// take takes n pieces of a good, and logs that.
func take(tx store.Tx, id, n int64) error {
	err := goods.Alter(tx, func(row []store.Value) { row[amount] = store.Int(row[amount].Int() - n) }, store.InInts("good_id", id))
	if err != nil {
		return err
	}
	return solds.Append(tx, sold{GoodID: id, Text: fmt.Sprintf("took %d", n)})
}

func taking(id, n int64) member {
	return member{fn: func(_ context.Context, tx store.Tx) error { return take(tx, id, n) }}
}

// contents are all rows of both tables.
func contents(t *testing.T, st store.Store) (g []good, s []sold) {
	t.Helper()
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
		if g, err = goods.Select(tx, store.Query{}); err == nil {
			s, err = solds.Select(tx, store.Query{})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return g, s
}

// A row that all members of a batch change is written once.
func TestMembersWriteARowOnce(t *testing.T) {
	st := openGoods(t, file(t), 1)
	before := st.Changes()
	for i, err := range batch(t, st, taking(1, 1), taking(1, 2), taking(1, 3), taking(1, 4)) {
		if err != nil {
			t.Errorf("member %d: %v", i, err)
		}
	}
	if n := st.Changes() - before; n != 5 {
		t.Errorf("%d rows were written, want the good and 4 entries", n)
	}
	g, s := contents(t, st)
	want := []sold{{1, 1, "took 1"}, {2, 1, "took 2"}, {3, 1, "took 3"}, {4, 1, "took 4"}}
	if diff := cmp.Diff([]good{{1, "1", 90}}, g) + cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each read of a member sees what it and the members before it have changed.
func TestMembersSeeWhatWaits(t *testing.T) {
	count := func(tx store.Tx, where ...store.Cond) (int64, error) { return goods.Count(tx, where...) }
	var same = *goods.Schema() // a host may have a schema of its own
	for name, read := range map[string]func(ctx context.Context, st store.Store, tx store.Tx) (int64, error){
		"Get": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			g, err := goods.Get(tx, 1)
			return g.Amount, err
		},
		"SchemaOfItsOwn": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			row := make([]store.Value, len(same.Columns))
			err := tx.Get(&store.Projection{Schema: &same, Columns: []int{0, 1, 2}}, 1, row)
			return row[amount].Int(), err
		},
		"View": func(ctx context.Context, st store.Store, _ store.Tx) (n int64, err error) {
			err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
				g, err := goods.Get(tx, 1)
				n = g.Amount
				return err
			})
			return n, err
		},
		"Keys": func(_ context.Context, _ store.Store, tx store.Tx) (n int64, err error) {
			return n, goods.Each(tx, store.Query{Where: []store.Cond{store.InInts("good_id", 1)}}, func(g *good) error { n += g.Amount; return nil })
		},
		"Select": func(_ context.Context, _ store.Store, tx store.Tx) (n int64, err error) {
			return n, goods.Each(tx, store.Query{Where: []store.Cond{store.AtMost("amount", store.Int(98))}}, func(g *good) error { n += g.Amount; return nil })
		},
		"Page": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			list, _, err := goods.Page(tx, store.Query{Order: []store.Order{store.Asc("amount")}, Limit: 1})
			return list[0].Amount, err
		},
		"Count": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			n, err := count(tx, store.Equal("amount", store.Int(93)))
			return 92 + n, err
		},
		"SubQuery": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			n, err := count(tx, store.All(store.InQuery("good_id", solds.Schema(), "good_id", store.Equal("text", store.String("took 5")))))
			return 92 + n, err
		},
		"Order": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			by := store.Order{Column: "amount", Via: &store.Via{Column: "good_id", Schema: goods.Schema()}}
			list, err := solds.Select(tx, store.Query{Order: []store.Order{by}, Limit: 1})
			return 92 + list[0].GoodID, err
		},
		"Host": func(ctx context.Context, _ store.Store, tx store.Tx) (n int64, err error) {
			conn, err := sqlite.ConnOf(tx)
			if err != nil {
				return 0, err
			}
			return n, conn.QueryRowContext(ctx, "SELECT amount FROM goods WHERE good_id = 1").Scan(&n)
		},
		"Set": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			if err := goods.Set(tx, "amount", 93, store.Equal("amount", store.Int(93))); err != nil {
				return 0, err
			}
			g, err := goods.Get(tx, 1)
			return g.Amount, err
		},
		"DeleteAndInsert": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			g, err := goods.Get(tx, 1)
			if err != nil {
				return 0, err
			}
			if n, err := goods.Delete(tx, store.Equal("amount", store.Int(93))); n != 1 || err != nil {
				return n, err
			}
			if _, err := goods.Get(tx, 1); !errors.Is(err, store.ErrNotFound) {
				return 0, fmt.Errorf("the deleted row: %w", err)
			}
			return g.Amount, goods.Insert(tx, &g)
		},
		"Rename": func(_ context.Context, _ store.Store, tx store.Tx) (int64, error) {
			g, err := goods.Get(tx, 1)
			g.Name = "renamed"
			return g.Amount, errors.Join(err, goods.Update(tx, &g))
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, careful int) {
				st := openGoods(t, file(t), 3)
				st.SetCareful(careful)
				var seen int64
				reading := member{fn: func(ctx context.Context, tx store.Tx) (err error) {
					if err := take(tx, 1, 2); err != nil {
						return err
					}
					seen, err = read(ctx, st, tx)
					return err
				}}
				for i, err := range batch(t, st, taking(1, 5), taking(3, 1), reading, taking(1, 3)) {
					if err != nil {
						t.Errorf("member %d: %v", i, err)
					}
				}
				g, s := contents(t, st)
				var amounts []int64
				for _, one := range g {
					amounts = append(amounts, one.Amount)
				}
				if diff := cmp.Diff([]int64{90, 100, 99}, amounts); seen != 93 || diff != "" || len(s) != 4 {
					t.Errorf("the member sees %d, want 93; %d entries, amounts (-want +got):\n%s", seen, len(s), diff)
				}
			})
		})
	}
}

// A member that fails leaves nothing, whether its changes wait or were written with changes of others.
func TestAMemberThatFailsLeavesNothingWaiting(t *testing.T) {
	failed := errors.New("failed on purpose")
	for name, end := range map[string]func(tx store.Tx) error{
		"Waiting": func(store.Tx) error { return failed },
		"Written": func(tx store.Tx) error {
			_, err := goods.Count(tx, store.Equal("amount", store.Int(1)))
			return errors.Join(err, failed)
		},
		"NothingToWrite": func(tx store.Tx) error {
			_, err := pages.Count(tx)
			return errors.Join(err, failed)
		},
		"Panic": func(store.Tx) error { panic(failed) },
	} {
		for at := range 3 {
			t.Run(fmt.Sprintf("%s/%d", name, at), func(t *testing.T) {
				eachWay(t, func(t *testing.T, careful int) {
					st := openGoods(t, file(t), 2)
					if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
						t.Fatal(err)
					}
					st.SetCareful(careful)
					members := slices.Insert([]member{taking(1, 1), taking(1, 2)}, at, member{
						fn: func(_ context.Context, tx store.Tx) error {
							return errors.Join(take(tx, 1, 50), take(tx, 2, 50), end(tx))
						},
						panicked: func(any) {},
					})
					errs := batch(t, st, members...)
					for i, err := range errs {
						if (i == at) != errors.Is(err, failed) && name != "Panic" || i != at && err != nil {
							t.Errorf("member %d: %v", i, err)
						}
					}
					g, s := contents(t, st)
					if diff := cmp.Diff([]good{{1, "1", 97}, {2, "2", 100}}, g); diff != "" || len(s) != 2 {
						t.Errorf("%d entries, goods (-want +got):\n%s", len(s), diff)
					}
				})
			})
		}
	}
}

// The triggers of a host see the rows of all tables as if each change was written at once.
func TestTriggersSeeWhatWaits(t *testing.T) {
	path := file(t)
	st := openGoods(t, path, 1)
	if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
		t.Fatal(err)
	}
	_, err := host(t, path).Exec(`CREATE TRIGGER copies AFTER INSERT ON pages
		BEGIN INSERT INTO solds (good_id, text) SELECT good_id, 'there are ' || amount FROM goods; END`)
	if err != nil {
		t.Fatal(err)
	}
	page := member{fn: insert("a")}
	for i, err := range batch(t, st, taking(1, 1), page, taking(1, 2), page) {
		if err != nil {
			t.Errorf("member %d: %v", i, err)
		}
	}
	_, s := contents(t, st)
	var texts []string
	for _, one := range s {
		texts = append(texts, one.Text)
	}
	if diff := cmp.Diff([]string{"took 1", "there are 99", "took 2", "there are 97"}, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a constraint of the host refuses fails the member alone that wrote it, also if another
// member would put it right.
func TestConstraintsOfTheHostRefuseOneMember(t *testing.T) {
	for name, sql := range map[string]string{
		"Index": "CREATE UNIQUE INDEX one ON goods (amount)",
		"Check": `CREATE TABLE copies ("good_id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL, "amount" INTEGER NOT NULL
			CHECK (amount <> 90)) STRICT; INSERT INTO copies SELECT * FROM goods; DROP TABLE goods;
			ALTER TABLE copies RENAME TO goods; CREATE INDEX "goods.amount.index" ON goods (amount)`,
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, careful int) {
				path := file(t)
				st := openGoods(t, path, 3)
				for id, n := range map[int64]int64{1: 1, 2: 10, 3: 20} { // leaves 99, 90, 80
					if name == "Check" && id == 2 {
						n++
					}
					if err := st.Update(t.Context(), taking(id, n).fn); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := host(t, path).Exec(sql); err != nil {
					t.Fatal(err)
				}
				st.SetCareful(careful)
				errs := batch(t, st, taking(1, 9), taking(1, -1), taking(2, 30)) // 90 is refused
				if errs[0] == nil || errs[1] != nil || errs[2] != nil {
					t.Errorf("%v, want an error of the first", errs)
				}
				g, s := contents(t, st)
				want := []good{{1, "1", 100}, {2, "2", 60}, {3, "3", 80}}
				if name == "Check" {
					want[1].Amount = 59
				}
				if diff := cmp.Diff(want, g); diff != "" || len(s) != 5 {
					t.Errorf("%d entries, goods (-want +got):\n%s", len(s), diff)
				}
			})
		})
	}
}

// Members that change, read and fail at random leave the rows, and have seen those, that they do
// one after another.
func TestRandomMembersAreAsIfAlone(t *testing.T) {
	const n, members = 6, 12
	failed := errors.New("failed on purpose")
	for seed := range uint64(60) {
		together, alone := openGoods(t, file(t), n), openGoods(t, file(t), n)
		together.SetCareful(0)
		var seen [2][members]string
		run := func(of, i int) func(context.Context, store.Tx) error {
			return func(_ context.Context, tx store.Tx) error {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				var b strings.Builder
				defer func() { seen[of][i] = b.String() }()
				fails := random.IntN(4) == 0
				for range 1 + random.IntN(4) {
					id := 1 + random.Int64N(n)
					var err error
					switch op := random.IntN(9); {
					case op < 4:
						err = take(tx, id, 1+random.Int64N(9))
					case op == 4:
						var g good
						g, err = goods.Get(tx, id)
						fmt.Fprintln(&b, g)
					case fails: // it would have written, and the others would run again in another order
					case op == 5:
						var g good
						g, err = goods.Get(tx, id)
						g.Name += "!"
						err = errors.Join(err, goods.Update(tx, &g))
					case op == 6:
						var list []good
						list, err = goods.Select(tx, store.Query{Order: []store.Order{store.Desc("amount")}, Limit: 3})
						fmt.Fprintln(&b, list)
					case op == 7:
						var list []sold
						list, err = solds.Select(tx, store.Query{Where: []store.Cond{store.Equal("good_id", store.Int(id))}})
						fmt.Fprintln(&b, list)
					case op == 8:
						err = solds.Insert(tx, &sold{GoodID: id, Text: "inserted"})
					}
					if err != nil {
						return err
					}
				}
				if fails {
					return failed
				}
				return nil
			}
		}
		var list []member
		for i := range members {
			list = append(list, member{fn: run(0, i)})
		}
		errs := batch(t, together, list...)
		for i := range members {
			if err := alone.Update(t.Context(), run(1, i)); !errors.Is(errs[i], err) {
				t.Fatalf("seed %d, member %d: %v, alone %v", seed, i, errs[i], err)
			}
		}
		g, s := contents(t, together)
		wantGoods, wantSolds := contents(t, alone)
		if diff := cmp.Diff(wantGoods, g) + cmp.Diff(wantSolds, s) + cmp.Diff(seen[1], seen[0]); diff != "" {
			t.Fatalf("seed %d (-alone +together):\n%s", seed, diff)
		}
	}
}

// Cached counts and responses know the changes that waited.
func TestCountsAfterWaiting(t *testing.T) {
	st := openGoods(t, file(t), 4)
	counts := func() map[string]int64 {
		got := map[string]int64{}
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
			if got["goods"], err = goods.Count(tx, store.Equal("amount", store.Int(99))); err == nil {
				got["solds"], err = solds.Count(tx)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := map[string]int64{"goods": 0, "solds": 0}
	for round := range int64(4) {
		if diff := cmp.Diff(want, counts()); diff != "" {
			t.Fatalf("round %d (-want +got):\n%s", round, diff)
		}
		for _, err := range batch(t, st, taking(1+round, 3), taking(1+round, -2)) {
			if err != nil {
				t.Fatal(err)
			}
		}
		want = maps.Clone(want)
		want["goods"]++
		want["solds"] += 2
	}
}

// A Tx that is over does nothing, and leaves the waiting changes of the other members of its batch alone.
func TestATxThatIsOverLeavesWhatWaits(t *testing.T) {
	for name, use := range map[string]func(tx store.Tx) error{
		"Get":       func(tx store.Tx) error { _, err := goods.Get(tx, 1); return err },
		"Select":    func(tx store.Tx) error { _, err := goods.Select(tx, store.Query{}); return err },
		"Page":      func(tx store.Tx) error { _, _, err := goods.Page(tx, store.Query{Limit: 1}); return err },
		"Count":     func(tx store.Tx) error { _, err := goods.Count(tx); return err },
		"Alter":     func(tx store.Tx) error { return take(tx, 1, 1) },
		"Append":    func(tx store.Tx) error { return solds.Append(tx, sold{GoodID: 1}) },
		"InsertAll": func(tx store.Tx) error { return solds.InsertAll(tx, []sold{{GoodID: 1}, {GoodID: 2}}) },
	} {
		t.Run(name, func(t *testing.T) {
			st := openGoods(t, file(t), 2)
			var over store.Tx
			ending := member{fn: func(_ context.Context, tx store.Tx) error { over = tx; return take(tx, 2, 1) }}
			using := member{fn: func(_ context.Context, tx store.Tx) error {
				if err := use(over); err == nil {
					t.Error("the Tx that is over returns no error")
				}
				return take(tx, 1, 1)
			}}
			for i, err := range batch(t, st, taking(1, 1), ending, using) {
				if err != nil {
					t.Errorf("member %d: %v", i, err)
				}
			}
			g, s := contents(t, st)
			if diff := cmp.Diff([]good{{1, "1", 98}, {2, "2", 99}}, g); diff != "" || len(s) != 3 {
				t.Errorf("%d entries, goods (-want +got):\n%s", len(s), diff)
			}
		})
	}
}

// counted counts the runs of a member.
func counted(n *int, m member) member {
	return member{fn: func(ctx context.Context, tx store.Tx) error { *n++; return m.fn(ctx, tx) }}
}

// A member that fails, and has written only waiting changes of others, lets these be as they are.
func TestAMemberThatOnlyReadsLetsOthersBe(t *testing.T) {
	failed := errors.New("failed on purpose")
	st := openGoods(t, file(t), 2)
	counts := func() (n int64) {
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
			n, err = goods.Count(tx, store.Equal("amount", store.Int(98)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for round := range int64(2) {
		if n := counts(); n != round {
			t.Errorf("round %d: %d goods have 98 pieces", round, n)
		}
		runs := 0
		reading := member{fn: func(_ context.Context, tx store.Tx) error {
			n, err := goods.Count(tx, store.Equal("amount", store.Int(99)))
			if n != 1 {
				t.Errorf("the member sees %d goods of 99 pieces, want 1", n)
			}
			return errors.Join(err, failed)
		}}
		errs := batch(t, st, counted(&runs, taking(1+round, 1)), reading, counted(&runs, taking(1+round, 1)))
		if errs[0] != nil || !errors.Is(errs[1], failed) || errs[2] != nil || runs != 2 {
			t.Errorf("round %d: %v; the others ran %d times, want once each", round, errs, runs)
		}
	}
	if n := counts(); n != 2 {
		t.Errorf("%d goods have 98 pieces, want 2", n)
	}
}

// A member with an ended context reads nothing, and lets waiting changes of others be.
func TestAMemberWithAnEndedContextLetsOthersBe(t *testing.T) {
	for name, read := range map[string]func(tx store.Tx) error{
		"Select": func(tx store.Tx) error { _, err := solds.Select(tx, store.Query{}); return err },
		"Get":    func(tx store.Tx) error { _, err := solds.Get(tx, 1); return err },
		"Host":   func(tx store.Tx) error { _, err := sqlite.ConnOf(tx); return err },
	} {
		t.Run(name, func(t *testing.T) {
			st := openGoods(t, file(t), 1)
			ctx, cancel := context.WithCancel(t.Context())
			runs := 0
			ended := member{ctx: ctx, fn: func(_ context.Context, tx store.Tx) error { cancel(); return read(tx) }}
			errs := batch(t, st, counted(&runs, taking(1, 1)), ended, counted(&runs, taking(1, 1)))
			if errs[0] != nil || !errors.Is(errs[1], context.Canceled) || errs[2] != nil || runs != 2 {
				t.Errorf("%v; the others ran %d times, want once each", errs, runs)
			}
		})
	}
}

// Migrate brings rows to the schema that waited.
func TestMigrateSeesWhatWaits(t *testing.T) {
	type folded struct {
		SoldID int64  `json:"sold_id" store:"key"`
		Text   string `json:"text" store:"fold,search"`
	}
	logs := store.MustTable[folded]("solds")
	st := openGoods(t, file(t), 1)
	migrating := member{fn: func(ctx context.Context, _ store.Tx) error { return st.Migrate(ctx, logs.Schema()) }}
	for i, err := range batch(t, st, taking(1, 1), migrating, taking(1, 2)) {
		if err != nil {
			t.Errorf("member %d: %v", i, err)
		}
	}
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		n, err := logs.Count(tx, store.Contains("text", "OOK 1"))
		if n != 1 {
			t.Errorf("%d entries have the text of one that waited, want 1", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Where rows that wait cannot be written, the member fails that has them, whether they are
// written at the end of the batch or for a member that reads them. The others succeed, unless the disk is full.
func TestRowsThatCannotBeWrittenFailOneMember(t *testing.T) {
	large := member{fn: func(_ context.Context, tx store.Tx) error {
		if err := take(tx, 1, 50); err != nil {
			return err
		}
		return solds.Append(tx, sold{GoodID: 1, Text: strings.Repeat("x", 900_000)})
	}}
	counting := func(n *int64) member {
		return member{fn: func(_ context.Context, tx store.Tx) (err error) {
			*n, err = solds.Count(tx)
			return err
		}}
	}
	refuse := map[string]func(t *testing.T, path string, st *sqlite.Store){
		"Full": func(t *testing.T, _ string, st *sqlite.Store) {
			if err := st.Exec("PRAGMA max_page_count = 60"); err != nil {
				t.Fatal(err)
			}
		},
		"ColumnOfTheHost": func(t *testing.T, path string, _ *sqlite.Store) {
			_, err := host(t, path).Exec(`DROP TABLE solds; CREATE TABLE solds ("sold_id" INTEGER PRIMARY KEY AUTOINCREMENT,
				"good_id" INTEGER NOT NULL, "text" TEXT NOT NULL,
				short INTEGER NOT NULL GENERATED ALWAYS AS (CASE WHEN length(text) < 100 THEN 1 END)) STRICT;
				CREATE INDEX "solds.good_id.index" ON solds (good_id)`)
			if err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, refuse := range refuse {
		for _, reads := range []bool{false, true} {
			for at := range 3 {
				t.Run(fmt.Sprintf("%s/%v/%d", name, reads, at), func(t *testing.T) {
					eachWay(t, func(t *testing.T, careful int) {
						path := file(t)
						st := openGoods(t, path, 2)
						refuse(t, path, st)
						st.SetCareful(careful)
						var seen int64
						members := slices.Insert([]member{taking(1, 1), taking(2, 1)}, at, large)
						if reads {
							members = append(members, counting(&seen))
						}
						errs := batch(t, st, members...)
						for i, err := range errs {
							if (err != nil) != (i == at) && (name != "Full" || err == nil) {
								t.Errorf("member %d: %v", i, err)
							}
						}
						want := []good{{1, "1", 100}, {2, "2", 100}}
						entries := 0
						for i, err := range slices.Delete(errs, at, at+1)[:2] {
							if err == nil {
								want[i].Amount--
								entries++
							}
						}
						g, s := contents(t, st)
						if diff := cmp.Diff(want, g); diff != "" || len(s) != entries || reads && careful > 0 && name != "Full" && seen != 2 {
							t.Errorf("%d entries, want %d; %d were counted; goods (-want +got):\n%s", len(s), entries, seen, diff)
						}
					})
				})
			}
		}
	}
}
