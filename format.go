package shopapi

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/listheaders"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store"
)

// replyBody is the body of the response to POST and PUT. An action may have no id. The documented dialect
// writes every id as a string; the live one writes as numbers the ids of new
// objects, and product_id always (§4).
func (a *API) replyBody(t *target, reply Reply) Map {
	if t.op == OpAction && reply.ID == "" {
		return append(Map{}, reply.More...)
	}
	var id any = reply.ID
	if a.Dialect() == DialectLive && (t.op == OpCreate && !t.Entry.StringIDs || t.Entry.IDField == "product_id") {
		if n, err := strconv.ParseInt(reply.ID, 10, 64); err == nil {
			id = n
		}
	}
	return append(Map{{Name: t.Entry.IDField, Value: id}}, reply.More...)
}

// respond encodes the result of a List or Get.
func (a *API) respond(ctx context.Context, c call, t *target, r *Request, result any) (*response.Response, error) {
	result = chosen(r.choice, result)
	list, isList := result.(List)
	if isList {
		result = list.encodable()
	}
	resp, err := c.format.RespondWithin(ctx, a.opts.Limits.Response, t.op == OpList, result)
	if err != nil {
		return nil, refused(err)
	}
	if isList {
		t.Entry.addDeprecation(resp, r.Filter)
	}
	if isList && list.Bare && list.Params != nil {
		list.Params.addHeaders(resp, c.url)
	}
	resp.Tag()
	return resp, nil
}

// banner is the response of three words: brand, version and edition. It is 404 if the
// host set none.
func (a *API) banner() (*response.Response, error) {
	b := a.opts.Banner
	if b == (Banner{}) {
		return nil, Errorf(http.StatusNotFound, "There is nothing at this address.")
	}
	return format.Banner(b.Brand, b.Version, b.Edition), nil
}

// addVersion adds the address that answers the version to clients with credentials (E10):
// in the live dialect, where the host set a banner. An entity of its name takes its place.
func (a *API) addVersion() {
	if a.opts.Dialect != DialectLive || a.opts.Banner == (Banner{}) {
		return
	}
	body := Map{{Name: "Version", Value: a.opts.Banner.Version}}
	serve := func(context.Context, *EndpointRequest) (*Response, error) { return &Response{Body: body}, nil }
	_ = partsOf(a).endpoints.Add("version", &Endpoint{Address: "version", Methods: map[string]Method{ // the first cannot fail
		http.MethodGet: {Serve: serve, Summary: "The version of the product that the shop runs.", Answer: reflect.TypeFor[versionAnswer]()},
	}})
}

// A versionAnswer describes the response of the version's address.
type versionAnswer struct {
	Version string `json:"Version"` // of the banner
}

