package orders

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/period"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store/driver"
)

// ReportOptions say whether GET /reports/orders is on. The zero value is off.
type ReportOptions struct {
	On bool
}

const (
	reportDays = 30  // of a report without time_from
	reportMost = 400 // days of a report
)

// RegisterReports adds the address GET /reports/orders (extensions E12).
func (o *Orders) RegisterReports() error {
	return o.api.RegisterEndpoint(shopapi.Endpoint{
		Address: "reports/orders",
		Methods: map[string]shopapi.Method{http.MethodGet: {
			Serve: o.serveReport, Privileges: []string{"view_reports", "view_orders"}, Cacheable: true,
			Summary: "The sums of orders by day, status, product or company.", Answer: reflect.TypeFor[reportList](),
			Parameters: map[string]string{
				"by":             "day (the default), status, product or company",
				"time_from":      "seconds since 1970, or a date: 30 days before time_to by default",
				"time_to":        "seconds since 1970, or a date, at most 400 days after time_from: now by default",
				"status":         "letters of statuses: by default those that hold stock, and all in a report by status",
				"user_id":        "the orders of one customer",
				"page":           "the page, from 1",
				"items_per_page": "rows per page",
			},
		}},
	})
}

type reportList struct {
	Rows   []reportAnswer  `json:"rows"` // by ascending key
	Params *shopapi.Params `json:"params"`
}

// A reportFilter is the parameters of GET reports/orders.
type reportFilter struct {
	By       string `json:"by"`
	TimeFrom string `json:"time_from"`
	TimeTo   string `json:"time_to"`
	Status   string `json:"status" bind:"codes"`
	UserID   *int64 `json:"user_id"`
}

func (o *Orders) serveReport(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	var f reportFilter
	page, err := r.BindList(&f, false, sortsOfReport(r.Filter)...)
	if err != nil {
		return nil, err
	}
	asked, err := o.report(ctx, &f)
	if err != nil {
		return nil, err
	}
	list, err := o.Report(ctx, asked)
	if err != nil {
		return nil, err
	}
	if page.Descending {
		slices.Reverse(list)
	}
	total := len(list)
	list = list[min(page.Offset(), total):]
	list = list[:min(page.Limit(), len(list))]
	a := reportList{Rows: make([]reportAnswer, len(list)), Params: page.Params(int64(total))}
	for i := range list {
		a.Rows[i] = list[i].answer(asked.By)
	}
	a.Params.SortBy = string(asked.By)
	return &shopapi.Response{Body: a}, nil
}

// reportKeys are the values of the parameter by.
var reportKeys = []string{string(ByDay), string(ByStatus), string(ByProduct), string(ByCompany)}

// sortsOfReport returns the sort keys of a report: "by", and the key that params.sort_by
// names in the response.
func sortsOfReport(query url.Values) []string {
	values := append([]string{string(ByDay)}, query["by"]...)
	key := values[len(values)-1] // the last value counts, as in BindFilter
	if !slices.Contains(reportKeys, key) {
		key = string(ByDay)
	}
	return []string{key, "by"}
}

// report reads the parameters of a report.
func (o *Orders) report(ctx context.Context, f *reportFilter) (Report, error) {
	zone, err := o.api.LocationIn(ctx)
	if err != nil {
		return Report{}, err
	}
	asked := Report{By: cmp.Or(ReportBy(f.By), ByDay), UserID: f.UserID, Statuses: rules.Codes(f.Status)}
	var problems shopapi.Problems
	problems.OneOf("by", string(asked.By), reportKeys...)
	if len(asked.Statuses) > resource.MaxCodes {
		problems.Add("status", "must have at most %d values, not %d", resource.MaxCodes, len(asked.Statuses))
	}
	within, err := period.Between("time_from", f.TimeFrom, "time_to", f.TimeTo, zone)
	problems.Merge(err)
	if err := problems.Err(); err != nil {
		return Report{}, err
	}
	asked.From, asked.To = within.From, within.To
	if f.TimeTo == "" {
		now := o.api.Now(ctx).Unix()
		asked.To = now
		minute := now / 60 // a cached report moves its ends once a minute
		driver.ReadSetOf(ctx).While(func() bool { return o.api.Now(context.Background()).Unix()/60 == minute })
	}
	if f.TimeFrom == "" {
		asked.From = time.Unix(asked.To, 0).In(zone).AddDate(0, 0, -reportDays).Unix()
	}
	switch {
	case asked.From > asked.To:
		problems.Add("time_from", "must not be after time_to")
	case time.Unix(asked.From, 0).In(zone).AddDate(0, 0, reportMost).Unix() < asked.To:
		problems.Add("time_from", "must be at most %d days before time_to", reportMost)
	}
	return asked, problems.Err()
}
