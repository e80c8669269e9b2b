package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite"
)

// An offer has columns of several kinds, and an event is a row of a table with a trigger of the host's,
// which adds to the rank of an offer and logs what it sees.
type offer struct {
	OfferID int64   `json:"offer_id" store:"key"`
	Code    string  `json:"code" store:"fold"`
	Text    *string `json:"text" store:"fold,search"`
	Rank    *int64  `json:"rank" store:"index"`
	Number  *int64  `json:"number"`
	Active  bool    `json:"active"`
	Shop    int64   `json:"shop"`
}

type event struct {
	EventID int64 `json:"event_id" store:"key"`
	OfferID int64 `json:"offer_id"`
}

var (
	offers = store.MustTable[offer]("offers", store.Index{Columns: []string{"code"}, Unique: true}, store.Index{Columns: []string{"number"}, Unique: true})
	events = store.MustTable[event]("events")

	ranks = store.Project[struct {
		Rank *int64 `json:"rank"`
		Shop int64  `json:"shop"`
	}](offers)
	soldGoods = store.ProjectVia[struct {
		Text   string `json:"text"`
		GoodID int64  `json:"good_id"`
		Amount int64  `json:"amount"`
	}](solds, "good_id", goods.Schema())

	sameOffers = func() *store.Schema { s := *offers.Schema(); return &s }() // a host may have a schema of its own
)

const (
	randomOffers = 12
	randomGoods  = 12
)

