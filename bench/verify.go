package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/dialect"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// A verifier computes the right responses: it has the rows in memory and filters them by
// a loop.
type verifier struct {
	rows         int
	newest       []listed
	newestOrders []listed
}

// A listed has the fields of a review or order that decide about its place in lists.
type listed struct {
	id, rating, product int
	timestamp           int64
	status              string
}

func newVerifier(rows int) *verifier {
	t := &verifier{rows: rows, newest: make([]listed, rows), newestOrders: make([]listed, rows)}
	for i := range t.newest {
		r := data.Review(i+1, rows)
		t.newest[i] = listed{i + 1, int(r.RatingValue), int(r.ObjectID), r.Timestamp, r.Status}
		o := data.Order(i+1, rows)
		t.newestOrders[i] = listed{id: i + 1, timestamp: o.Timestamp, status: o.Status}
	}
	for _, list := range [][]listed{t.newest, t.newestOrders} {
		slices.SortFunc(list, func(a, b listed) int { return cmp.Compare(b.timestamp, a.timestamp) })
	}
	return t
}

// list returns the ids of a page, and the total.
func (t *verifier) list(l dialect.List) (ids []int, total int) {
	for _, r := range t.newest {
		if l.Status != "" && l.Status != r.status || l.Rating != 0 && l.Rating != r.rating || l.Product != 0 && l.Product != r.product {
			continue
		}
		if total >= l.PageSize*(l.Page-1) && len(ids) < l.PageSize {
			ids = append(ids, r.id)
		}
		total++
	}
	return ids, total
}

// maxChecked is the maximum number of rows for which every list is checked. With more
// rows only some are: with a million, a list takes the slower peers a second.
const maxChecked = 50_000

// check checks some responses of each operation of a peer. The floor serves responses of
// the library, which were checked.
func (t *verifier) check(p *peer.Process, s scale) error {
	if p.Name == peer.Floor {
		return t.checkRefusal(p)
	}
	for _, id := range []int{1, 7, t.rows / 2, t.rows} {
		got, err := object(p, dialect.Of(p.Name).Category(id))
		if err != nil {
			return err
		}
		if err := differ(fmt.Sprintf("category %d", id), data.Category(id), got); err != nil {
			return err
		}
	}
	lists := slices.Concat(hotLists(s, 10), hotLists(s, 100)[:20], pagesFrom(s.firstPage())[:3], pagesFrom(s.deepPage())[:3])
	for i := 0; i < len(lists); i += max(1, t.rows/maxChecked) {
		l := lists[i]
		if err := t.checkList(p, l); err != nil {
			return fmt.Errorf("%+v: %w", l, err)
		}
	}
	return errors.Join(t.checkOrders(p), t.checkUpdate(p), t.checkRefusal(p))
}

// checkOrders checks some of the lists of orders.
func (t *verifier) checkOrders(p *peer.Process) error {
	target := dialect.Of(p.Name).Orders
	if target(dialect.OrderList{}) == "" {
		return nil
	}
	lists := append(hotOrders(10), hotOrders(100)...)
	for i := 0; i < len(lists); i += 7 {
		l := lists[i]
		_, body, err := answer(p, dialect.Get(target(l), p.Authorization))
		if err != nil {
			return err
		}
		rows, total, err := dialect.Of(p.Name).Rows("", body)
		if err != nil {
			return err
		}
		ids, want := t.orderIDs(l)
		if total != want || len(rows) != len(ids) {
			return fmt.Errorf("%+v: %d orders of %d instead of %d of %d", l, len(rows), total, len(ids), want)
		}
		for n, id := range ids {
			if err := differ(fmt.Sprintf("order %d", n), data.Order(id, t.rows).Summary, rows[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// orderIDs returns the ids of a page of orders, and the total.
func (t *verifier) orderIDs(l dialect.OrderList) (ids []int, total int) {
	for _, o := range t.newestOrders {
		if l.Status != o.status || o.timestamp < l.From || o.timestamp > l.To {
			continue
		}
		if total >= l.PageSize*(l.Page-1) && len(ids) < l.PageSize {
			ids = append(ids, o.id)
		}
		total++
	}
	return ids, total
}

func (t *verifier) checkList(p *peer.Process, l dialect.List) error {
	rows, total, err := ask(p, l)
	if err != nil {
		return err
	}
	ids, want := t.list(l)
	if total != want || len(rows) != len(ids) {
		return fmt.Errorf("%d rows of %d instead of %d of %d", len(rows), total, len(ids), want)
	}
	for i, id := range ids {
		if err := differ(fmt.Sprintf("row %d", i), data.Review(id, t.rows), rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkUpdate changes a review, reads it, and changes it back.
func (t *verifier) checkUpdate(p *peer.Process) error {
	d := dialect.Of(p.Name)
	for _, n := range []int{t.rows + 7, 1} {
		if _, _, err := answer(p, d.Update(p.Authorization, 1, n)); err != nil {
			return err
		}
		got, err := object(p, d.Review(1))
		if err != nil {
			return err
		}
		want := data.Review(1, t.rows)
		want.Message = data.Message(n)
		want.UpdatedAt, _ = strconv.ParseInt(got["updated_at"], 10, 64) // by the clock; rest-layer and PocketBase leave it
		if err := differ("the changed review", want, got); err != nil {
			return err
		}
	}
	return nil
}

// checkRefusal checks that wrong credentials are refused.
func (t *verifier) checkRefusal(p *peer.Process) error {
	for _, authorization := range []string{"Basic eDp5", "x"} {
		if _, _, err := answer(p, dialect.Get(dialect.Of(p.Name).Category(1), authorization)); err == nil {
			return errors.New("wrong credentials were accepted")
		}
	}
	return nil
}

// differ compares the members of a response with the stored row.
func differ(what string, row any, got dialect.Row) error {
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	want, err := dialect.One(string(text))
	if err != nil {
		return err
	}
	if !maps.Equal(want, got) {
		return fmt.Errorf("%s is %v instead of %v", what, got, want)
	}
	return nil
}

// answer sends a request and returns a successful response.
func answer(p *peer.Process, request []byte) (header, body string, err error) {
	c, err := load.Dial(p.Addr)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	status, header, body, err := c.Answer(request)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("status %d: %.300s", status, body)
	}
	return header, body, err
}

func object(p *peer.Process, target string) (dialect.Row, error) {
	_, body, err := answer(p, dialect.Get(target, p.Authorization))
	if err != nil {
		return nil, err
	}
	return dialect.One(body)
}

func ask(p *peer.Process, l dialect.List) ([]dialect.Row, int, error) {
	d := dialect.Of(p.Name)
	header, body, err := answer(p, dialect.Get(d.List(l), p.Authorization))
	if err != nil {
		return nil, 0, err
	}
	return d.Rows(header, body)
}
