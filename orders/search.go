package orders

import (
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// fewFound is how many orders a search may find for them to be read by their ids. Reading an
// order by its id takes a few microseconds; where more are found, the rows of all orders are read,
// which takes seconds for a million.
const fewFound = 50_000

// An orderID is the key of an order.
type orderID struct {
	OrderID int64 `json:"order_id" store:"key"`
}

var orderIDs = store.Project[orderID](table)

// search asks for the orders that the parameter q means (extensions E12): digits are an id
// or the beginning of a phone number, other texts the beginning of an e-mail address, a phone
// number, or a first, last or whole name.
func (f *Filter) search(w *resource.Where) {
	text := strings.TrimSpace(f.Query)
	if !w.For("q").CheckLength(text) || text == "" {
		return
	}
	conds := []store.Cond{store.BeginsFold("phone", text)}
	if strings.Trim(text, "0123456789") == "" {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			conds = append(conds, store.Equal("order_id", store.Int(id)))
		}
	} else {
		// A first name begins the column cname, a last name the column customer.
		conds = append(conds, store.BeginsFold("email", text), store.BeginsFold("cname", text), store.BeginsFold("customer", text))
	}
	w.Add(searched(w, conds, fewFound))
}

// searched returns the condition that one of the conditions holds. Each has an index. The ids
// of few orders are read from these; of more, each page is soon full in the order of the
// list.
func searched(w *resource.Where, conds []store.Cond, few int) store.Cond {
	var ids []int64
	for _, cond := range conds {
		found, err := orderIDs.Select(w.Tx, store.Query{Where: []store.Cond{cond}, Limit: few + 1})
		w.SetError(err)
		for i := range found {
			ids = append(ids, found[i].OrderID)
		}
		if len(ids) > few {
			return store.Any(conds...)
		}
	}
	return store.InInts("order_id", ids...)
}
