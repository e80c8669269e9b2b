package shopcheck

import (
	"maps"
	"slices"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// catalogue checks the counts of categories and products.
func (c *checker) catalogue() error {
	counts, mains := map[int64]int64{}, map[int64]int{}
	err := c.each("products_categories", []string{"product_id", "category_id", "main"}, func(r row) error {
		counts[r.int(1)]++
		mains[r.int(0)] += int(r.int(2))
		return nil
	})
	if err != nil {
		return err
	}
	err = c.each("categories", []string{"category_id", "product_count"}, func(r row) error {
		if has, says := counts[r.int(0)], r.int(1); has != says {
			c.found("categories", r.int(0), "product_count is %d, and it has %d products", says, has)
		}
		return nil
	})
	for _, id := range slices.Sorted(maps.Keys(mains)) {
		if n := mains[id]; n != 1 {
			c.found("products", id, "has %d main categories", n)
		}
	}
	if err != nil {
		return err
	}
	return c.stock()
}

// stock compares the stock of products that is tracked by options with the sum of their
// combinations.
func (c *checker) stock() error {
	amounts := map[int64]int64{}
	err := c.each("product_options_inventory", []string{"product_id", "amount"}, func(r row) error {
		amounts[r.int(0)] += r.int(1)
		return nil
	})
	if err != nil {
		return err
	}
	return c.each("products", []string{"product_id", "amount"}, func(r row) error {
		if has, ok := amounts[r.int(0)]; ok && has != r.int(1) {
			c.found("products", r.int(0), "amount is %d, and its combinations have %d", r.int(1), has)
		}
		return nil
	}, store.Equal("tracking", store.String(products.TrackByOptions)))
}

// discussions compares the objects of posts with the objects of their threads.
func (c *checker) discussions() error {
	type object struct {
		kind string
		id   int64
	}
	threads := map[int64]object{}
	err := c.each("discussion_threads", []string{"thread_id", "object_type", "object_id"}, func(r row) error {
		threads[r.int(0)] = object{r.text(1), r.int(2)}
		return nil
	})
	if err != nil {
		return err
	}
	return c.each("discussions", []string{"post_id", "thread_id", "object_type", "object_id"}, func(r row) error {
		if of, ok := threads[r.int(1)]; ok && of != (object{r.text(2), r.int(3)}) {
			c.found("discussions", r.int(0), "is about %s %d, and its thread about %s %d", r.text(2), r.int(3), of.kind, of.id)
		}
		return nil
	})
}
