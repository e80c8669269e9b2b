package pull_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store/memory"
)

// A list is read to its last page where its total is missing, or lower than the number of its items.
func TestE8_WrongTotals(t *testing.T) {
	t.Parallel()
	const size = 5
	for name, params := range map[string]string{
		"right": `{"total_items":"5"}`, "zero": `{"total_items":0}`, "null": `{"total_items":null}`, "empty": `{"total_items":""}`, "too low": `{"total_items":"3"}`, "none": `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !asksForCallRequests(w, r) {
					return
				}
				page, _ := strconv.Atoi(r.URL.Query().Get("page"))
				var items []string
				for id := 2*page - 1; id <= min(2*page, size); id++ {
					items = append(items, fmt.Sprintf(`{"request_id":"%d","company_id":"1","status":"new","phone":"1"}`, id))
				}
				fmt.Fprintf(w, `{"call_requests":[%s],"params":%s}`, strings.Join(items, ","), params)
			}))
			defer server.Close()
			report := run(t, newShop(t, memory.New()), from(server.URL+"/api"))
			if n := report.Counts["call_requests"]; n.Here != size || len(report.Problems) > 0 {
				t.Errorf("%+v, want %d, problems %+v", n, size, report.Problems)
			}
		})
	}
}
