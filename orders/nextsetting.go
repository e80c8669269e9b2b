package orders

import (
	"context"
	"fmt"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A nextNumbers keeps the setting invoice_next or credit_memo_next: the next number of the
// counter of the present form and year (decisions §26).
type nextNumbers struct {
	orders *Orders
	kind   DocumentKind
}

var _ shopapi.SettingKeeper = nextNumbers{}

// maxNumber is the greatest number of a document.
const maxNumber = 999_999_999_999

// registerSettings adds the keepers of the next numbers.
func (o *Orders) registerSettings() {
	for _, kind := range []DocumentKind{Invoice, CreditMemo} {
		o.api.KeepSetting(nextSettings[kind], nextNumbers{o, kind})
	}
}

// present reads the counter of the present form and year.
func (n nextNumbers) present(ctx context.Context, tx store.Tx, company int64) (counter, error) {
	form, err := n.orders.formOf(ctx, company, n.kind)
	if err != nil {
		return counter{}, err
	}
	zone, err := n.orders.api.LocationIn(ctx)
	if err != nil {
		return counter{}, err
	}
	year := int64(0)
	if form.hasYear() {
		year = form.yearOf(n.orders.api.Today(ctx, zone), zone)
	}
	return readCounter(tx, company, n.kind, year)
}

// SettingValue implements [shopapi.SettingKeeper].
func (n nextNumbers) SettingValue(ctx context.Context, company int64) (value string, err error) {
	err = n.orders.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		c, err := n.present(ctx, tx, company)
		value = strconv.FormatInt(c.Next, 10)
		return err
	})
	return value, err
}

// SetSettingValue implements [shopapi.SettingKeeper]. A number that was given is not given
// again.
func (n nextNumbers) SetSettingValue(ctx context.Context, company int64, value string) (problem string, err error) {
	err = n.orders.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		c, err := n.present(ctx, tx, company)
		if err != nil {
			return err
		}
		next, err := strconv.ParseInt(value, 10, 64)
		if err != nil || next <= c.Highest || next > maxNumber || strconv.FormatInt(next, 10) != value {
			problem = fmt.Sprintf("must be a whole number from %d to %d", c.Highest+1, int64(maxNumber))
			return nil
		}
		c.Next = next
		return c.write(tx)
	})
	return problem, err
}
