package shopapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/csvtext"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store"
)

// ExportOptions say what [API.Export] writes. The zero value and nil write all objects of an
// entity, as lists show them, as JSON lines.
type ExportOptions struct {
	// Filter has the parameters of the list. Parameters that a list requires may be absent.
	Filter url.Values

	// Fields are names of fields of objects and of items of lists. * is the whole object,
	// and product@de the text that the field product has of its own in the language de. nil
	// means the fields of items.
	Fields []string

	// CSV writes rows of CSV (RFC 4180) with a header. Otherwise each object is a line of
	// JSON.
	CSV bool

	// Spreadsheet puts an apostrophe before texts in CSV that a spreadsheet would run as a
	// formula.
	Spreadsheet bool

	// Progress receives the number of written objects after each batch.
	Progress func(objects int64)
}

// Export writes all objects of an entity that a filter matches, in the order of their keys
// (extensions E7). It reads them in batches, so that it takes the same memory for any number
// of them and holds no snapshot: an object that is changed meanwhile is written as it was or
// as it is. It acts for the user of ctx. It returns [ErrNotRegistered] where there is no such
// entity, and otherwise the errors that a list returns.
func (a *API) Export(ctx context.Context, w io.Writer, entity string, o *ExportOptions) error {
	if err := a.Authorize(ctx, entity, OpList); err != nil {
		return err
	}
	if o == nil {
		o = &ExportOptions{}
	}
	x := &exporter{api: a, entry: a.registry.top[entity], options: *o}
	x.request = Request{User: UserFrom(ctx), Filter: withoutFields(o.Filter), api: a}
	if err := x.choose(o.Fields); err != nil {
		return err
	}
	return x.write(ctx, w)
}

// withoutFields is a filter of an export without the parameters that are not the entity's.
func withoutFields(filter url.Values) url.Values {
	own := url.Values{}
	for name, values := range filter {
		if name != "fields" && name != "spreadsheet" {
			own[name] = values
		}
	}
	return own
}

// A Batch is the part of a list that an export reads at once: objects in the order of
// their keys.
type Batch struct {
	After string // what Next was after the batch before, "" for the first one
	Size  int    // objects at most
	Next  string // the entity sets it: After of the next batch, "" where nothing is left
	read  bool
}

// Batch returns the part of a list that an export asks for (extensions E7), nil where the
// request is for a page. An entity that calls it answers with the objects of that part. Lists
// of entities that do not call it are read page by page.
func (r *Request) Batch() *Batch {
	if r.batch != nil {
		r.batch.read = true
	}
	return r.batch
}

// An exporter writes the objects of an entity.
type exporter struct {
	api     *API
	entry   *entry
	request Request
	options ExportOptions
	columns *csvtext.Columns // nil until they are known

	out     *bufio.Writer
	line    []byte
	written int64
}

// The number of objects that are read at once follows their size.
const (
	firstBatch    = 100
	greatestBatch = 1000
	batchBytes    = 1 << 20 // of encoded objects
)

// choose sets the fields that are written.
func (x *exporter) choose(names []string) error {
	e := x.entry
	var known, whole = []string(nil), false
	var texts []TextField
	for _, name := range names {
		field, code, translated := strings.Cut(name, "@")
		switch {
		case name == "*":
			whole = true
		case translated:
			if language, ok := ParseLanguage(code); ok && x.isTranslated(field) {
				texts = append(texts, TextField{field, language})
			}
		default:
			known = append(known, name)
		}
	}
	if whole && e.get == nil {
		return Invalid("fields", "must name fields: objects of %s cannot be read by themselves", e.Name)
	}
	c := e.choose(known, x.request.User)
	if c == nil && (whole || len(texts) > 0) {
		c = &Choice{id: e.IDField, fixed: true, subsets: map[reflect.Type]*jsonenc.Subset{}}
	}
	if c != nil {
		c.whole, c.texts = whole, texts
		for _, t := range texts {
			c.names = append(c.names, t.Name())
		}
		slices.Sort(c.names)
	}
	x.request.choice = c
	return nil
}

// isTranslated reports whether a field that the user sees has texts in several languages.
func (x *exporter) isTranslated(field string) bool {
	return slices.Contains(x.entry.Translated, field) ||
		slices.ContainsFunc(CustomFieldsFor(x.request.User, x.entry.Custom), func(f CustomField) bool { return f.Name == field && f.Translated })
}

