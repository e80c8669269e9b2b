package shopapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/listheaders"
	"github.com/shopapi/shopapi/internal/response"
)

// A List is the answer to GET on an entity's own address: the objects and, when
// it is paged, the parameters of the page (§6).
type List struct {
	Name   string  // the key of the objects in the envelope
	Items  any     // a slice; empty, never nil
	Params *Params // nil when the list is not paged

	// ParamsBody, unless nil, is written in place of Params. It begins with the members of
	// Params and has further ones.
	ParamsBody any

	// Bare sends the objects alone, as an array. The parameters then go into the
	// headers X-Total-Count and Link (§7). Link repeats the query for each of its pages,
	// and is left out where that is longer than 2 KiB.
	Bare bool
}

// Params are the parameters of a page in the response (§6).
type Params struct {
	ItemsPerPage int64  `json:"items_per_page,string"`
	Page         int64  `json:"page"`
	SortOrder    string `json:"sort_order"`
	SortBy       string `json:"sort_by"`
	SortOrderRev string `json:"sort_order_rev"`
	TotalItems   int64  `json:"total_items,string"`
}

// A Page is the part of a list that a request asks for, and its order (§6).
type Page struct {
	Number     int64 // from 1
	Size       int64 // items per page, 1 or more
	SortBy     string
	Descending bool
}

