// Package dialect renders the requests of each peer, and reads the same rows from their
// responses.
package dialect

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// A List selects reviews, newest first. Zero fields do not filter.
type List struct {
	Status   string
	Rating   int
	Product  int
	Page     int
	PageSize int
}

// An OrderList selects orders, newest first.
type OrderList struct {
	Status   string
	From, To int64 // seconds since 1970
	Page     int
	PageSize int
}

// A Row is an object of a response: its members as text, the id as "id".
type Row map[string]string

// A Dialect renders requests to one peer, and reads its responses.
type Dialect interface {
	// Category and Review address one object.
	Category(id int) string
	Review(id int) string
	List(l List) string

	// Create and Update render the n-th of many different changes.
	Create(authorization string, n, products int) []byte
	Update(authorization string, id, n int) []byte

	// Orders addresses a list of orders; Place renders the n-th of many orders of three
	// products, and ChangeOrder the n-th of many changes of one, if the peer has orders.
	Orders(l OrderList) string
	Place(authorization string, n, products int) []byte
	ChangeOrder(authorization string, id, n int) []byte

	// Rows reads an answer to a list.
	Rows(header, body string) (rows []Row, total int, err error)
}

// Of returns the dialect of a peer.
func Of(name string) Dialect {
	switch name {
	case peer.PocketBase, peer.PocketBaseCgo:
		return pocketBase{}
	case peer.RESTLayer:
		return restLayer{}
	}
	return shop{}
}

// Get renders the request for an address.
func Get(target, authorization string) []byte { return load.Request("GET", target, authorization, "") }

// One reads an answer that is one object.
func One(body string) (Row, error) {
	var object map[string]any
	if err := decode(body, &object); err != nil {
		return nil, err
	}
	return rowOf(object), nil
}

func decode(body string, into any) error {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	return d.Decode(into)
}

// beside are members that a peer adds to every object.
var beside = []string{"collectionId", "collectionName", "_etag"}

// rowOf makes the members of an object comparable: peers write numbers with and without
// quotes, and flags as Y or as true.
func rowOf(object map[string]any) Row {
	row := Row{}
	for name, value := range object {
		switch v := value.(type) {
		case string:
			row[name] = v
		case bool:
			row[name] = map[bool]string{true: "Y", false: "N"}[v]
		default:
			text, _ := json.Marshal(v)
			row[name] = string(text)
		}
	}
	for _, key := range []string{"category_id", "post_id", "order_id"} {
		if id, ok := row[key]; ok {
			row["id"] = id
			delete(row, key)
		}
	}
	for _, name := range beside {
		delete(row, name)
	}
	return row
}

func rowsOf(objects []map[string]any) []Row {
	rows := make([]Row, len(objects))
	for i, o := range objects {
		rows[i] = rowOf(o)
	}
	return rows
}

// author is the author of new reviews.
const author = "Bench"

// shop is the interface of the library, which the hand-written handlers and the floor
// have too.
type shop struct{}

func (shop) Category(id int) string { return fmt.Sprintf("/api/2.0/categories/%d", id) }

func (shop) Review(id int) string { return fmt.Sprintf("/api/2.0/discussions/%d", id) }

func (shop) List(l List) string {
	target := fmt.Sprintf("/api/2.0/discussions?sort_by=timestamp&sort_order=desc&items_per_page=%d&page=%d", l.PageSize, l.Page)
	if l.Status != "" {
		target += "&status=" + l.Status
	}
	if l.Rating != 0 {
		target += fmt.Sprintf("&rating_value=%d", l.Rating)
	}
	if l.Product != 0 {
		target += fmt.Sprintf("&object_type=P&object_id=%d", l.Product)
	}
	return target
}

func (shop) Create(authorization string, n, products int) []byte {
	return load.Request("POST", "/api/2.0/discussions", authorization, fmt.Sprintf(
		`{"object_type":"P","object_id":"%d","name":%q,"message":%q,"rating_value":"%d"}`,
		1+n%products, author, data.Message(n), 1+n%5))
}

