package orders

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
)

// A numberForm is how the numbers of documents are written, such as INV-{year}-{number}:
// the value of the setting invoice_form or credit_memo_form (decisions §26).
type numberForm string

// hasYear reports whether numbers begin again with each year.
func (f numberForm) hasYear() bool { return strings.Contains(string(f), "{year}") }

// text is the n-th number of a year.
func (f numberForm) text(year, n int64) string {
	return strings.NewReplacer("{year}", strconv.FormatInt(year, 10), "{number}", strconv.FormatInt(n, 10)).Replace(string(f))
}

// fits reports whether a text is a number of the form, of any year.
func (f numberForm) fits(text string) bool {
	pattern := regexp.QuoteMeta(string(f))
	pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta("{year}"), "[0-9]{4,}")
	pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta("{number}"), "[0-9]+")
	is, err := regexp.MatchString("^"+pattern+"$", text)
	return is && err == nil
}

// formSettings are the settings of the forms, and formDefaults the forms of a shop without
// settings.
var (
	formSettings = map[DocumentKind]string{Invoice: shopapi.SettingInvoiceForm, CreditMemo: shopapi.SettingCreditMemoForm}
	nextSettings = map[DocumentKind]string{Invoice: shopapi.SettingInvoiceNext, CreditMemo: shopapi.SettingCreditMemoNext}
	formDefaults = map[DocumentKind]numberForm{Invoice: "INV-{year}-{number}", CreditMemo: "CM-{year}-{number}"}
)

// formOf reads the form of a company's numbers of a kind.
func (o *Orders) formOf(ctx context.Context, company int64, kind DocumentKind) (numberForm, error) {
	text, err := o.setting(ctx, company, formSettings[kind])
	if text == "" {
		return formDefaults[kind], err
	}
	return numberForm(text), err
}
