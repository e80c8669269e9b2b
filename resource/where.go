package resource

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/period"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/store"
)

// A Filter selects the objects of a list. It is a pointer to a struct that embeds
// [ListOptions] and has the parameters in its json tags. The tag match has the condition of a
// field:
//
//	Name   string  `json:"lamp" match:"contains"`                // a part of the column
//	Status string  `json:"status" bind:"codes" match:"equal"`    // one of these codes
//	Owner  *int64  `json:"owner" match:"equal=user_id"`          // in the column user_id
//	IDs    []int64 `json:"lamp_ids" match:"equal=lamp_id"`       // one of these
//	From   string  `json:"updated_from" match:"since=updated"`   // a range of times
//	To     string  `json:"updated_to" match:"until=updated"`
//
// These conditions are added before the method Where is called.
type Filter interface {
	// Where adds the filter's other conditions to w, and notes parameters that are wrong.
	Where(w *Where)

	list() *ListOptions
}

// ListOptions are the order of a list and the part of it that is asked for. Every
// filter embeds them. Requests set them by sort_by, sort_order, page and
// items_per_page.
type ListOptions struct {
	SortBy string `json:"-"` // a sort key; "" is the entity's default
	Order  Order  `json:"-"` // "" is the entity's default
	Limit  int    `json:"-"` // items at most; 0 means all
	Offset int    `json:"-"` // items passed over first
}

func (o *ListOptions) list() *ListOptions { return o }

// Where adds no condition. A filter with conditions that tags cannot express has its own.
func (*ListOptions) Where(*Where) {}

// An Order is the direction of a list.
type Order string

// The orders.
const (
	Ascending  Order = "asc"
	Descending Order = "desc"
)

// A Sort is a sort key of lists and the column that it orders by; ties are broken
// by id. Without a column the rows come by id, for [List.Select] to order.
type Sort struct{ Key, Column string }

func keysOf(sorts []Sort) []string {
	keys := make([]string, len(sorts))
	for i, s := range sorts {
		keys[i] = s.Key
	}
	return keys
}

// A plainFilter has no parameters.
type plainFilter struct{ ListOptions }

// Where collects the conditions of a list and the problems of its parameters. Its methods
// do nothing for a parameter that was not given. A problem is reported on the name of the
// column; [Where.For] is for a parameter with another name.
type Where struct {
	// Context and Tx belong to the read for which the conditions are, API to the entity.
	Context context.Context
	Tx      store.Tx
	API     *shopapi.API

	// Above is the object that the address leads through, nil for none and for Go
	// code. The conditions that its [Parent] adds are there already.
	Above *ParentRef

	// Export says that the list is an export, in which required parameters may be absent
	// (extensions E7). The rows that the user may not see are left out of it afterwards.
	Export bool

	// Problems are the problems of the parameters.
	Problems shopapi.Problems

	schema *store.Schema // of the rows
	conds  []store.Cond
	err    error
}

// Add adds conditions.
func (w *Where) Add(conds ...store.Cond) { w.conds = append(w.conds, conds...) }

// SetError makes the list fail with err, unless that is nil. The first error counts.
func (w *Where) SetError(err error) {
	if w.err == nil {
		w.err = err
	}
}

// RequireView makes the list fail with a 403 unless the user may read the objects of the
// named entity, because the list reveals data of them. It does nothing if the entity is
// not registered.
func (w *Where) RequireView(entity string) {
	err := w.API.Authorize(w.Context, entity, shopapi.OpGet)
	if errors.Is(err, errForbidden) {
		w.SetError(err)
	}
}

var errForbidden error = &shopapi.Error{Status: http.StatusForbidden}

// Text asks for rows whose column is the value, which may have
// [shopapi.MaxFilterText] bytes.
func (w *Where) Text(column, value string) { w.For(column).Text(column, value) }

// Code asks for rows whose column is one of the values, which are separated by commas.
// There may be [MaxCodes] of them. The field of the filter has the tag bind:"codes", so
// that status[]=A&status[]=D is "A,D", and the rule oneof for the values that it takes.
func (w *Where) Code(column, values string) { w.AnyText(column, w.Codes(column, values)) }

// MaxCodes is how many codes a filter may name.
const MaxCodes = rules.MaxCodes

// Codes returns the values of a parameter that are separated by commas, each once. More
// than [MaxCodes] are a problem.
func (w *Where) Codes(parameter, values string) []string {
	codes := rules.Codes(values)
	if len(codes) > MaxCodes {
		w.Problems.Add(parameter, "must have at most %d values, not %d", MaxCodes, len(codes))
		return nil
	}
	return codes
}

