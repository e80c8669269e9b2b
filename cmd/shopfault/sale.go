package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
)

// The products that all workers order, and the stock of each before the first order. The
// other one has its stock in a combination of its option.
const (
	stockName  = "fault stock"
	otherName  = "fault stock by options"
	firstStock = 1_000_000
)

// A sale is what the workers' orders have in common.
type sale struct {
	product, customer, payment, shipping int64
	after                                int64 // the last order of the demo

	other, option, variant, combination int64
}

// beginSale creates the product in a category, and finds a customer of the demo and methods
// of payment and shipping.
func beginSale(ctx context.Context, c *client, category int64) (s sale, err error) {
	r, err := c.do(ctx, request{method: "POST", path: products, body: encode(map[string]any{
		"product": stockName, "price": "2.50", "amount": firstStock, "tracking": "B", "category_ids": []int64{category},
	})})
	if err != nil {
		return s, err
	}
	if s.product, err = createdID(r); err != nil || r.status != http.StatusCreated {
		return s, r.unexpected("POST of the product that is ordered")
	}
	if err := s.addOther(ctx, c, category); err != nil {
		return s, err
	}
	for path, id := range map[string]*int64{
		"users?user_type=C&items_per_page=1":                       &s.customer,
		"payments?status=A&items_per_page=1":                       &s.payment,
		"shippings?status=A&items_per_page=1":                      &s.shipping,
		"orders?sort_by=order_id&sort_order=desc&items_per_page=1": &s.after,
	} {
		if *id, err = firstID(ctx, c, path); err != nil {
			return s, err
		}
	}
	return s, nil
}

// addOther creates the product with an option.
func (s *sale) addOther(ctx context.Context, c *client, category int64) (err error) {
	create := func(entity string, fields map[string]any) int64 {
		if err != nil {
			return 0
		}
		var r *response
		if r, err = c.do(ctx, request{method: "POST", path: entity, body: encode(fields)}); err != nil {
			return 0
		}
		id, failed := createdID(r)
		if failed != nil || r.status != http.StatusCreated {
			err = r.unexpected("POST " + entity)
		}
		return id
	}
	s.other = create(products, map[string]any{"product": otherName, "price": "3.50", "tracking": "O", "category_ids": []int64{category}})
	s.option = create("options", map[string]any{
		"product_id": s.other, "option_name": "Colour", "option_type": "S", "inventory": "Y", "variants": []map[string]string{{"variant_name": "blue"}},
	})
	if err != nil {
		return err
	}
	var option struct {
		Variants map[string]struct {
			ID int64 `json:"variant_id,string"`
		} `json:"variants"`
	}
	if _, err := c.get(ctx, key{"options", s.option}.path(), &option); err != nil {
		return err
	}
	for _, v := range option.Variants {
		s.variant = v.ID
	}
	s.combination = create("combinations", map[string]any{
		"product_id": s.other, "combination": map[string]int64{strconv.FormatInt(s.option, 10): s.variant}, "amount": firstStock,
	})
	return err
}

// firstID is the id of the first object of a list, 0 for none.
func firstID(ctx context.Context, c *client, path string) (int64, error) {
	var list struct {
		Users []struct {
			ID int64 `json:"user_id,string"`
		}
		Payments []struct {
			ID int64 `json:"payment_id,string"`
		}
		Shippings []struct {
			ID int64 `json:"shipping_id,string"`
		}
		Orders []struct {
			ID int64 `json:"order_id,string"`
		}
	}
	if _, err := c.get(ctx, path, &list); err != nil {
		return 0, err
	}
	switch {
	case len(list.Users) > 0:
		return list.Users[0].ID, nil
	case len(list.Payments) > 0:
		return list.Payments[0].ID, nil
	case len(list.Shippings) > 0:
		return list.Shippings[0].ID, nil
	case len(list.Orders) > 0:
		return list.Orders[0].ID, nil
	}
	return 0, nil
}

// addTo adds what a new order needs: some pieces of one of the products.
func (s sale) addTo(fields map[string]any, pieces int, other bool) {
	fields["user_id"], fields["payment_id"], fields["shipping_id"] = s.customer, s.payment, s.shipping
	if !other {
		fields["products"] = map[string]any{strconv.FormatInt(s.product, 10): map[string]int{"amount": pieces}}
		return
	}
	chosen := map[string]int64{strconv.FormatInt(s.option, 10): s.variant}
	fields["products"] = map[string]any{strconv.FormatInt(s.other, 10): map[string]any{"amount": pieces, "product_options": chosen}}
}

// An order has the fields that are checked.
type order struct {
	ID       int64           `json:"order_id,string"`
	Notes    string          `json:"notes"`
	Details  string          `json:"details"`
	Products map[string]line `json:"products"`
}

type line struct {
	ProductID int64 `json:"product_id,string"`
	Amount    int   `json:"amount,string"`
}

// readOrders reads the workers' orders, all of which are the customer's.
func readOrders(ctx context.Context, c *client, goods sale) (all []order, err error) {
	query := fmt.Sprintf("?user_id=%d&sort_by=order_id&fields=order_id", goods.customer) // the demo has thousands of others
	listed, err := list[order](ctx, c, orders, query)
	if err != nil {
		return nil, err
	}
	for _, item := range listed {
		if item.ID <= goods.after {
			continue
		}
		var o order
		if _, err := c.get(ctx, key{orders, item.ID}.path(), &o); err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// addOrders records the workers' orders, and checks that their pieces are missing from the
// stock, and no others.
func (s *snapshot) addOrders(all []order, goods sale) {
	pieces := map[int64]int{}
	for _, o := range all {
		half := o.Details != o.Notes || len(o.Products) != 1
		for _, line := range o.Products {
			half = half || line.ProductID != goods.product && line.ProductID != goods.other
			pieces[line.ProductID] += line.Amount
		}
		s.add(key{orders, o.ID}, o.Notes, half, state{})
	}
	for _, id := range []int64{goods.product, goods.other} {
		if s.stock[id]+pieces[id] != firstStock {
			s.broken = append(s.broken, fmt.Sprintf("product %d: the stock is %d and the orders have %d pieces: %d in all, want %d",
				id, s.stock[id], pieces[id], s.stock[id]+pieces[id], firstStock))
		}
	}
	if s.combined != s.stock[goods.other] {
		s.broken = append(s.broken, fmt.Sprintf("product %d: the stock is %d, and that of its only combination %d", goods.other, s.stock[goods.other], s.combined))
	}
}
