package products

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// readAhead reads together what load and loadDetails read of one product one after another. See
// [store.ReadAhead].
func (p *Products) readAhead(ctx context.Context, tx store.Tx, list []*Summary) {
	if _, remote := tx.(store.ReaderAhead); !remote || len(list) != 1 {
		return
	}
	loads := []func(*Summary) error{func(s *Summary) error { return p.readLinks(tx, s) }}
	for _, part := range p.loaders {
		if !wanted(ctx, part) {
			continue
		}
		for _, purpose := range []Purpose{Values, Single} {
			loads = append(loads, func(s *Summary) error { return part.LoadProducts(ctx, tx, Reading{Purpose: purpose}, s) })
		}
	}
	var reads []func()
	for _, load := range loads {
		discarded := *list[0]
		reads = append(reads, func() { _ = load(&discarded) })
	}
	store.ReadAhead(tx, reads...)
}