func (s shop) Update(authorization string, id, n int) []byte {
	return load.Request("PUT", s.Review(id), authorization, message(n))
}

// message is the body of an update.
func message(n int) string { return fmt.Sprintf(`{"message":%q}`, data.Message(n)) }

func (shop) Rows(_, body string) ([]Row, int, error) {
	var list struct {
		Discussions []map[string]any
		Orders      []map[string]any
		Params      struct {
			Total int `json:"total_items,string"`
		}
	}
	err := decode(body, &list)
	return rowsOf(append(list.Discussions, list.Orders...)), list.Params.Total, err
}

func (shop) Orders(l OrderList) string {
	return fmt.Sprintf("/api/2.0/orders?sort_by=date&sort_order=desc&items_per_page=%d&page=%d&status=%s&period=C&time_from=%d&time_to=%d",
		l.PageSize, l.Page, l.Status, l.From, l.To)
}

func (shop) Place(authorization string, n, products int) []byte {
	return load.Request("POST", "/api/2.0/orders", authorization, fmt.Sprintf(
		`{"user_id":"1","payment_id":"%d","shipping_id":"%d","products":{"%d":{"amount":"1"},"%d":{"amount":"2"},"%d":{"amount":"1"}}}`,
		data.Payment, data.Shipping, 1+n%products, 1+(n+1)%products, 1+(n+2)%products))
}

func (shop) ChangeOrder(authorization string, id, n int) []byte {
	return load.Request("PUT", fmt.Sprintf("/api/2.0/orders/%d", id), authorization, fmt.Sprintf(`{"details":%q}`, data.Message(n)))
}

// pocketBase is the interface of PocketBase.
type pocketBase struct{}

const pbReviews = "/api/collections/discussions/records"

func (pocketBase) Category(id int) string {
	return fmt.Sprintf("/api/collections/categories/records/%d", id)
}

func (pocketBase) Review(id int) string { return fmt.Sprintf("%s/%d", pbReviews, id) }

func (pocketBase) List(l List) string {
	var filter []string
	if l.Status != "" {
		filter = append(filter, "status='"+l.Status+"'")
	}
	if l.Rating != 0 {
		filter = append(filter, fmt.Sprintf("rating_value=%d", l.Rating))
	}
	if l.Product != 0 {
		filter = append(filter, fmt.Sprintf("object_type='P' && object_id=%d", l.Product))
	}
	target := fmt.Sprintf("%s?sort=-timestamp&perPage=%d&page=%d", pbReviews, l.PageSize, l.Page)
	if len(filter) > 0 {
		target += "&filter=" + url.QueryEscape(strings.Join(filter, " && "))
	}
	return target
}

func (pocketBase) Create(authorization string, n, products int) []byte {
	product := 1 + n%products
	return load.Request("POST", pbReviews, authorization, fmt.Sprintf(
		`{"object_type":"P","object_id":%d,"thread_id":%d,"name":%q,"message":%q,"rating_value":%d,`+
			`"status":"A","type":"B","company_id":1,"user_id":1,"ip_address":"127.0.0.1","timestamp":1790000000,"updated_at":1790000000}`,
		product, product, author, data.Message(n), 1+n%5))
}

func (p pocketBase) Update(authorization string, id, n int) []byte {
	return load.Request("PATCH", p.Review(id), authorization, message(n))
}

func (pocketBase) Rows(_, body string) ([]Row, int, error) {
	var list struct {
		Items      []map[string]any
		TotalItems int
	}
	err := decode(body, &list)
	rows := rowsOf(list.Items)
	for _, row := range rows {
		if total, isOrder := row["total"]; isOrder {
			f, _ := strconv.ParseFloat(total, 64)
			row["total"] = strconv.FormatFloat(f, 'f', 2, 64)
			for _, name := range []string{"issuer_id", "invoice_id", "credit_memo_id"} { // it has no null for these
				if row[name] == "" {
					row[name] = "null"
				}
			}
		}
	}
	return rows, list.TotalItems, err
}