// openRandom returns a store with goods, offers and, where triggers says so, a trigger on events.
func openRandom(t *testing.T, path string, triggers bool) *sqlite.Store {
	t.Helper()
	st := openGoods(t, path, randomGoods)
	if err := st.Migrate(t.Context(), offers.Schema(), events.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range int64(randomOffers) {
			if err := offers.Insert(tx, &offer{Code: fmt.Sprint("code ", i), Text: new(fmt.Sprint("text ", i)), Rank: new(i), Shop: i % 3}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && triggers {
		_, err = host(t, path).Exec(`CREATE TRIGGER follows AFTER INSERT ON events BEGIN
			UPDATE offers SET rank = coalesce(rank, 0) + 1 WHERE offer_id = NEW.offer_id;
			INSERT INTO solds (good_id, text) SELECT NEW.offer_id, 'rank ' || coalesce(sum(rank), 0) || ', amount ' || (SELECT sum(amount) FROM goods) FROM offers;
		END`)
	}
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A randomMember is an Update of random operations, which are the same in each run.
type randomMember struct {
	seed  [2]uint64
	fails int // 0: not, 1: with an error, 2: with a panic
	host  bool
	seen  string // in its last run
}

var errOnPurpose = errors.New("failed on purpose")

func (m *randomMember) run(st store.Store) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		random := rand.New(rand.NewPCG(m.seed[0], m.seed[1]))
		var b strings.Builder
		defer func() { m.seen = b.String() }()
		for range 1 + random.IntN(6) {
			if err := m.operate(ctx, st, tx, random, &b); err != nil {
				fmt.Fprintln(&b, err)
				return err
			}
		}
		switch m.fails {
		case 1:
			return errOnPurpose
		case 2:
			panic(errOnPurpose)
		}
		return nil
	}
}

func (m *randomMember) operate(ctx context.Context, st store.Store, tx store.Tx, random *rand.Rand, b *strings.Builder) error {
	id, n := 1+random.Int64N(randomOffers+2), random.Int64N(9)
	key := store.InInts("offer_id", id, 1+id%randomOffers)
	column := func(name string) int { return offers.Field(name) }
	set := func(name string, v store.Value) func([]store.Value) {
		return func(row []store.Value) { row[column(name)] = v }
	}
	note := func(v any, err error) error {
		fmt.Fprintf(b, "%+v\n", v)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	}
	texts := func(o offer) string {
		at := func(p *int64) string {
			if p == nil {
				return "null"
			}
			return fmt.Sprint(*p)
		}
		text := "null"
		if o.Text != nil {
			text = *o.Text
		}
		return fmt.Sprintln(o.OfferID, o.Code, text, at(o.Rank), at(o.Number), o.Active, o.Shop)
	}
	list := func(of []offer) (s string) {
		for _, o := range of {
			s += texts(o)
		}
		return s
	}
	switch op := random.IntN(35); op {
	case 0, 1, 2:
		return take(tx, 1+random.Int64N(randomGoods), n)
	case 3: // more keys than are read one by one
		return goods.Alter(tx, func(row []store.Value) { row[amount] = store.Int(row[amount].Int() + n) },
			store.InInts("good_id", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
	case 4, 5:
		return offers.Alter(tx, func(row []store.Value) { row[column("rank")] = store.Int(row[column("rank")].Int() + n) }, key)
	case 6:
		return offers.Alter(tx, set("rank", store.Null), key)
	case 7:
		return offers.Alter(tx, set("active", store.Bool(n%2 == 0)), key)
	case 8:
		return offers.Alter(tx, set("text", store.Null), key)
	case 9:
		return offers.Alter(tx, set("text", store.String(fmt.Sprint("text ", n))), store.InInts("offer_id", id))
	case 10: // may be a conflict
		return offers.Alter(tx, set("number", store.Int(n)), store.InInts("offer_id", id))
	case 11:
		o, err := offers.Get(tx, id)
		if err != nil {
			return note(nil, err)
		}
		o.Shop, o.Rank = n%3, new(n)
		if n > 6 {
			o.Code = fmt.Sprint("code ", n)
		}
		return offers.Update(tx, &o)
	case 12:
		k, err := offers.Delete(tx, store.Equal("offer_id", store.Int(id)))
		return note(k, err)
	case 13:
		k, err := offers.Delete(tx, store.Equal("rank", store.Int(n)), store.Equal("active", store.Bool(true)))
		return note(k, err)
	case 14, 15:
		if there, err := offers.Exists(tx, id); there || err != nil {
			return note(there, err)
		}
		return offers.Insert(tx, &offer{OfferID: id, Code: fmt.Sprint("inserted ", id), Shop: n})
	case 16:
		return offers.Set(tx, "shop", n, store.Equal("shop", store.Int(n%3)))
	case 17:
		return solds.Insert(tx, &sold{GoodID: n, Text: "inserted"})
	case 18:
		return solds.InsertAll(tx, []sold{{GoodID: n, Text: "a"}, {GoodID: n, Text: "b"}})
	case 19:
		_, err := solds.Delete(tx, store.Equal("good_id", store.Int(n)))
		return err
	case 20:
		return events.Insert(tx, &event{OfferID: id})
	case 21:
		o, err := offers.Get(tx, id)
		return note(texts(o), err)
	case 22:
		o, err := ranks.Get(tx, id)
		if o.Rank != nil {
			fmt.Fprintln(b, *o.Rank)
		}
		return note(o.Shop, err)
	case 23:
		row := make([]store.Value, 2)
		err := tx.Get(&store.Projection{Schema: sameOffers, Columns: []int{0, column("rank")}}, id, row)
		if err != nil {
			row = nil
		}
		return note(fmt.Sprint(row), err)
	case 24:
		of, err := offers.Select(tx, store.Query{Where: []store.Cond{store.AtMost("rank", store.Int(n))}, Order: []store.Order{store.Desc("rank")}, Limit: 3})
		return note(list(of), err)
	case 25:
		of, total, err := offers.Page(tx, store.Query{Where: []store.Cond{store.Contains("text", "TEXT")}, Order: []store.Order{store.Asc("rank")}, Limit: 4, Offset: int(n)})
		return note(fmt.Sprint(list(of), total), err)
	case 26:
		k, err := offers.Count(tx, store.Not(store.InQuery("offer_id", goods.Schema(), "good_id", store.AtMost("amount", store.Int(99)))))
		return note(k, err)
	case 27:
		of, err := solds.Select(tx, store.Query{Order: []store.Order{{Column: "amount", Via: &store.Via{Column: "good_id", Schema: goods.Schema()}}}, Limit: 3})
		return note(of, err)
	case 28:
		of, err := soldGoods.Select(tx, store.Query{Limit: 5})
		return note(of, err)
	case 29: // reads while rows are read
		return goods.Each(tx, store.Query{Limit: 4}, func(g *good) error {
			k, err := solds.Count(tx, store.Equal("good_id", store.Int(g.GoodID)))
			if err != nil {
				return err
			}
			o, err := offers.Get(tx, g.GoodID)
			return note(fmt.Sprint(k, texts(o)), err)
		})
	case 30:
		return note(nil, st.View(ctx, func(_ context.Context, tx store.Tx) error {
			o, err := offers.Get(tx, id)
			g, err2 := goods.Get(tx, 1+id%randomGoods)
			fmt.Fprintln(b, texts(o), g)
			if errors.Is(err, store.ErrNotFound) {
				err = nil
			}
			return errors.Join(err, err2)
		}))
	case 31:
		return st.Update(ctx, func(_ context.Context, tx store.Tx) error { return take(tx, 1+random.Int64N(randomGoods), n) })
	case 32:
		of := []sold{}
		for range 1 + n {
			of = append(of, sold{GoodID: n, Text: "appended"})
		}
		return solds.Append(tx, of...)
	case 33:
		of, err := offers.Select(tx, store.Query{Where: []store.Cond{store.Equal("code", store.String(fmt.Sprint("code ", n)))}})
		if err == nil {
			err = note(list(of), nil)
			of, err2 := offers.Select(tx, store.Query{Where: []store.Cond{store.Equal("number", store.Int(n))}})
			return errors.Join(err, note(list(of), err2))
		}
		return err
	default:
		if !m.host {
			return nil
		}
		conn, err := sqlite.ConnOf(tx)
		if err != nil {
			return err
		}
		var sum int64
		if err := conn.QueryRowContext(ctx, "SELECT sum(amount) + (SELECT count(*) FROM solds) + (SELECT coalesce(sum(rank), 0) FROM offers) FROM goods").Scan(&sum); err != nil {
			return err
		}
		fmt.Fprintln(b, sum)
		if n%2 == 0 {
			_, err = conn.ExecContext(ctx, "UPDATE offers SET rank = 77 WHERE offer_id = ?", id)
		}
		return err
	}
}

// dump is all rows of the random tables.
func dump(t *testing.T, st store.Store) string {
	t.Helper()
	var b strings.Builder
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		for _, s := range []*store.Schema{goods.Schema(), solds.Schema(), offers.Schema(), events.Schema()} {
			err := tx.Select(s.All(), &store.Query{}, func(row []store.Value) error {
				fmt.Fprintln(&b, s.Name, row)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A reading is what a View has read, with the set of its reads.
type reading struct {
	reads *driver.ReadSet
	text  string
}

// readRandom reads in a View, and records that.
func readRandom(t *testing.T, st *sqlite.Store, n int64) *reading {
	t.Helper()
	r := &reading{reads: &driver.ReadSet{}}
	err := st.View(driver.WithReadSet(t.Context(), r.reads), func(_ context.Context, tx store.Tx) error {
		k, err := offers.Count(tx, store.AtMost("rank", store.Int(n)))
		if err != nil {
			return err
		}
		of, total, err := goods.Page(tx, store.Query{Where: []store.Cond{store.AtMost("amount", store.Int(100-n))}, Order: []store.Order{store.Asc("amount")}, Limit: 2})
		if err != nil {
			return err
		}
		g, err := goods.Get(tx, 1+n)
		if err != nil {
			return err
		}
		logged, err := solds.Count(tx)
		r.text = fmt.Sprintln(k, of, total, g, logged)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Members of batches do as they would one after another in the order in which they were committed:
// the ones that change, read, fail, conflict and panic at random, beside triggers and SQL of the host, and
// another program. The reads of Views that are called valid are.
func TestRandomMembersAreAsInTheirOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		variant := rand.New(rand.NewPCG(seed, 99))
		triggers, hosts := variant.IntN(2) == 0, variant.IntN(3) == 0
		path, path2 := file(t), file(t)
		together, alone := openRandom(t, path, triggers), openRandom(t, path2, triggers)
		other, other2 := host(t, path), host(t, path2)
		readings := map[int64]*reading{}
		for round := range uint64(6) {
			for n := range int64(4) {
				readings[n] = readRandom(t, together, n*2)
			}
			members := make([]*randomMember, 10)
			var order []int // in which they were committed
			var list []member
			for i := range members {
				m := &randomMember{seed: [2]uint64{seed*1000 + round, uint64(i)}, host: hosts}
				if variant.IntN(6) == 0 {
					m.fails = 1 + variant.IntN(2)
				}
				members[i] = m
				run := m.run(together)
				list = append(list, member{
					fn: func(ctx context.Context, tx store.Tx) error {
						store.AfterCommit(ctx, func() { order = append(order, i) })
						return run(ctx, tx)
					},
					panicked: func(any) {},
				})
			}
			together.SetCareful(variant.IntN(3) / 2 * 5)
			errs := batch(t, together, list...)
			seen := make([]string, len(members))
			for i, m := range members {
				seen[i] = m.seen
			}
			for _, i := range order {
				if err := alone.Update(t.Context(), members[i].run(alone)); err != nil || errs[i] != nil {
					t.Fatalf("seed %d, round %d, member %d: %v, alone %v", seed, round, i, errs[i], err)
				}
				if diff := cmp.Diff(members[i].seen, seen[i]); diff != "" {
					t.Fatalf("seed %d, round %d: member %d (-alone +together):\n%s", seed, round, i, diff)
				}
			}
			for i, err := range errs {
				succeeded := slices.Contains(order, i)
				if members[i].fails == 2 && succeeded || members[i].fails < 2 && (err == nil) != succeeded || errors.Is(err, store.ErrUnavailable) {
					t.Fatalf("seed %d, round %d: member %d is committed: %v, and has the error %v", seed, round, i, succeeded, err)
				}
			}
			if diff := cmp.Diff(dump(t, alone), dump(t, together)); diff != "" {
				t.Fatalf("seed %d, round %d (-alone +together):\n%s", seed, round, diff)
			}
			for n, was := range readings {
				if now := readRandom(t, together, n*2); was.reads.Valid(t.Context()) && was.text != now.text {
					t.Fatalf("seed %d, round %d: the reads are valid, and were %s, now %s", seed, round, was.text, now.text)
				}
			}
			if variant.IntN(4) == 0 {
				const sql = "UPDATE goods SET amount = amount + 1 WHERE good_id < 4; UPDATE offers SET rank = 3 WHERE offer_id = 2"
				_, err := other.Exec(sql)
				_, err2 := other2.Exec(sql)
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
			}
		}
		together.Close()
		alone.Close()
	}
}

const seeds = 40
