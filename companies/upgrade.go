package companies

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// Conversion gives a company to each id that rows of the tables name and that no
// company has (decisions §24): those tables of an older version's that have a column
// company_id. The companies are active, and called "Company <id>".
func Conversion(tables []*store.Schema) store.Conversion {
	c := store.Conversion{Name: "companies: ids that rows name", Tables: []*store.Schema{table.Schema()}}
	var named []*store.Schema
	for _, s := range tables {
		if s.Name != table.Schema().Name && s.Index("company_id") > 0 {
			named = append(named, s)
		}
	}
	c.Tables = append(c.Tables, named...)
	c.Convert = func(_ context.Context, tx store.Tx) error {
		for _, s := range named {
			if err := adopt(tx, s); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

// adopt makes the companies that rows of a table lack, lowest id first.
func adopt(tx store.Tx, s *store.Schema) error {
	p, err := s.Project("company_id")
	if err != nil {
		return err
	}
	q := store.Query{
		Where: []store.Cond{
			store.AtLeast("company_id", store.Int(1)),
			store.Not(store.InQuery("company_id", table.Schema(), "company_id")),
		},
		Order: []store.Order{store.Asc("company_id")}, Limit: 1,
	}
	for {
		var id int64
		err := tx.Select(p, &q, func(row []store.Value) error {
			id = row[0].Int()
			return nil
		})
		if err != nil || id == 0 {
			return err
		}
		if err := ensure(tx, id, 0); err != nil {
			return err
		}
	}
}