// Page reads page, items_per_page, sort_by and sort_order. Without sort_by, the order is
// the first of sorts; desc is the default direction. It returns a 400 for an invalid
// page, size or order; a size above the maximum becomes the maximum, and the live dialect
// has an order for every sort_by.
func (r *Request) Page(desc bool, sorts ...string) (Page, error) {
	var problems Problems
	limits := r.limits()
	p := Page{Number: 1, Size: cmp.Or(r.itemsPerPage, int64(limits.ItemsPerPage)), SortBy: sorts[0], Descending: desc}
	positive := func(name string, into *int64) {
		s := last(r.Filter[name])
		if s == "" {
			return
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 1 || s[0] == '+' {
			problems.Add(name, "must be a whole number from 1, not %s", quoted(s))
			return
		}
		*into = n
	}
	positive("page", &p.Number)
	positive("items_per_page", &p.Size)
	p.Size = min(p.Size, int64(limits.MaxItemsPerPage))
	if s := last(r.Filter["sort_by"]); s != "" {
		if p.SortBy = r.sortKey(s, sorts); p.SortBy == "" {
			problems.Add("sort_by", "must be one of %s, not %s", strings.Join(sorts, ", "), quoted(s))
		}
	}
	switch s := last(r.Filter["sort_order"]); s {
	case "":
	case "asc", "desc":
		p.Descending = s == "desc"
	default:
		problems.Add("sort_order", "must be asc or desc, not %s", quoted(s))
	}
	return p, problems.Err()
}

// sortKey is the one of sorts that sort_by asks for, "" for none. In the live dialect
// timestamp is date, updated_timestamp is updated, and an unknown key is the default (§4,
// §27).
func (r *Request) sortKey(asked string, sorts []string) string {
	switch {
	case slices.Contains(sorts, asked):
		return asked
	case r.api == nil || r.api.Dialect() != DialectLive:
		return ""
	case asked == "timestamp" && slices.Contains(sorts, "date"):
		return "date"
	case asked == "updated_timestamp" && slices.Contains(sorts, "updated"):
		return "updated"
	}
	return sorts[0]
}

// BindList is [Request.BindFilter] and [Request.Page] at once: it returns a 400
// that names whatever is wrong with either.
func (r *Request) BindList(filter any, desc bool, sorts ...string) (Page, error) {
	var problems Problems
	problems.Merge(r.BindFilter(filter))
	page, err := r.Page(desc, sorts...)
	problems.Merge(err)
	return page, problems.Err()
}

// Limit is the number of items of the page.
func (p Page) Limit() int { return int(p.Size) }

// Offset is the number of items before the page. Offsets beyond the range of int have no
// items anyway.
func (p Page) Offset() int {
	if p.Number-1 > math.MaxInt/p.Size {
		return math.MaxInt
	}
	return int((p.Number - 1) * p.Size)
}

// Params returns the parameters for the response, with the total number of items.
func (p Page) Params(total int64) *Params {
	order, reverse := "asc", "desc"
	if p.Descending {
		order, reverse = reverse, order
	}
	return &Params{
		ItemsPerPage: p.Size, Page: p.Number, TotalItems: total,
		SortBy: p.SortBy, SortOrder: order, SortOrderRev: reverse,
	}
}

// addHeaders adds the headers of a page whose body is a bare array (§7, RFC 8288).
func (p *Params) addHeaders(r *response.Response, u *url.URL) {
	r.Add("X-Total-Count", strconv.FormatInt(p.TotalItems, 10))
	page := listheaders.Page{Number: p.Page, Size: p.ItemsPerPage, Total: p.TotalItems}
	page.Fields = strings.Join(ParseFields(u.Query()["fields"]), ",") // equal choices share a cached response
	if link := page.Link(u); link != "" {
		r.Add("Link", link)
	}
}

// encodable is what the list looks like in the body.
func (l List) encodable() any {
	if l.Bare {
		return l.Items
	}
	m := Map{{l.Name, l.Items}}
	switch {
	case l.ParamsBody != nil:
		m = append(m, Member{"params", l.ParamsBody})
	case l.Params != nil:
		m = append(m, Member{"params", l.Params})
	}
	return m
}

// addDeprecation adds the header Deprecation (RFC 9745) to the response to a list that was
// asked for by a deprecated parameter.
func (e *entry) addDeprecation(r *response.Response, filter url.Values) {
	if header := e.deprecated.Header(filter); header != "" {
		r.Add("Deprecation", header)
	}
}

// A Choice is the fields that a GET asks for by the parameter fields (extensions E3). A
// nil Choice, without the parameter, has every field.
type Choice struct {
	id      string   // the name of the id, which is always sent
	names   []string // ascending
	fixed   bool     // the names are fields of the entity
	whole   bool     // every field is sent: fields=* of an export
	texts   []TextField
	subsets map[reflect.Type]*jsonenc.Subset
}

// neverChosen is a field that no choice sends: details of a payment leave the shop only
// with the whole order.
const neverChosen = "payment_info"

// Choice returns the fields that the request asks for, nil for all.
func (r *Request) Choice() *Choice { return r.choice }

// Has reports whether a field is to be sent.
func (c *Choice) Has(field string) bool {
	if c == nil || c.whole || field == c.id {
		return true
	}
	if field == neverChosen {
		return false
	}
	_, ok := slices.BinarySearch(c.names, field)
	return ok
}

// HasAny reports whether any of the fields is to be sent.
func (c *Choice) HasAny(fields ...string) bool {
	return c == nil || slices.ContainsFunc(fields, c.Has)
}

// Whole reports whether an export asks for whole objects: Names then does not have all
// fields that are sent.
func (c *Choice) Whole() bool { return c != nil && c.whole }

// A TextField is a field in one language, such as product@de. An export may ask for it: its
// value is the text of that language alone, null where there is none.
type TextField struct{ Field, Language string }

// Name is the name of the field in an export.
func (t TextField) Name() string { return t.Field + "@" + t.Language }

// ForExport returns the choice with whole objects, or with texts in certain languages. A nil
// choice stays nil without either.
func (c *Choice) ForExport(id string, whole bool, texts []TextField) *Choice {
	if c == nil {
		if !whole && len(texts) == 0 {
			return nil
		}
		c = &Choice{id: id, fixed: true, subsets: map[reflect.Type]*jsonenc.Subset{}}
	}
	c.whole, c.texts = whole, texts
	for _, t := range texts {
		c.names = append(c.names, t.Name())
	}
	slices.Sort(c.names)
	return c
}

// Texts returns the texts in certain languages that an export asks for.
func (c *Choice) Texts() []TextField {
	if c == nil {
		return nil
	}
	return c.texts
}

// Names returns the chosen fields in ascending order, without the id.
func (c *Choice) Names() []string {
	if c == nil {
		return nil
	}
	return c.names
}

// ParseFields reads a parameter fields: names separated by commas.
func ParseFields(values []string) (names []string) {
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// choose returns the choice among the fields of an entity that a user sees; nil where none
// of the names is known.
func (e *entry) choose(names []string, user *User) *Choice {
	if len(names) == 0 {
		return nil
	}
	known, fixed := e.fields()
	custom := CustomFieldsFor(user, e.Custom)
	if fixed {
		names = slices.DeleteFunc(names, func(name string) bool {
			return !known[name] && !slices.ContainsFunc(custom, func(f CustomField) bool { return f.Name == name })
		})
	}
	if len(names) == 0 {
		return nil
	}
	return &Choice{id: e.IDField, names: names, fixed: fixed, subsets: map[reflect.Type]*jsonenc.Subset{}}
}

// fields returns the names of the fields of objects and of items of lists. ok is false
// where they are not known before an object is read.
func (e *entry) fields() (known map[string]bool, ok bool) {
	e.once.Do(func() { e.known, e.fixed = e.readFields() })
	return e.known, e.fixed
}

func (e *entry) readFields() (known map[string]bool, ok bool) {
	known = map[string]bool{}
	for _, t := range []reflect.Type{e.Object, e.Item} {
		if t == nil && e.Object != nil {
			continue
		}
		members, ok := jsonenc.Members(t)
		if !ok {
			return nil, false
		}
		for _, name := range members {
			known[name] = true
		}
	}
	if e.MoreFields != nil {
		for _, name := range e.MoreFields() {
			known[name] = true
		}
	}
	return known, true
}

// A chosen value is an object with its chosen fields alone.
type chosen struct {
	choice  *Choice
	answers []any
}

// Object returns an object that is sent with its chosen fields alone. Each field is that
// of the first of the answers that has it. The answers do not change any more.
func (c *Choice) Object(answers ...any) any { return &chosen{c, answers} }

// CoveredBy reports whether each answer of the type of this one has all chosen fields, so that
// [Choice.Object] needs no other.
func (c *Choice) CoveredBy(answer any) bool {
	s := c.subset(reflect.TypeOf(answer))
	return s != nil && s.Writes(c.id) && !slices.ContainsFunc(c.names, func(name string) bool { return name != neverChosen && !s.Writes(name) })
}

// AppendJSON writes the chosen fields.
func (c *chosen) AppendJSON(dst []byte) (_ []byte, err error) {
	var written *[]string
	if len(c.answers) > 1 {
		written = new([]string)
	}
	dst = append(dst, '{')
	for _, answer := range c.answers {
		if dst, err = c.choice.append(dst, answer, written); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// MarshalJSON writes the chosen fields.
func (c *chosen) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil) }

// append writes the chosen members of an object that are not yet written.
func (c *Choice) append(dst []byte, object any, written *[]string) ([]byte, error) {
	if s := c.subset(reflect.TypeOf(object)); s != nil {
		return s.Append(dst, object, written)
	}
	members, isMap := object.(Map)
	var err error
	if !isMap {
		if members, err = membersOf(object); err != nil {
			return dst, err
		}
	}
	for _, m := range members {
		if !c.Has(m.Name) || written != nil && slices.Contains(*written, m.Name) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(jsonenc.AppendString(dst, m.Name), ':')
		if raw, ok := m.Value.(json.RawMessage); ok {
			dst = append(dst, raw...)
		} else if dst, err = jsonenc.Append(dst, m.Value); err != nil {
			return dst, err
		}
		if written != nil {
			*written = append(*written, m.Name)
		}
	}
	return dst, nil
}

// subset returns the encoder of the chosen fields of a type, nil if the type is not a
// plain struct.
func (c *Choice) subset(t reflect.Type) *jsonenc.Subset {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, known := c.subsets[t]
	if !known {
		if s, known = jsonenc.SubsetOf(t, c.Has); !known {
			s = nil
		}
		c.subsets[t] = s
	}
	return s
}

// membersOf returns the members of any object in their order, none of another value.
func membersOf(object any) (Map, error) {
	data, err := marshal(object)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, err
	}
	var members Map
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, Member{name.(string), value})
	}
	return members, nil
}

