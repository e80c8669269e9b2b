package sqlite

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// The row cache counts the bytes of its rows and parts of rows, and has parts of few projections.
func TestRowCache_Bounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	projections := make([]*store.Projection, 100)
	for i := range projections {
		projections[i] = &store.Projection{Schema: cups, Columns: []int{0, 1}}
	}
	c := rowCache{version: 1}
	for range 20_000 {
		key, values := random.Int64N(50), row(random.Int64N(50), strings.Repeat("x", random.IntN(20_000)))
		switch random.IntN(8) {
		case 0:
			c.remove(cups, key)
		case 1, 2:
			c.changed(cups, key, values)
		case 3:
			c.put(cups, key, values)
		case 4:
			if random.IntN(50) == 0 {
				c.drop(cups.Name)
			}
		default:
			c.putPart(projections[random.IntN(len(projections))], key, values)
		}
		bytes, partial := 0, 0
		if t := c.tables[cups.Name]; t != nil {
			partial = len(t.parts)
			for _, row := range t.rows {
				bytes += driver.RowSize(row)
			}
			for _, rows := range t.parts {
				for _, part := range rows {
					bytes += driver.RowSize(part)
				}
			}
		}
		if bytes != c.bytes || partial > maxPartial {
			t.Fatalf("the cache counts %d bytes of %d, and has %d projections", c.bytes, bytes, partial)
		}
	}
}
