package sqlite

import (
	"errors"
	"strings"

	"github.com/shopapi/shopapi/store"
)

const (
	// maxQueued is how many rows wait to be indexed: many at once take a fraction of the
	// time of each alone, and a search looks at each that waits. Of long rows fewer wait: once
	// maxQueuedBytes have been written to the table since the queue was empty, minQueued.
	maxQueued      = 640
	minQueued      = 256
	maxQueuedBytes = 1 << 20

	// One commit indexes as many rows as it changed, and so many more: at most maxIndexed
	// rows, and as long as all have at most maxIndexedBytes of text together. Thus a
	// change is not delayed by the changes of others.
	maxIndexed      = 2048
	maxIndexedBytes = 128 << 10

	// A commit that indexes rows merges at most a page of the index for every so many bytes of their
	// text, and at least so many pages. Writers would wait for a merge of everything that could be
	// merged.
	bytesPerMergedPage = 128
	minMergedPages     = 64
)

// indexQueued moves the queues of the tables that the batch has changed into their
// indexes, in its transaction. Where that fails the rows stay queued, unless the
// transaction is gone.
func (b *batch) indexQueued() error {
	for _, t := range b.changed.tables {
		if there, err := b.writer.conn.searches(t.schema); err != nil || !there {
			continue
		}
		if err := b.writer.indexQueue(t.schema, t.queued, t.bytes); err != nil && !b.writer.conn.db.InTransaction() {
			return err
		}
	}
	return nil
}

// indexQueue indexes the rows that have waited longest, if enough wait. own is how many the
// transaction has added, and written the bytes of the rows that it has changed.
func (w *writer) indexQueue(s *store.Schema, own, written int) error {
	queue, index := quote(s.Name+queueSuffix), quote(s.Name+searchSuffix)
	first, last, err := w.conn.queueEnds(s)
	if err != nil {
		return err
	}
	if w.queuedBytes == nil {
		w.queuedBytes = make(map[string]int)
	}
	w.queuedBytes[s.Name] += written
	if n := last - first; n < minQueued || n < maxQueued && w.queuedBytes[s.Name] < maxQueuedBytes {
		return nil
	}
	end := last
	last, bytes, err := w.lastToIndex(s, own)
	if err != nil {
		return err
	}
	if last == end {
		w.queuedBytes[s.Name] = 0
	}
	if err := w.conn.searchRows(s, "SAVEPOINT search", nil, nil); err != nil {
		return err
	}
	for _, sql := range []string{
		"DELETE FROM " + index + " WHERE rowid IN (SELECT id FROM " + queue + " WHERE n <= ?1 AND id NOT IN (SELECT " + quote(s.Key()) + " FROM " + quote(s.Name) + "))",
		indexRows(s) + " WHERE " + quote(s.Key()) + " IN (SELECT id FROM " + queue + " WHERE n <= ?1)",
		"DELETE FROM " + queue + " WHERE n <= ?1",
	} {
		if err = w.conn.searchRows(s, sql, []store.Value{store.Int(last)}, nil); err != nil {
			break
		}
	}
	if err == nil {
		pages := store.Int(max(minMergedPages, bytes/bytesPerMergedPage))
		err = w.conn.searchRows(s, "INSERT INTO "+index+" ("+index+", rank) VALUES ('merge', ?)", []store.Value{pages}, nil)
	}
	if err == nil {
		return w.conn.searchRows(s, "RELEASE search", nil, nil)
	}
	if w.conn.db.InTransaction() {
		err = errors.Join(err, w.conn.searchRows(s, "ROLLBACK TO search", nil, nil), w.conn.searchRows(s, "RELEASE search", nil, nil))
	}
	return err
}

// queueEnds returns the numbers of the first and the last row of the queue, 0 and -1 where it is empty.
func (c *conn) queueEnds(s *store.Schema) (first, last int64, err error) {
	first, last = 0, -1
	queue := quote(s.Name + queueSuffix)
	err = c.searchRows(s, "SELECT (SELECT min(n) FROM "+queue+"), (SELECT max(n) FROM "+queue+")", nil, func(row []store.Value) {
		if !row[0].IsNull() {
			first, last = row[0].Int(), row[1].Int()
		}
	})
	return first, last, err
}

// lastToIndex returns the number of the last row of the queue that this commit indexes, and
// how many bytes of text it indexes.
func (w *writer) lastToIndex(s *store.Schema, own int) (last, bytes int64, err error) {
	sizes := searchedColumns(s)
	for i, name := range sizes {
		sizes[i] = "coalesce(octet_length(t." + name + "), 0)"
	}
	sql := "SELECT q.n, " + strings.Join(sizes, " + ") + " FROM " + quote(s.Name+queueSuffix) + " q LEFT JOIN " +
		quote(s.Name) + " t ON t." + quote(s.Key()) + " = q.id ORDER BY q.n LIMIT ?"
	rows, read := 0, int64(0)
	err = w.conn.searchRows(s, sql, []store.Value{store.Int(int64(maxIndexed + own))}, func(row []store.Value) {
		rows++
		read += row[1].Int()
		if rows <= max(own, 1) || read <= maxIndexedBytes {
			last, bytes = row[0].Int(), read
		}
	})
	return last, bytes, err
}