// apply returns the result of Get or List with only the chosen fields; all of it if no
// object has any of them.
func (c *Choice) apply(result any) any {
	if c == nil {
		return result
	}
	list, isList := result.(List)
	if !isList {
		if !c.knownIn(result) {
			return unchosen(result)
		}
		return c.one(result)
	}
	list.Items = c.items(list.Items)
	return list
}

// Objects chooses the fields of each of some objects.
func (c *Choice) Objects(objects []any) []any { return c.items(objects).([]any) }

// Objects returns the items. ok is false where they are neither a slice nor a [Map].
func (l List) Objects() (objects []any, ok bool) {
	_, objects, ok = itemsOf(l.Items)
	return objects, ok
}

// items chooses the fields of each item of a list.
func (c *Choice) items(items any) any {
	names, objects, ok := itemsOf(items)
	if !ok {
		return items
	}
	known := c.fixed || slices.ContainsFunc(objects, c.knownIn)
	for i, object := range objects {
		if known {
			objects[i] = c.one(object)
		} else {
			objects[i] = unchosen(object)
		}
	}
	if names == nil {
		return objects
	}
	keyed := make(Map, len(objects))
	for i, name := range names {
		keyed[i] = Member{name, objects[i]}
	}
	return keyed
}

// itemsOf returns the items of a list, with their names where they are keyed.
func itemsOf(items any) (names []string, objects []any, ok bool) {
	if keyed, isMap := items.(Map); isMap {
		names = []string{}
		for _, m := range keyed {
			names, objects = append(names, m.Name), append(objects, m.Value)
		}
		return names, objects, true
	}
	values := reflect.ValueOf(items)
	if values.Kind() != reflect.Slice {
		return nil, nil, false
	}
	objects = make([]any, values.Len())
	for i := range objects {
		objects[i] = values.Index(i).Interface()
	}
	return nil, objects, true
}

// one chooses the fields of an object.
func (c *Choice) one(object any) any {
	if _, done := object.(*chosen); done {
		return object
	}
	return c.Object(object)
}

// knownIn reports whether an object has any of the names, where the fields of the entity
// are not known beforehand.
func (c *Choice) knownIn(object any) bool {
	if c.fixed {
		return true
	}
	members, err := membersOf(unchosen(object))
	return err != nil || slices.ContainsFunc(members, func(m Member) bool {
		return slices.Contains(c.names, m.Name)
	})
}

// unchosen returns an object with all its fields.
func unchosen(object any) any {
	if c, ok := object.(*chosen); ok {
		return c.answers[0]
	}
	return object
}
