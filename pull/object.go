package pull

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// An object is an object as the other server sent it, in any of the forms that servers
// use.
type object struct {
	members  map[string]json.RawMessage
	entity   string
	id       string
	report   *Report
	children map[string]childList // what other addresses have of it, by their last segment

	// home is the company of an object that names none, 0 for none.
	home int64

	// ownTexts says that the texts, of an object in another language than the base language, are
	// its own in that language. Otherwise a text that is the same in the base language is not.
	ownTexts bool
}

// objectOf returns an object whose problems go into the report.
func (p *puller) objectOf(entity, id string, members map[string]json.RawMessage) *object {
	return &object{members: members, entity: entity, id: id, report: p.report, home: p.homeOf(entity)}
}

// homeOf returns the company of an entity's objects that name none: the default one. In the edition with
// vendors they belong to no company: such products are common products.
func (p *puller) homeOf(entity string) int64 {
	if p.sh.Edition() == shopapi.MultiVendor || slices.Contains(withoutCompany, entity) {
		return 0
	}
	return p.sh.DefaultCompany()
}

// parseObject reads an object. An empty array is an object without members.
func parseObject(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if wire.IsEmpty(raw) {
		return map[string]json.RawMessage{}, true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil, false
	}
	return members, true
}

// under returns an object within o; its problems are reported on o.
func (o *object) under(raw json.RawMessage) *object {
	members, _ := parseObject(raw)
	return &object{members: members, entity: o.entity, id: o.id, report: o.report, home: o.home}
}

// A member is an item of an array, or a member of an object, that is an object itself.
type member struct {
	entries.Entry
	object *object
}

// objects returns the items of a list that are objects. The others are problems of the field.
func (o *object) objects(field string) []member {
	var list []member
	for _, e := range o.list(field) {
		if _, ok := parseObject(e.Value); !ok {
			o.problem(field, "has an item that is not an object: it was not taken")
			continue
		}
		list = append(list, member{e, o.under(e.Value)})
	}
	return list
}

// list returns the items of an array, or the members of an object in their order.
func (o *object) list(field string) []entries.Entry {
	list, err := entries.Parse(o.members[field])
	if err != nil {
		o.problem(field, "is neither a list nor an object")
	}
	return list
}

func (o *object) problem(field, reason string) {
	o.report.problem(Problem{o.entity, o.id, field, reason})
}

func (o *object) has(field string) bool {
	raw, ok := o.members[field]
	return ok && string(raw) != "null"
}

// text is a field as a text: lists are joined by commas.
func (o *object) text(field string) string {
	text, kind := wire.Scalar(o.members[field])
	if kind != wire.Composite {
		return o.clean(field, text, o.members[field])
	}
	list, err := entries.Parse(o.members[field])
	if err != nil {
		return ""
	}
	texts := make([]string, 0, len(list))
	for _, e := range list {
		item, kind := wire.Scalar(e.Value)
		if kind == wire.Composite {
			o.problem(field, "is no text")
			return ""
		}
		texts = append(texts, item)
	}
	return o.clean(field, strings.Join(texts, ","), o.members[field])
}

