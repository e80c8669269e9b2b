// Package shopcheck finds rows of a shop that contradict each other. No request leaves
// such rows, but an error in the library, in a host's own SQL or of the machine may. The
// command cmd/shopctl runs it from a terminal.
//
// It reads tables, not entities: entities compute some values for each response, which
// would hide the stored ones. It is for shops with all of the library's entities:
// references to objects of a host's own entities look broken.
package shopcheck

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// A Violation is a row that contradicts others.
type Violation struct {
	Table string
	Key   int64
	Text  string // the stored and the expected value
}

func (v Violation) String() string { return fmt.Sprintf("%s %d: %s", v.Table, v.Key, v.Text) }

// Check calls report for each violation. It reads everything in one snapshot, so that
// the shop may run meanwhile, and writes nothing. It needs memory for ids and paths, not
// for whole rows.
//
//   - Every row that another row refers to exists: categories of products, threads of
//     reviews, lines of carts, companies, statuses of orders and so on.
//   - Categories and pages have the paths that follow from their parents, and categories
//     count their products. A product in categories has one main category.
//   - Amounts of orders are the sums of their lines and taxes, and the amounts of an order
//     of several vendors the sums of its parts. An order that keeps its rules has their
//     tables, its total is the sum of its parts and of total_adjustment, and its taxes and
//     their taxable amounts are the sums of what lines, shipping and surcharge have of them
//     (decisions §26). The total of an older order, which clients may write, is not
//     checked, nor are sums that recalculate=N kept.
//   - The shares of the orders of several vendors lie one after the other.
//   - An offer belongs to a common product, and a vendor has one of each. Users of vendors
//     have a company, and an order of several vendors has one part for each.
//   - A line holds at most its pieces that are not shipped, and none in an order that takes
//     no stock. No more is shipped than was ordered, nor consumed than was shipped. A
//     product whose stock is tracked by options has as many pieces as its combinations.
//   - An order shows the numbers of its invoice and of its last credit memo, and no more is
//     credited than was invoiced. A counter of numbers is above the numbers that it has given.
//   - The sales of a product are the pieces in orders whose status takes stock.
//
// Check returns errors of the store.
func Check(ctx context.Context, st store.Store, report func(Violation)) error {
	return st.View(ctx, func(_ context.Context, tx store.Tx) error {
		c := &checker{tx: tx, report: report, schemas: map[string]*store.Schema{}}
		for _, s := range shop.Schemas() {
			c.schemas[s.Name] = s
		}
		for _, check := range []func() error{c.references, c.trees, c.catalogue, c.discussions, c.companies, c.orders, c.documents, c.sales} {
			if err := check(); err != nil {
				return err
			}
		}
		return nil
	})
}

// A checker is one run of Check.
type checker struct {
	tx      store.Tx
	schemas map[string]*store.Schema
	report  func(Violation)
}

// found reports a violation.
func (c *checker) found(table string, key int64, format string, args ...any) {
	c.report(Violation{table, key, fmt.Sprintf(format, args...)})
}

// A row has the values of the selected columns, in their order.
type row []store.Value

func (r row) int(i int) int64   { return r[i].Int() }
func (r row) text(i int) string { return r[i].Text() }

// each reads columns of the rows of a table that meet all conditions, by ascending key.
func (c *checker) each(table string, columns []string, read func(row) error, where ...store.Cond) error {
	p, err := c.schemas[table].Project(columns...)
	if err != nil {
		return err
	}
	return c.tx.Select(p, &store.Query{Where: where}, func(values []store.Value) error { return read(values) })
}

// eachBy reads columns of the rows of a table by an indexed column, and then by key.
func (c *checker) eachBy(table, order string, columns []string, read func(row) error) error {
	s := c.schemas[table]
	p, err := s.Project(columns...)
	if err != nil {
		return err
	}
	q := &store.Query{Order: []store.Order{store.Asc(order), store.Asc(s.Key())}}
	return c.tx.Select(p, q, func(values []store.Value) error { return read(values) })
}