// write writes all objects.
func (x *exporter) write(ctx context.Context, w io.Writer) error {
	x.out = bufio.NewWriterSize(w, 64<<10)
	share := budget.From(ctx)
	b := Batch{Size: firstBatch}
	for page := 1; ; page++ {
		if err := share.WaitWork(ctx, workOfList, true); err != nil {
			return err
		}
		objects, more, err := x.read(ctx, &b, page)
		if err != nil {
			return err
		}
		size, err := x.writeObjects(objects)
		share.Keep(0)
		if err != nil {
			return err
		}
		if err := x.out.Flush(); err != nil {
			return err
		}
		if x.options.Progress != nil {
			x.options.Progress(x.written)
		}
		if !more {
			return nil
		}
		if len(objects) > 0 {
			b.Size = min(greatestBatch, max(1, batchBytes/max(1, size/len(objects))))
		}
	}
}

// read reads the next batch of objects, and reports whether there may be more.
func (x *exporter) read(ctx context.Context, b *Batch, page int) (objects []any, more bool, err error) {
	r := x.request
	r.Filter = url.Values{}
	for name, values := range x.request.Filter {
		r.Filter[name] = values
	}
	pageSize := x.api.opts.Limits.MaxItemsPerPage
	r.Filter.Set("page", strconv.Itoa(page))
	r.Filter.Set("items_per_page", strconv.Itoa(pageSize))
	*b = Batch{After: b.Next, Size: b.Size}
	r.batch = b
	result, err := x.entry.list(ctx, &r)
	if err != nil {
		return nil, false, err
	}
	list, isList := result.(List)
	if !isList {
		list.Items = result
	}
	_, objects, ok := itemsOf(list.Items)
	if !ok {
		objects = []any{result}
	}
	if b.read {
		return objects, b.Next != "", nil
	}
	if c := r.choice; c != nil && c.whole {
		if objects, err = x.whole(ctx, objects); err != nil {
			return nil, false, err
		}
	} else if list.Items = objects; c != nil {
		objects = c.apply(list).(List).Items.([]any)
	}
	return objects, list.Params != nil && int64(page)*int64(pageSize) < list.Params.TotalItems, nil
}