// clean removes characters that a database cannot store.
func (o *object) clean(field, text string, raw json.RawMessage) string {
	if !utf8.Valid(raw) {
		o.problem(field, "is no valid UTF-8: the bytes that are none became U+FFFD")
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if strings.IndexByte(text, 0) >= 0 {
		o.problem(field, "has NUL characters, which were left out")
		text = strings.ReplaceAll(text, "\x00", "")
	}
	return text
}

// int is a field as a whole number, 0 where it is empty.
func (o *object) int(field string) int64 {
	n, ok := wholeNumber(o.members[field])
	if !ok {
		o.problem(field, "is no whole number")
	}
	return n
}

// companyColumn names the company of an object.
const companyColumn = "company_id"

// company is the company of an object.
func (o *object) company() int64 {
	company := o.int(companyColumn)
	if company == 0 && o.home > 0 {
		company = o.home
	}
	return company
}

// wholeNumber reads a number as servers write it: a number, a text, with zeros behind a
// point.
func wholeNumber(raw json.RawMessage) (int64, bool) {
	text, kind := wire.Scalar(raw)
	text = strings.TrimSpace(text)
	switch {
	case kind == wire.Composite:
		return 0, wire.IsEmpty(raw)
	case text == "" || text == "false" || text == "N":
		return 0, true
	case text == "true" || text == "Y":
		return 1, true
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	d, err := decimal.Parse(text)
	if err != nil || !d.IsInt() {
		return 0, false
	}
	n, _, ok := d.Int64(0)
	return n, ok
}

// flag is a field as a flag.
func (o *object) flag(field string) bool {
	text, _ := wire.Scalar(o.members[field])
	switch strings.TrimSpace(text) {
	case "", "N", "n", "0", "false", "D":
		return false
	case "Y", "y", "1", "true", "A":
		return true
	}
	o.problem(field, "is neither Y nor N")
	return false
}

// exactPlaces is how many places of a JSON number count: servers write floats, whose further
// places are an error of rounding.
const exactPlaces = 6

// decimal is a field as an amount with so many places.
func (o *object) decimal(field string, scale int) decimal.Decimal {
	text, kind := wire.Scalar(o.members[field])
	text = strings.TrimSpace(text)
	zero := decimal.MustNew(0, scale)
	if text == "" || kind == wire.Bool {
		return zero
	}
	d, err := decimal.Parse(text)
	if err != nil {
		o.problem(field, "is no amount")
		return zero
	}
	rounded := d.Round(scale)
	if !rounded.Equal(d) && (kind != wire.Number || !d.Round(exactPlaces).Equal(rounded)) {
		o.problem(field, "has more than "+strconv.Itoa(scale)+" places: "+short(text)+" was rounded to "+rounded.Pad(scale).String())
	}
	padded := rounded.Pad(scale)
	if padded.Scale() != scale || padded.Coef() > math.MaxInt64 {
		o.problem(field, "is too large an amount: "+short(text)+" became 0")
		return zero
	}
	return padded
}

// document is a field as the JSON that it is, "[]" where it is empty, and "{}" where it is an empty
// object.
func (o *object) document(field string) string {
	if string(bytes.TrimSpace(o.members[field])) == "{}" {
		return "{}"
	}
	text, err := wire.Compact(o.members[field])
	if err != nil || text == "" {
		return "[]"
	}
	return o.clean(field, text, o.members[field])
}

// value is a field as a column holds it.
func (o *object) value(c *store.Column) store.Value {
	raw := bytes.TrimSpace(o.members[c.Name])
	if c.Null && (len(raw) == 0 || string(raw) == "null") {
		return store.Null
	}
	if c.Name == companyColumn {
		company := o.company()
		if n, _ := wholeNumber(raw); n != company {
			o.report.note("objects that have no company in the old shop belong to company " + shopapi.FormatID(company) + " here")
		}
		return store.Int(company)
	}
	switch c.Kind {
	case store.Integer:
		return store.Int(o.int(c.Name))
	case store.Boolean:
		return store.Bool(o.flag(c.Name))
	case store.Decimal:
		return amount(o.decimal(c.Name, c.Scale), c.Scale)
	case store.JSON:
		return store.String(o.document(c.Name))
	}
	return store.String(o.text(c.Name))
}

// amount is an amount as a column holds it.
func amount(d decimal.Decimal, scale int) store.Value {
	d = d.Rescale(scale)
	n := int64(d.Coef())
	if d.IsNeg() {
		n = -n
	}
	return store.Int(n)
}

// A row is what an object gives a table.
type row []store.Value

// row returns the row of a table; set has the columns that differ from the object's
// fields of the same name.
func (o *object) row(s *store.Schema, set map[string]store.Value) row {
	r := make(row, len(s.Columns))
	for i := range s.Columns {
		c := &s.Columns[i]
		if v, ok := set[c.Name]; ok {
			r[i] = v
			continue
		}
		r[i] = o.value(c)
	}
	return r
}

// stamp sets the time of the last change in an object's row. Where the other server does not
// send it, that is the time of creation.
func (o *object) stamp(first *part) {
	const column = "updated_at"
	first.follows = append(first.follows, column)
	if !o.has(column) {
		first.kept = append(first.kept, column)
		first.rows[0][first.schema.Index(column)] = store.Int(o.int("timestamp"))
	}
}
