package orders

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/store"
)

// A KeptTable is the table of a method or a tax that orders keep. It is stored once per
// distinct content and never changes (decisions §26).
type KeptTable struct {
	TableID int64  `json:"table_id" store:"key"`
	Hash    string `json:"hash" store:"index"` // of Content. The isolation of transactions keeps it unique.
	Content string `json:"content"`            // a JSON object: what amounts follow from, without names
}

var keptTables = store.MustTable[KeptTable]("order_rules")

// bookOf reads the rules of a stored order. An order of an older version has the taxes that
// it shows with their rates; the others that it names count as taxes without rates, and
// what shipping and payment cost as written.
func (o *Orders) bookOf(tx store.Tx, order *Order) (*ruleBook, error) {
	if !order.Rules.Kept {
		return olderBook(order), nil
	}
	r := &order.Rules
	b := &ruleBook{destinations: r.Destinations, roundOrder: r.RoundOrder, cut: r.Cut, sumsKept: r.SumsKept, tables: map[any]int64{}}
	if r.Nowhere {
		b.destinations = []int64{}
	}
	read, err := newTableReader(tx, r)
	if err != nil {
		return nil, err
	}
	for _, t := range r.Taxes {
		table := new(taxTable)
		if err := read.into(t.Table, table); err != nil {
			return nil, err
		}
		b.tables[table] = t.Table
		b.taxes = append(b.taxes, bookTax{t.TaxID, t.Name, t.RegNumber, table})
	}
	if r.Shipping != 0 {
		b.shipping = new(shippingTable)
		b.tables[b.shipping] = r.Shipping
		if err := read.into(r.Shipping, b.shipping); err != nil {
			return nil, err
		}
	}
	if r.Payment != 0 {
		b.payment = new(paymentTable)
		b.tables[b.payment] = r.Payment
		if err := read.into(r.Payment, b.payment); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// A tableReader has the tables of an order, read at once.
type tableReader map[int64]string

func newTableReader(tx store.Tx, r *Rules) (tableReader, error) {
	ids := []int64{r.Shipping, r.Payment}
	for _, t := range r.Taxes {
		ids = append(ids, t.Table)
	}
	read := tableReader{}
	return read, keptTables.Each(tx, store.Query{Where: []store.Cond{store.InInts("table_id", ids...)}}, func(t *KeptTable) error {
		read[t.TableID] = t.Content
		return nil
	})
}

func (r tableReader) into(id int64, table any) error {
	content, ok := r[id]
	if !ok {
		return fmt.Errorf("orders: there is no table %d, which an order keeps", id)
	}
	return json.Unmarshal([]byte(content), table)
}

// store stores the tables that are not stored yet, and returns the rules as an order keeps
// them.
func (b *ruleBook) store(ctx context.Context, tx store.Tx, stored *tableIndex) (Rules, error) {
	r := Rules{Kept: true, Destinations: b.destinations, RoundOrder: b.roundOrder, Cut: b.cut, SumsKept: b.sumsKept}
	r.Nowhere = b.destinations != nil && len(b.destinations) == 0
	w := newTableWriter(b)
	for i := range b.taxes {
		w.add(b.taxes[i].taxTable)
	}
	if b.shipping != nil {
		w.add(b.shipping)
	}
	if b.payment != nil {
		w.add(b.payment)
	}
	if err := w.write(ctx, tx, stored); err != nil {
		return r, err
	}
	for i := range b.taxes {
		t := &b.taxes[i]
		r.Taxes = append(r.Taxes, KeptTax{t.id, t.name, t.regNumber, b.tables[t.taxTable]})
	}
	if b.shipping != nil {
		r.Shipping = b.tables[b.shipping]
	}
	if b.payment != nil {
		r.Payment = b.tables[b.payment]
	}
	return r, nil
}

// A tableWriter stores the tables of a rule book.
type tableWriter struct {
	book *ruleBook
	by   map[string][]any // tables by hash
	all  []KeptTable
	err  error
}

func newTableWriter(b *ruleBook) *tableWriter {
	if b.tables == nil {
		b.tables = map[any]int64{}
	}
	return &tableWriter{book: b, by: map[string][]any{}}
}

// add adds a table, which is a pointer, unless it is stored.
func (w *tableWriter) add(table any) {
	if _, stored := w.book.tables[table]; stored || w.err != nil {
		return
	}
	content, err := jsonenc.Marshal(table, jsonenc.Unlimited())
	w.err = err
	sum := sha256.Sum256(append([]byte(reflect.TypeOf(table).String()+":"), content...))
	hash := hex.EncodeToString(sum[:])
	if w.by[hash] == nil {
		w.all = append(w.all, KeptTable{Hash: hash, Content: string(content)})
	}
	w.by[hash] = append(w.by[hash], table)
}

// write finds the tables that are stored already, and stores the others.
func (w *tableWriter) write(ctx context.Context, tx store.Tx, stored *tableIndex) error {
	if len(w.all) == 0 || w.err != nil {
		return w.err
	}
	hashes := make([]string, len(w.all))
	for i := range w.all {
		hashes[i] = w.all[i].Hash
	}
	found, err := stored.find(ctx, tx, hashes, w.book.found)
	if err != nil {
		return err
	}
	for i := range w.all {
		t := &w.all[i]
		id, known := found[t.Hash]
		if !known {
			if err := keptTables.Insert(tx, t); err != nil {
				return err
			}
			id = t.TableID
		}
		for _, table := range w.by[t.Hash] {
			w.book.tables[table] = id
		}
	}
	return nil
}

// A tableIndex finds the ids of stored tables by their hashes.
type tableIndex struct {
	cached tablecache.Cache[string, map[string]int64] // by the hashes of the tables of one order

	mu     sync.Mutex
	recent []string // hashes of the tables of the last orders, newest first
}

// maxRecent is how many hashes are read ahead.
const maxRecent = 16

func newTableIndex(st store.Store) *tableIndex {
	const perTable = 256 // its hash twice and its slot
	size := func(found map[string]int64) int64 { return perTable * int64(1+len(found)) }
	return &tableIndex{cached: tablecache.New[string](st, 1<<20, size, keptTables.Schema())}
}

// find returns the ids of the tables that are stored, by their hashes. read are ids that the
// transaction has read already.
func (x *tableIndex) find(ctx context.Context, tx store.Tx, hashes []string, read map[string]int64) (map[string]int64, error) {
	x.use(hashes)
	if !slices.ContainsFunc(hashes, func(hash string) bool { return read[hash] == 0 }) {
		return read, nil
	}
	return x.cached.InUpdate(ctx, tx, strings.Join(hashes, ""), func(tx store.Tx) (map[string]int64, error) { return findTables(tx, hashes) })
}

// use moves hashes to the front of the recent ones.
func (x *tableIndex) use(hashes []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, hash := range hashes {
		if i := slices.Index(x.recent, hash); i >= 0 {
			x.recent = slices.Delete(x.recent, i, i+1)
		}
		x.recent = slices.Insert(x.recent, 0, hash)
	}
	x.recent = x.recent[:min(len(x.recent), maxRecent)]
}

// readAhead returns the ids of the tables of the last orders: the next order likely has the same.
func (x *tableIndex) readAhead(tx store.Tx) map[string]int64 {
	x.mu.Lock()
	hashes := slices.Sorted(slices.Values(x.recent))
	x.mu.Unlock()
	if len(hashes) == 0 {
		return nil
	}
	found, _ := findTables(tx, hashes) // without them, find reads
	return found
}

// findTables returns the ids of stored tables by their hashes.
func findTables(tx store.Tx, hashes []string) (map[string]int64, error) {
	values := make([]store.Value, len(hashes))
	for i, hash := range hashes {
		values[i] = store.String(hash)
	}
	found := map[string]int64{}
	err := keptHashes.Each(tx, store.Query{Where: []store.Cond{store.In("hash", values...)}}, func(t *keptHash) error {
		found[t.Hash] = t.TableID
		return nil
	})
	return found, err
}

// A keptHash is a KeptTable without its content.
type keptHash struct {
	TableID int64  `json:"table_id" store:"key"`
	Hash    string `json:"hash"`
}

var keptHashes = store.Project[keptHash](keptTables)