const pbOrders = "/api/collections/orders/records"

// orderFields are the fields of the orders in lists.
const orderFields = "id,issuer_id,user_id,is_parent_order,parent_order_id,company_id,timestamp,firstname,lastname,email,phone,status,total,invoice_id,credit_memo_id,updated_at"

func (pocketBase) Orders(l OrderList) string {
	filter := fmt.Sprintf("is_parent_order=false && status='%s' && timestamp>=%d && timestamp<=%d", l.Status, l.From, l.To)
	return fmt.Sprintf("%s?sort=-timestamp&perPage=%d&page=%d&fields=%s&filter=%s", pbOrders, l.PageSize, l.Page, orderFields, url.QueryEscape(filter))
}

func (pocketBase) Place(authorization string, n, products int) []byte {
	return load.Request("POST", pbOrders, authorization, fmt.Sprintf(
		`{"user_id":1,"payment_id":%d,"shipping_ids":"%d","products":{"%d":{"amount":1},"%d":{"amount":2},"%d":{"amount":1}}}`,
		data.Payment, data.Shipping, 1+n%products, 1+(n+1)%products, 1+(n+2)%products))
}

func (pocketBase) ChangeOrder(authorization string, id, n int) []byte {
	return load.Request("PATCH", fmt.Sprintf("%s/%d", pbOrders, id), authorization, fmt.Sprintf(`{"details":%q}`, data.Message(n)))
}

// restLayer is the interface of rest-layer.
type restLayer struct{}

// It has no orders.
func (restLayer) Orders(OrderList) string             { return "" }
func (restLayer) Place(string, int, int) []byte       { return nil }
func (restLayer) ChangeOrder(string, int, int) []byte { return nil }

func (restLayer) Category(id int) string { return fmt.Sprintf("/api/categories/%d", id) }

func (restLayer) Review(id int) string { return fmt.Sprintf("/api/discussions/%d", id) }

func (restLayer) List(l List) string {
	var filter []string
	if l.Status != "" {
		filter = append(filter, `"status":"`+l.Status+`"`)
	}
	if l.Rating != 0 {
		filter = append(filter, fmt.Sprintf(`"rating_value":"%d"`, l.Rating))
	}
	if l.Product != 0 {
		filter = append(filter, fmt.Sprintf(`"object_type":"P","object_id":"%d"`, l.Product))
	}
	target := fmt.Sprintf("/api/discussions?sort=-timestamp&limit=%d&page=%d", l.PageSize, l.Page)
	if len(filter) > 0 {
		target += "&filter=" + url.QueryEscape("{"+strings.Join(filter, ",")+"}")
	}
	return target
}

func (restLayer) Create(authorization string, n, products int) []byte {
	product := 1 + n%products
	return load.Request("POST", "/api/discussions", authorization, fmt.Sprintf(
		`{"object_type":"P","object_id":"%d","thread_id":"%d","name":%q,"message":%q,"rating_value":"%d",`+
			`"status":"A","type":"B","company_id":"1","user_id":"1","ip_address":"127.0.0.1","timestamp":"1790000000","updated_at":"1790000000"}`,
		product, product, author, data.Message(n), 1+n%5))
}

func (r restLayer) Update(authorization string, id, n int) []byte {
	return load.Request("PATCH", r.Review(id), authorization, message(n))
}

func (restLayer) Rows(header, body string) ([]Row, int, error) {
	var objects []map[string]any
	if err := decode(body, &objects); err != nil {
		return nil, 0, err
	}
	for line := range strings.Lines(header) {
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "X-Total") {
			var total int
			_, err := fmt.Sscan(value, &total)
			return rowsOf(objects), total, err
		}
	}
	return nil, 0, fmt.Errorf("dialect: an answer without X-Total")
}
