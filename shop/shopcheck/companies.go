package shopcheck

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// companies compares offers with their common products, vendors' users with their
// vendor, and the parts of an order with the vendors that sell them.
func (c *checker) companies() error {
	if err := c.offers(); err != nil {
		return err
	}
	vendors := store.Equal("user_type", store.String(string(shopapi.Vendor)))
	err := c.each("users", []string{"user_id"}, func(r row) error {
		c.found("users", r.int(0), "is a user of a vendor, and has no company")
		return nil
	}, vendors, store.Equal("company_id", store.Int(0)))
	if err != nil {
		return err
	}
	type part struct{ parent, company int64 }
	first := map[part]int64{}
	return c.each("orders", []string{"order_id", "parent_order_id", "company_id"}, func(r row) error {
		p := part{r.int(1), r.int(2)}
		if other, taken := first[p]; taken {
			c.found("orders", r.int(0), "is a part of order %d for company %d, as order %d is", p.parent, p.company, other)
			return nil
		}
		first[p] = r.int(0)
		return nil
	}, store.NotEqual("parent_order_id", store.Int(0)))
}

// offers compares offers with their common products: a vendor has one of each.
func (c *checker) offers() error {
	isOffer := store.NotEqual("master_product_id", store.Int(0))
	common := map[int64]bool{}
	err := c.each("products", []string{"product_id"}, func(r row) error {
		common[r.int(0)] = true
		return nil
	}, store.Equal("company_id", store.Int(0)))
	if err != nil {
		return err
	}
	type offer struct{ master, company int64 }
	first := map[offer]int64{}
	return c.each("products", []string{"product_id", "master_product_id", "company_id"}, func(r row) error {
		o := offer{r.int(1), r.int(2)}
		other, taken := first[o]
		switch {
		case o.company == 0:
			c.found("products", r.int(0), "is an offer of product %d, and has no company", o.master)
		case !common[o.master]:
			c.found("products", r.int(0), "is an offer of product %d, which is no common product", o.master)
		case taken:
			c.found("products", r.int(0), "is an offer of product %d by company %d, as product %d is", o.master, o.company, other)
		default:
			first[o] = r.int(0)
		}
		return nil
	}, isOffer)
}
