package storecopy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"

	"github.com/shopapi/shopapi/store"
)

// A Sum is the number and the checksum of a table's rows.
type Sum struct {
	Table  string
	Rows   int64
	SHA256 string // of all values by ascending key, in hexadecimal
}

// compare reads a table from both stores.
func (c *copier) compare(ctx context.Context, s *store.Schema) (Sum, error) {
	want, err := c.sum(ctx, c.from, s, math.MaxInt64, -1)
	if err != nil {
		return Sum{}, err
	}
	got, err := c.sum(ctx, c.to, s, math.MaxInt64, want.Rows)
	if err == nil && got != want {
		err = fmt.Errorf("%w: one has %d rows with the checksum %.8s, the other %d with %.8s", ErrDiffers, want.Rows, want.SHA256, got.Rows, got.SHA256)
	}
	return got, err
}

// sum reads the rows of a table with keys up to last. It reports progress if total, the expected number
// of rows, is known.
func (c *copier) sum(ctx context.Context, st store.Store, s *store.Schema, last, total int64) (Sum, error) {
	digest := sha256.New()
	n := int64(0)
	for after := int64(math.MinInt64); ; {
		rows, err := readBatch(ctx, st, s, after, last, c.batch)
		if err != nil {
			return Sum{}, err
		}
		if len(rows) == 0 {
			return Sum{s.Name, n, hex.EncodeToString(digest.Sum(nil))}, nil
		}
		for _, row := range rows {
			for _, v := range row {
				write(digest, v)
			}
		}
		after = rows[len(rows)-1][0].Int()
		n += int64(len(rows))
		if total >= 0 {
			c.progress(Progress{s.Name, Comparing, n, total})
		}
	}
}

// write adds a value to a digest so that different rows have different digests.
func write(digest hash.Hash, v store.Value) {
	var prefix [9]byte
	switch {
	case v.IsNull():
		digest.Write([]byte{'n'})
	case v.IsText():
		prefix[0] = 't'
		binary.BigEndian.PutUint64(prefix[1:], uint64(len(v.Text())))
		digest.Write(prefix[:])
		digest.Write([]byte(v.Text()))
	default:
		prefix[0] = 'i'
		binary.BigEndian.PutUint64(prefix[1:], uint64(v.Int()))
		digest.Write(prefix[:])
	}
}
