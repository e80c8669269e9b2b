package orders

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/shopapi/shopapi/internal/jsonenc"
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