// AnyText selects rows whose column is one of the values; without values it adds no
// condition.
func (w *Where) AnyText(column string, values []string) {
	switch len(values) {
	case 0:
		return
	case 1:
		w.Text(column, values[0])
		return
	}
	in := make([]store.Value, len(values))
	for i, value := range values {
		in[i] = store.String(value)
	}
	w.Add(store.In(column, in...))
}

func (w *Where) isLive() bool { return w.API.Dialect() == shopapi.DialectLive }

// Contains asks for rows whose column, marked fold, has the value as a part,
// without regard to case. The value may have [shopapi.MaxFilterText] bytes.
func (w *Where) Contains(column, value string) { w.For(column).Contains(column, value) }

// Int asks for rows whose column is the value.
func (w *Where) Int(column string, value *int64) {
	if value != nil {
		w.Add(store.Equal(column, store.Int(*value)))
	}
}

// Range asks for rows whose column is not less than from and not more than to,
// each of which may be nil.
func (w *Where) Range(column string, from, to *int64) {
	if from != nil {
		w.Add(store.AtLeast(column, store.Int(*from)))
	}
	if to != nil {
		w.Add(store.AtMost(column, store.Int(*to)))
	}
}

// Amount asks for rows whose column of decimals is the value. A value that the column cannot
// store is a problem.
func (w *Where) Amount(column string, value *decimal.Decimal) {
	w.amount(store.Equal, column, column, value)
}

// AmountRange asks for rows whose column of decimals is not less than from and not more than
// to. Both are parameters with a name and a value, which may be nil.
func (w *Where) AmountRange(column, fromName string, from *decimal.Decimal, toName string, to *decimal.Decimal) {
	w.amount(store.AtLeast, column, fromName, from)
	w.amount(store.AtMost, column, toName, to)
}

func (w *Where) amount(cond func(string, store.Value) store.Cond, column, parameter string, value *decimal.Decimal) {
	if value == nil {
		return
	}
	i := w.schema.Index(column)
	if i < 0 || w.schema.Columns[i].Kind != store.Decimal {
		w.SetError(fmt.Errorf("resource: %s has no column %s of decimals", w.schema.Name, column))
		return
	}
	scale := w.schema.Columns[i].Scale
	amount := *value
	rules.NormalizeAmount(&w.Problems, parameter, &amount, rules.LimitsOf(scale))
	w.Add(cond(column, amountValue(amount)))
}

// Flag asks for rows whose column is the value.
func (w *Where) Flag(column string, value *shopapi.Flag) {
	if value != nil {
		w.Add(store.Equal(column, store.Bool(bool(*value))))
	}
}

// A Period is the parameters of a filter that name a period.
type Period struct {
	Code     string // period: a code of the specification, or HC
	From, To string // time_from and time_to: seconds since 1970, or dates
	Days     *int64 // last_days, for HC
}

// Period asks for rows whose column, in seconds since 1970, is in a period (decisions
// §10, §27). In the live dialect From and To count without a code too.
func (w *Where) Period(column string, p Period) {
	code := p.Code
	if code == "" && (p.From != "" || p.To != "") && w.isLive() {
		code = period.Custom
	}
	zone := time.UTC
	if code != "" || p.From != "" || p.To != "" {
		var err error
		if zone, err = w.API.LocationIn(w.Context); err != nil {
			w.SetError(err)
			return
		}
	}
	now := time.Time{}.In(zone)
	switch { // asked for only where it matters: it limits for how long a list is cached
	case period.EndsNow(code):
		now = w.API.Now(w.Context).In(zone)
	case period.IsCalendar(code):
		now = w.API.Today(w.Context, zone)
	}
	within, err := period.Parse(period.Sent{Code: code, From: p.From, To: p.To, Days: p.Days}, now)
	w.Problems.Merge(err)
	w.Add(within.Conds(column)...)
}

// Times asks for rows whose column, in seconds since 1970, is not before one parameter
// and not after another, each of which has a name and a value: such seconds, or a date
// in the time zone of the shop, the whole of which belongs to the range.
func (w *Where) Times(column, fromName, from, toName, to string) {
	if from == "" && to == "" {
		return
	}
	zone, err := w.API.LocationIn(w.Context)
	if err != nil {
		w.SetError(err)
		return
	}
	within, err := period.Between(fromName, from, toName, to, zone)
	w.Problems.Merge(err)
	w.Add(within.Conds(column)...)
}

// AnyOf combines the conditions added by fn into one: at least one of them must be true.
func (w *Where) AnyOf(fn func()) {
	before := w.conds
	w.conds = nil
	fn()
	switch len(w.conds) {
	case 0:
	case 1:
		before = append(before, w.conds...)
	default:
		before = append(before, store.Any(w.conds...))
	}
	w.conds = before
}

func (w *Where) result() ([]store.Cond, error) {
	if err := w.Problems.Err(); err != nil {
		return nil, err
	}
	return w.conds, w.err
}
