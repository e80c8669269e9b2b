package bulk

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/csvtext"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/jsontext"
)

// ExportOptions say what [Export] writes. The zero value and nil write all objects of an
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
// as it is. It acts for the user of ctx. It returns [shopapi.ErrNotRegistered] if the entity is
// unknown, and otherwise the errors that a list returns.
func Export(ctx context.Context, w io.Writer, api *shopapi.API, entity string, o *ExportOptions) error {
	if err := api.Authorize(ctx, entity, shopapi.OpList); err != nil {
		return err
	}
	path, err := api.EntityAt(entity)
	if err != nil {
		return err
	}
	if o == nil {
		o = &ExportOptions{}
	}
	r := api.NewRequest(shopapi.UserFrom(ctx))
	r.Filter = o.Filter
	x, err := newExporter(api, path, *r, o.Fields)
	if err != nil {
		return err
	}
	x.options = *o
	return x.write(ctx, w)
}

// The media types of an export (extensions E7).
const (
	linesType = "application/x-ndjson"
	csvType   = "text/csv"
)

// RegisterExports adds the media types of exports to all lists. Like entities, they are
// registered before the first request is served.
func RegisterExports(api *shopapi.API) {
	api.ServeExports([]string{linesType, csvType}, func(ctx context.Context, r *shopapi.Request, path shopapi.EntityPath, mediaType string) (*shopapi.Response, error) {
		return serveExport(ctx, api, r, path, mediaType)
	})
}

// serveExport returns the response that streams the objects of a list. r has the parents, and
// ctx is confined to their company.
func serveExport(ctx context.Context, api *shopapi.API, r *shopapi.Request, path shopapi.EntityPath, mediaType string) (*shopapi.Response, error) {
	var problems shopapi.Problems
	for _, name := range []string{"page", "items_per_page", "sort_by", "sort_order"} {
		if r.Filter.Has(name) {
			problems.Add(name, "cannot be combined with %s, which has all objects in the order of their ids", mediaType)
		}
	}
	var asked struct {
		Spreadsheet shopapi.Flag `json:"spreadsheet"`
	}
	problems.Merge(r.BindFilter(&asked))
	x, err := newExporter(api, path, *r, field.ParseFields(r.Filter["fields"]))
	problems.Merge(err)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	x.options = ExportOptions{CSV: mediaType == csvType, Spreadsheet: bool(asked.Spreadsheet)}
	// An error in the parameters is a response here, and later a broken connection.
	if _, _, err := x.read(ctx, &shopapi.Batch{Size: 1}, 1); err != nil {
		return nil, err
	}
	contentType := mediaType
	if x.options.CSV {
		contentType += "; charset=utf-8; header=present"
	}
	return &shopapi.Response{Header: http.Header{"Content-Type": {contentType}}, Stream: x.write}, nil
}

// An exporter writes the objects of an entity.
type exporter struct {
	api     *shopapi.API
	path    shopapi.EntityPath
	list    shopapi.Lister
	get     shopapi.Getter  // nil where objects cannot be read
	request shopapi.Request // its filter has the parameters of the entity alone
	choice  *shopapi.Choice
	options ExportOptions
	columns *csvtext.Columns // nil until they are known

	customers []string // the fields of addresses that are written

	out     *bufio.Writer
	line    []byte
	written int64
}

// newExporter returns an exporter of the fields with these names.
func newExporter(api *shopapi.API, path shopapi.EntityPath, r shopapi.Request, fields []string) (*exporter, error) {
	x := &exporter{api: api, path: path, request: r}
	x.list, _ = path.Entity().(shopapi.Lister)
	if path.Offers(shopapi.OpGet) {
		x.get, _ = path.Entity().(shopapi.Getter)
	}
	x.request.Filter = url.Values{}
	for name, values := range r.Filter {
		if name != "fields" && name != "spreadsheet" {
			x.request.Filter[name] = values
		}
	}
	x.request.SetBatch(nil, nil) // without the choice of a request
	return x, x.choose(fields)
}

// The number of objects that are read at once follows their size.
const (
	firstBatch    = 100
	greatestBatch = 1000
	batchBytes    = 1 << 20 // of encoded objects
)