// Values of fields on the wire.
type (
	// A Flag is a yes or no that the interface writes as "Y" or "N".
	Flag = field.Flag
	// JSON is a value that is stored and returned as the JSON it was given.
	JSON = field.JSON
	// A Map is an object whose members keep their order.
	Map = field.Map
	// A Member of a [Map].
	Member = field.Member
	// An IDList is a list of ids that the interface writes as a text with commas.
	IDList = field.IDList
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

// encodable is what the list looks like in the body.
func (l List) encodable() any {
	if l.Bare {
		return l.Items
	}
	m := Map{{Name: l.Name, Value: l.Items}}
	switch {
	case l.ParamsBody != nil:
		m = append(m, Member{Name: "params", Value: l.ParamsBody})
	case l.Params != nil:
		m = append(m, Member{Name: "params", Value: l.Params})
	}
	return m
}

// Objects returns the items. ok is false where they are neither a slice nor a [Map].
func (l List) Objects() (objects []any, ok bool) {
	_, objects, ok = field.ItemsOf(l.Items)
	return objects, ok
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

// addHeaders adds the headers of a page that is a bare array (§7, RFC 8288).
func (p *Params) addHeaders(r *response.Response, u *url.URL) {
	r.Add("X-Total-Count", strconv.FormatInt(p.TotalItems, 10))
	page := listheaders.Page{Number: p.Page, Size: p.ItemsPerPage, Total: p.TotalItems}
	page.Fields = strings.Join(field.ParseFields(u.Query()["fields"]), ",") // equal choices share a cached response
	if link := page.Link(u); link != "" {
		r.Add("Link", link)
	}
}

// addDeprecation adds the header Deprecation (RFC 9745) to the response to a list that was
// asked for by a deprecated parameter.
func (e *entry) addDeprecation(r *response.Response, filter url.Values) {
	if header := e.deprecated.Header(filter); header != "" {
		r.Add("Deprecation", header)
	}
}

// The choice of fields by the parameter fields.
type (
	// A Choice is the fields that a GET asks for (extensions E3).
	Choice = field.Choice
	// A TextField is a field in one language, such as product@de.
	TextField = field.TextField
)

// chosen is the result of Get or List with the chosen fields alone; all of it if no object has
// any of them.
func chosen(c *Choice, result any) any {
	list, isList := result.(List)
	if !isList {
		return c.Only(result)
	}
	list.Items = c.Items(list.Items)
	return list
}

// Choice returns the fields that the request asks for, nil for all.
func (r *Request) Choice() *Choice { return r.choice }

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
	return field.NewChoice(e.ObjectIDField(), names, fixed)
}

// fields returns the names of the fields of objects and of items of lists. ok is false
// where they are not known before an object is read.
func (e *entry) fields() (known map[string]bool, ok bool) {
	e.once.Do(func() {
		var more []string
		if e.MoreFields != nil {
			more = e.MoreFields()
		}
		e.known, e.fixed = jsonenc.Known(e.Object, e.Item, more)
	})
	return e.known, e.fixed
}

// FieldNames returns the names of the fields of objects and of items of lists. ok is false
// where they are not known before an object is read.
func (p *EntityPath) FieldNames() (known map[string]bool, ok bool) { return p.entry.fields() }

// ChoiceOf returns the choice of the fields with these names, of the ones that the user sees. It
// is nil where none of the names is known.
func (p *EntityPath) ChoiceOf(names []string, user *User) *Choice {
	return p.entry.choose(names, user)
}

// An ExportFunc returns the response that streams all objects of a list (E7) in one of the
// media types of exports. The request has its parents, and ctx is confined to their company.
type ExportFunc func(ctx context.Context, r *Request, path EntityPath, mediaType string) (*Response, error)

// A Batch is the part of a list that an export reads at once: objects in the order of
// their keys.
type Batch struct {
	After string // what Next was after the batch before, "" for the first one
	Size  int    // objects at most
	Next  string // the entity sets it: After of the next batch, "" where nothing is left
	read  bool
}

// IsRead reports whether the entity has asked for the batch.
func (b *Batch) IsRead() bool { return b.read }

// Batch returns the part of a list that an export asks for (extensions E7), nil where the
// request is for a page. An entity that calls it answers with the objects of that part. Lists
// of entities that do not call it are read page by page.
func (r *Request) Batch() *Batch {
	if r.batch != nil {
		r.batch.read = true
	}
	return r.batch
}

// SetBatch has the request ask for a part of a list, and for the chosen fields.
func (r *Request) SetBatch(b *Batch, c *Choice) { r.batch, r.choice = b, c }

// exports are the exports of lists.
type exports struct {
	mediaTypes []string // nil: there are none
	serve      ExportFunc
}

// ServeExports adds the media types of exports to all lists. Like entities, they are added
// before the first request is served.
func (a *API) ServeExports(mediaTypes []string, f ExportFunc) {
	a.exports.mediaTypes, a.exports.serve = mediaTypes, f
}

// Exports reports whether lists can be exported.
func (a *API) Exports() bool { return a.exports.serve != nil }

// A MatchFunc carries out PUT with match (E6): text is the body, an array of objects of the
// entity.
type MatchFunc func(ctx context.Context, r *Request, entity string, text []byte) (any, error)

// ServeMatch adds PUT with match to the entities that have a method MatchField. Like entities,
// it is added before the first request is served.
func (a *API) ServeMatch(f MatchFunc) { a.match = f }

// Batches reports whether there is PUT with match, and POST /batch.
func (a *API) Batches() bool { return a.match != nil }

// exportable are the media types that the list of a target can be exported in.
func (a *API) exportable(t *target) []string {
	if t.op == OpList {
		return a.exports.mediaTypes
	}
	return nil
}

// export is the rest of the pipeline for an export. No transaction is open while it
// streams.
func (a *API) export(ctx context.Context, p *pipeline, t *target, r *Request) (*response.Response, error) {
	if st, byCode := t.byCode(); byCode {
		err := st.View(ctx, func(ctx context.Context, _ store.Tx) (err error) {
			t, err = t.resolved(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	ctx, err := t.readParents(ctx, r)
	if err != nil {
		return nil, err
	}
	p.Share.Keep(0) // each batch waits for its turn
	answer, err := a.exports.serve(ctx, r, EntityPath{Description: t.Entry.describe(), entry: t.Entry}, p.exported)
	if err != nil {
		return nil, err
	}
	resp := response.Empty(http.StatusOK)
	for name, values := range answer.Header {
		resp.Fields = append(resp.Fields, response.Field{Name: name, Values: values})
	}
	t.Entry.addDeprecation(resp, r.Filter)
	if p.Req.Method == http.MethodHead {
		return resp, nil
	}
	leave, err := partsOf(a).admission.EnterExport(p.user.client())
	if err != nil {
		return nil, refused(err)
	}
	p.leave = leave
	coding := p.Coding.Coding
	if coding != compress.Identity {
		resp.Add("Content-Encoding", string(coding))
	}
	request := p.Req.Context() // p itself must not escape to the heap
	resp.Stream = func(w io.Writer) error {
		ctx, cancel := a.life.Unlimited(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		to := coding.Writer(w)
		if err := answer.Stream(ctx, to); err != nil {
			return err
		}
		return to.Close()
	}
	return resp, nil
}

// Rules on fields, and fields that a host adds.
type (
	// A Rule says which values a field or a parameter takes.
	Rule = field.Rule
	// A Range is the least and the greatest value of a number.
	Range = field.Range
	// An Amount is the least and the greatest value of a decimal, and its decimals.
	Amount = field.Amount
	// A CustomField is a field that a host adds to an entity (extensions E13).
	CustomField = field.CustomField
	// A CustomType is the type of a [CustomField].
	CustomType = field.CustomType
	// Custom are the values of the custom fields of an object.
	Custom = field.Custom
)

// The types of custom fields, with the Go types of their values.
const (
	CustomText   = field.CustomText   // string
	CustomNumber = field.CustomNumber // int64
	CustomAmount = field.CustomAmount // decimal.Decimal
	CustomFlag   = field.CustomFlag   // Flag
	CustomOneOf  = field.CustomOneOf  // string
)

// How pages show objects.
type (
	// A Display says how pages, such as the console's, show the objects of an entity.
	Display = field.Display
	// A Widget is a control with which a form shows and changes a field.
	Widget = field.Widget
)

// The widgets.
const (
	WidgetTime    = field.WidgetTime    // a date and a time of day, of seconds since 1970
	WidgetMoney   = field.WidgetMoney   // an amount in the shop's currency
	WidgetCountry = field.WidgetCountry // a country, of its code of two letters
	WidgetLines   = field.WidgetLines   // a text of several lines
	WidgetHTML    = field.WidgetHTML    // a text in HTML, edited as it looks
	WidgetSecret  = field.WidgetSecret  // a text that is not shown while it is typed
	WidgetJSON    = field.WidgetJSON    // lists and objects
)