// whole reads the objects of items by themselves.
func (x *exporter) whole(ctx context.Context, items []any) ([]any, error) {
	objects := make([]any, 0, len(items))
	for _, item := range items {
		id, known := Field(item, x.entry.IDField)
		if !known {
			objects = append(objects, item)
			continue
		}
		r := x.request
		r.choice = nil
		object, err := x.entry.get(ctx, &r, id)
		if err != nil && asError(err).Status == 404 {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// writeObjects writes objects, and returns how many bytes they are as JSON.
func (x *exporter) writeObjects(objects []any) (size int, err error) {
	if x.options.CSV && x.columns == nil {
		if err := x.writeHeader(objects); err != nil {
			return 0, err
		}
	}
	for _, object := range objects {
		if x.line, err = appendJSON(x.line[:0], object, jsonenc.Unlimited()); err != nil {
			return size, err
		}
		n := len(x.line)
		size += n
		row := append(x.line, '\n')
		if x.options.CSV {
			if row, err = x.columns.AppendObject(x.line, x.line[:n]); err != nil {
				return size, fmt.Errorf("shopapi: export of %s: %w", x.entry.Name, err)
			}
			x.line, row = row, row[n:]
		}
		if _, err := x.out.Write(row); err != nil {
			return size, err
		}
		x.written++
	}
	if cap(x.line) > batchBytes {
		x.line = nil // a giant is left to the garbage collector
	}
	return size, nil
}

// writeHeader writes the names of the columns, from the type of the objects or, where
// that does not say them, from the objects themselves.
func (x *exporter) writeHeader(objects []any) error {
	names := x.entry.columns(x.request.choice, CustomFieldsFor(x.request.User, x.entry.Custom))
	for _, object := range objects {
		line, err := appendJSON(nil, object, jsonenc.Unlimited())
		if err != nil {
			return err
		}
		jsontext.Members(line, func(name, _ []byte) {
			if !slices.Contains(names, string(name)) {
				names = append(names, string(name))
			}
		})
	}
	x.columns = csvtext.NewColumns(names, x.options.Spreadsheet)
	_, err := x.out.Write(x.columns.AppendHeader(nil))
	return err
}

// columns are the names of the members that objects of an export may have, as far as they
// are known.
func (e *entry) columns(c *Choice, custom []CustomField) (names []string) {
	types := []reflect.Type{e.Object, e.Item}
	switch {
	case c == nil && e.Item != nil:
		types = []reflect.Type{e.Item}
	case c != nil && c.whole:
		types = []reflect.Type{e.Object}
	}
	add := func(name string) {
		if c.Has(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, t := range types {
		members, known := jsonenc.Members(t)
		if slices.Contains(members, e.IDField) || !known && e.IDField != "" {
			names = append(names, e.IDField)
			break
		}
	}
	for _, t := range types {
		members, _ := jsonenc.Members(t)
		for _, name := range members {
			add(name)
		}
	}
	if e.MoreFields != nil && c != nil {
		for _, name := range e.MoreFields() {
			add(name)
		}
	}
	for _, f := range custom {
		add(f.Name)
	}
	for _, name := range c.Names() {
		add(name)
	}
	return names
}

// The media types of an export (extensions E7).
const (
	linesType = "application/x-ndjson"
	csvType   = "text/csv"
)

var exportTypes = []string{linesType, csvType}

// mostExports is how many exports of one user may run at once.
const mostExports = 2

// Exports reports whether lists can be exported ([Options.Export]).
func (a *API) Exports() bool { return a.opts.Export }

// exportable are the media types that the list of a target can be exported in.
func (a *API) exportable(t *target) []string {
	if a.opts.Export && t.op == OpList {
		return exportTypes
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
	return a.respondExport(ctx, p, t, r)
}

// respondExport returns the response that streams the objects of a list. r has the
// parents, and ctx is confined to their company.
func (a *API) respondExport(ctx context.Context, p *pipeline, t *target, r *Request) (*response.Response, error) {
	p.share.Keep(0) // each batch waits for its turn
	var problems Problems
	for _, name := range []string{"page", "items_per_page", "sort_by", "sort_order"} {
		if r.Filter.Has(name) {
			problems.Add(name, "cannot be combined with %s, which has all objects in the order of their ids", p.exported)
		}
	}
	var asked struct {
		Spreadsheet Flag `json:"spreadsheet"`
	}
	problems.Merge(r.BindFilter(&asked))
	x := &exporter{api: a, entry: t.entry, request: *r, options: ExportOptions{CSV: p.exported == csvType, Spreadsheet: bool(asked.Spreadsheet)}}
	x.request.Filter = withoutFields(r.Filter)
	problems.Merge(x.choose(fieldNames(r.Filter["fields"])))
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if err := a.checkExport(ctx, x); err != nil {
		return nil, err
	}
	resp := response.Empty(http.StatusOK)
	contentType := p.exported
	if p.exported == csvType {
		contentType = csvType + "; charset=utf-8; header=present"
	}
	resp.Add("Content-Type", contentType)
	t.entry.addDeprecation(resp, r.Filter)
	if p.req.Method == http.MethodHead {
		return resp, nil
	}
	var free bool
	if p.leave, free = a.exports.Enter(budgetClientOf(p.user)); !free {
		return nil, &Error{
			Status: http.StatusTooManyRequests, retryAfter: retryLater,
			Message: fmt.Sprintf("%d of your exports are running, and no more may run at once. Try again later.", mostExports),
		}
	}
	coding := p.coding.Coding
	if coding != compress.Identity {
		resp.Add("Content-Encoding", string(coding))
	}
	request := p.req.Context() // p itself must not escape to the heap
	resp.Stream = func(w io.Writer) error {
		ctx, cancel := a.unlimited(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		to := coding.Writer(w)
		if err := x.write(ctx, to); err != nil {
			return err
		}
		return to.Close()
	}
	return resp, nil
}

// checkExport reads one object, so that an error in the parameters is an answer and
// no broken connection.
func (a *API) checkExport(ctx context.Context, x *exporter) error {
	_, _, err := x.read(ctx, &Batch{Size: 1}, 1)
	return err
}