// choose sets the fields that are written.
func (x *exporter) choose(names []string) error {
	var known, whole = []string(nil), false
	var texts []shopapi.TextField
	for _, name := range x.splitCustomers(names) {
		field, code, translated := strings.Cut(name, "@")
		switch {
		case name == "*":
			whole = true
		case slices.Contains(x.path.InFiles, name):
			texts = append(texts, shopapi.TextField{Field: name})
		case translated:
			if language, ok := shopapi.ParseLanguage(code); ok && x.isTranslated(field) {
				texts = append(texts, shopapi.TextField{Field: field, Language: language})
			}
		default:
			known = append(known, name)
		}
	}
	if whole && x.get == nil {
		return shopapi.Invalid("fields", "must name fields: objects of %s cannot be read by themselves", x.path.Name)
	}
	x.choice = x.path.ChoiceOf(known, x.request.User).ForExport(x.path.ObjectIDField(), whole, texts)
	return nil
}

// custom are the custom fields that the user sees.
func (x *exporter) custom() []shopapi.CustomField {
	return shopapi.CustomFieldsFor(x.request.User, x.path.Custom)
}

// isTranslated reports whether a field that the user sees has texts in several languages.
func (x *exporter) isTranslated(field string) bool {
	return slices.Contains(x.path.Translated, field) || textList(x.path.Description, field) != nil ||
		slices.ContainsFunc(x.custom(), func(f shopapi.CustomField) bool { return f.Name == field && f.Translated })
}

// write writes all objects.
func (x *exporter) write(ctx context.Context, w io.Writer) error {
	x.out = bufio.NewWriterSize(w, 64<<10)
	share := budget.From(ctx)
	b := shopapi.Batch{Size: firstBatch}
	for page := 1; ; page++ {
		if err := share.WaitWork(ctx, budget.ListWork, budget.LongTurn); err != nil {
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
func (x *exporter) read(ctx context.Context, b *shopapi.Batch, page int) (objects []any, more bool, err error) {
	r := x.request
	r.Filter = url.Values{}
	maps.Copy(r.Filter, x.request.Filter)
	pageSize := x.api.Limits().MaxItemsPerPage
	r.Filter.Set("page", strconv.Itoa(page))
	r.Filter.Set("items_per_page", strconv.Itoa(pageSize))
	*b = shopapi.Batch{After: b.Next, Size: b.Size}
	r.SetBatch(b, x.choice)
	result, err := x.list.List(ctx, &r)
	if err != nil {
		return nil, false, err
	}
	list, isList := result.(shopapi.List)
	if !isList {
		list.Items = result
	}
	objects, ok := list.Objects()
	if !ok {
		objects = []any{result}
	}
	if b.IsRead() {
		return objects, b.Next != "", nil
	}
	if x.choice.Whole() {
		if objects, err = x.whole(ctx, objects); err != nil {
			return nil, false, err
		}
	} else if x.choice != nil {
		objects = x.choice.Objects(objects)
	}
	return objects, list.Params != nil && int64(page)*int64(pageSize) < list.Params.TotalItems, nil
}

// whole reads the objects of items by themselves.
func (x *exporter) whole(ctx context.Context, items []any) ([]any, error) {
	objects := make([]any, 0, len(items))
	for _, item := range items {
		id, known := shopapi.Field(item, x.path.ObjectIDField())
		if !known {
			objects = append(objects, item)
			continue
		}
		r := x.request
		object, err := x.get.Get(ctx, &r, id)
		if err != nil && shopapi.AsError(err).Status == http.StatusNotFound {
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
		if x.line, err = x.encode(x.line[:0], object); err != nil {
			return size, err
		}
		n := len(x.line)
		size += n
		row := append(x.line, '\n')
		if x.options.CSV {
			if row, err = x.columns.AppendObject(x.line, x.line[:n]); err != nil {
				return size, fmt.Errorf("shopapi: export of %s: %w", x.path.Name, err)
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

// encode appends an object as JSON.
func (x *exporter) encode(dst []byte, object any) ([]byte, error) {
	dst, err := jsonenc.Append(dst, object)
	if err != nil || x.customers == nil {
		return dst, err
	}
	return x.spreadCustomers(nil, dst), nil
}

// writeHeader writes the names of the columns, from the type of the objects or, where
// that does not say them, from the objects themselves.
func (x *exporter) writeHeader(objects []any) error {
	names := x.customerColumns(x.columnNames())
	for _, object := range objects {
		line, err := x.encode(nil, object)
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
