package ordermodel_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders/internal/ordermodel"
)

// The history of an order has one entry for each request that changed what GET answers,
// and names the fields that were sent and differed; the change log has a row for each
// entry (decisions §26).
func TestOrders_26_HistoryIsWhatChanged(t *testing.T) {
	t.Parallel()
	seed, shops := campaignSeed(t), uint64(6)
	if isLong() {
		shops = 300
	}
	entries := 0
	for number := range shops {
		edition, dialect := editionAndDialect(number)
		s := newRandomShop(t, shoptest.Memory(t), edition, dialect, rand.New(rand.NewPCG(seed, number<<8)), &tally{})
		for range 8 {
			for _, o := range s.place() {
				entries += s.followHistory(o)
			}
		}
	}
	t.Logf("%d entries were compared", entries)
}

// A change is what a history entry says.
type change struct {
	Event   string
	Fields  []string
	ItemIDs []string `json:"item_ids"`
}

// followHistory changes an order at random, and compares its history and the change log
// with what successive GETs show.
func (s *randomShop) followHistory(o *ordermodel.Order) int {
	want := []change{{Event: "created", Fields: []string{}, ItemIDs: []string{}}}
	address := "/api/2.0/orders/" + o.ID
	since := s.logged("now").Last
	for range 6 {
		before := s.Get(address)
		sent := len(s.sent)
		s.change(o)
		if len(s.sent) == sent {
			continue
		}
		after := s.Get(address)
		request := s.sent[sent]
		e := expected(s, request, before, after)
		changed := len(e.Fields) > 0
		if !changed && before.Body != after.Body {
			s.fail("%s changed what GET answers, and no field", request)
		}
		if changed {
			want = append(want, e)
		}
		log := s.logged(since)
		since = log.Last
		rows := slices.DeleteFunc(log.Changes, func(c loggedChange) bool { return c.ID != o.ID })
		if differs := before.Body != after.Body; differs && len(rows) != 1 || len(rows) > 1 || len(rows) == 1 && !changed {
			s.fail("%s: the change log has %v of order %s, whose GET changed: %v; the log is %+v", request, rows, o.ID, differs, log)
		}
	}
	var got struct{ History []change }
	s.Get(address + "/history?items_per_page=100").Decode(&got)
	for _, e := range got.History {
		slices.Sort(e.ItemIDs)
	}
	if diff := cmp.Diff(want, got.History); diff != "" {
		s.fail("the history of order %s (-want +got):\n%s", o.ID, diff)
	}
	return len(want)
}

type loggedChange struct{ Entity, ID, Op string }

func (s *randomShop) logged(since string) (log struct {
	Changes []loggedChange
	Last    string `json:"last_seq"`
}) {
	a := s.Get("/api/2.0/changes?limit=1000&entity=orders&since=" + since)
	if a.Decode(&log); a.Status != 200 || log.Last == "" {
		s.fail("the changes since %s: %d %s", since, a.Status, a.Body)
	}
	return log
}

// expected is the entry that a request makes: of each field that was sent, whether it
// differs from what GET answered before.
func expected(s *randomShop, request string, before, after *apitest.Answer) change {
	e := change{Event: "updated", Fields: []string{}, ItemIDs: []string{}}
	if !strings.HasSuffix(request, ": 200") {
		return e
	}
	text := request[strings.Index(request, "{") : strings.LastIndex(request, "}")+1]
	var sent, was map[string]any
	if err := json.Unmarshal([]byte(text), &sent); err != nil {
		s.fail("%s: %v", request, err)
	}
	before.Decode(&was)
	for name, value := range sent {
		switch name {
		case "reprice":
			e.Fields = append(e.Fields, name)
		case "products":
			if e.ItemIDs = changedLines(before, after); len(e.ItemIDs) > 0 {
				e.Fields = append(e.Fields, name)
			}
		case "shipping_id":
			if fmt.Sprint(value) != was["shipping_ids"] {
				e.Fields = append(e.Fields, name)
			}
		case "user_data":
			for part, value := range value.(map[string]any) {
				if value != was[part] {
					e.Fields = append(e.Fields, part)
				}
			}
		case "shipping_cost", "payment_surcharge":
			if value == "" && was[name+"_set"] == "Y" || value != "" && value != was[name] {
				e.Fields = append(e.Fields, name)
			}
		case "recalculate":
		default:
			if fmt.Sprint(value) != was[name] {
				e.Fields = append(e.Fields, name)
			}
		}
	}
	slices.Sort(e.Fields)
	return e
}

// changedLines are the ids of the lines whose pieces, price or discount two answers of GET
// show differently, sorted.
func changedLines(before, after *apitest.Answer) []string {
	lines := func(a *apitest.Answer) map[string]string {
		var shown shownOrder
		a.Decode(&shown)
		all := map[string]string{}
		for id, l := range shown.Products {
			all[id] = fmt.Sprint(l.Amount, l.Price, l.Discount)
		}
		return all
	}
	was, is := lines(before), lines(after)
	ids := []string{}
	for id, line := range was {
		if is[id] != line {
			ids = append(ids, id)
		}
	}
	for id := range is {
		if _, had := was[id]; !had {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
