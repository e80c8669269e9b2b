package pull

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
)

// The lists below an order that servers of decisions §26 have.
const (
	historyList   = "history"
	documentsList = "documents"
)

// A childList is a list below an object.
type childList struct {
	list []json.RawMessage
	err  error // a refusal: the list could not be read
}

// findChildLists asks which lists the old shop has below its orders. Servers without them answer
// something else there.
func findChildLists(ctx context.Context, p *puller, orders []item) error {
	const asked = 3
	for _, name := range []string{historyList, documentsList} {
		if p.lists[name] {
			continue
		}
		for _, it := range orders[:min(asked, len(orders))] {
			raw, err := p.old.get(ctx, it.path()+"/"+name, nil)
			if err != nil && !isRefusal(err) {
				return err
			}
			if members, ok := parseObject(raw); err == nil && ok && members[name] != nil {
				p.lists[name] = true
				break
			}
		}
		if !p.lists[name] && len(orders) > 0 {
			p.report.note(withoutList[name])
		}
	}
	return nil
}

// withoutList is what the report says of a server that does not have a list.
var withoutList = map[string]string{
	historyList:   "orders: the old shop does not show their history",
	documentsList: "orders: the old shop does not show its invoices and credit memos: orders keep the numbers, and the documents stay there",
}

// readChildLists reads the history of an order and its documents, if the old shop has such lists.
func readChildLists(ctx context.Context, p *puller, o *object) error {
	o.children = map[string]childList{}
	for _, name := range []string{historyList, documentsList} {
		if !p.lists[name] || name == documentsList && o.int("invoice_date") == 0 {
			continue
		}
		list, err := p.readChildList(ctx, "orders/"+o.id, name)
		if err != nil && !isRefusal(err) {
			return err
		}
		o.children[name] = childList{list, err}
	}
	return nil
}

// readChildList reads all pages of a list below an object.
func (p *puller) readChildList(ctx context.Context, path, name string) (list []json.RawMessage, err error) {
	query := url.Values{}
	if p.pageSize > 0 {
		query.Set("items_per_page", strconv.Itoa(p.pageSize))
	}
	for page := 1; ; page++ {
		query.Set("page", strconv.Itoa(page))
		raw, err := p.old.get(ctx, path+"/"+name, query)
		if err != nil {
			return nil, err
		}
		members, _ := parseObject(raw)
		var items []json.RawMessage
		if json.Unmarshal(members[name], &items) != nil {
			return nil, &refusal{text: "with no list " + name, status: 200}
		}
		list = append(list, items...)
		params, _ := parseObject(members["params"])
		if total, ok := wholeNumber(params["total_items"]); !ok || len(items) == 0 || int64(len(list)) >= total {
			return list, nil
		}
	}
}
