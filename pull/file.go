package pull

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// ErrByRules is the error of [Import] where the rows of a file must be imported by the rules of
// their entity: see [files.Import].
var ErrByRules = errors.New("pull: the entity has objects, or its rows have no ids: import the file by the rules of the entity")

// Import writes the rows of a file into an entity that has no objects, or only the objects that
// every new shop has, which give way (E7). It writes below the rules of the entity, as [Run] does:
// with the ids, times and amounts of the file, without hooks and events. An export of the entity
// as JSON lines is then the same as the file, but for secrets. A field that the file lacks has its
// default.
//
// All rows are written in one transaction. A row that cannot be written is left out and reported,
// unless it would take the place of the administrator of the new shop: then Import returns an error.
// The change log begins anew. Of the options, Missing and EmptyClears have no effect.
//
// It returns ErrByRules, before it changes anything, if the entity has other objects or is not
// pulled, if Match is not its id, or if a row has no id. It returns a [*files.FileError] for a file
// that cannot be read to its end: then nothing is written.
func Import(ctx context.Context, sh *shop.Shop, entity string, file io.ReadSeeker, o *files.ImportOptions) (files.Report, error) {
	m, err := newFileImport(ctx, sh, entity, file, o)
	if err != nil {
		return files.Report{}, err
	}
	if err := m.survey(ctx); err != nil {
		return m.result, err
	}
	if err := m.p.readContext(ctx, m.entity); err != nil {
		return m.result, err
	}
	err = m.p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if empty, err := isEmpty(ctx, sh, entity); err != nil || !empty { // objects were made meanwhile
			return errors.Join(err, ErrByRules)
		}
		if err := m.write(ctx, tx); err != nil {
			return err
		}
		if o.DryRun {
			return errDryRun
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDryRun) {
		m.result = files.Report{UnknownColumns: m.result.UnknownColumns}
		return m.result, err
	}
	for _, problem := range m.problems {
		if o.Problem != nil {
			o.Problem(problem)
		}
	}
	if err != nil {
		return m.result, nil
	}
	return m.result, m.finish(ctx)
}

// errDryRun undoes the transaction of a dry run.
var errDryRun = errors.New("pull: a dry run")

// A fileImport is a file that is written below the rules.
type fileImport struct {
	p       *puller
	c       collection
	entity  string
	key     string // the id field
	file    io.ReadSeeker
	options *files.ImportOptions

	defaults   map[string]json.RawMessage // fields of objects for which the file has no value
	translated []string                   // fields that have a text in each language
	lists      []shopapi.TranslatedList   // lists of parts that have texts in each language
	misplaced  map[string]Problem         // by id: objects of a tree without their ancestors
	result     files.Report
	problems   []files.RowProblem
}

// newFileImport returns an import that read nothing yet.
func newFileImport(ctx context.Context, sh *shop.Shop, entity string, file io.ReadSeeker, o *files.ImportOptions) (*fileImport, error) {
	c, key, ok := collectionOf(entity)
	path, err := sh.EntityAt(entity)
	if !ok || err != nil || o.Match != "" && o.Match != key {
		return nil, ErrByRules
	}
	if empty, err := isEmpty(ctx, sh, entity); err != nil || !empty {
		return nil, errors.Join(err, ErrByRules)
	}
	m := &fileImport{c: c, entity: entity, key: key, file: file, options: o, translated: slices.Clone(path.Translated), lists: path.TranslatedLists}
	for _, l := range path.TranslatedLists {
		m.translated = append(m.translated, l.Name)
	}
	for _, f := range path.Custom {
		if f.Translated {
			m.translated = append(m.translated, f.Name)
		}
	}
	if m.defaults, err = defaultsOf(ctx, path.Entity()); err != nil {
		return nil, err
	}
	delete(m.defaults, "updated_at") // the time of creation
	if text, _ := wire.Text(m.defaults["company_id"]); text == "0" && !slices.Contains(withoutCompany, entity) {
		m.defaults["company_id"] = json.RawMessage(strconv.Quote(shopapi.FormatID(sh.DefaultCompany())))
	}
	m.p, err = newPuller(ctx, sh, Options{})
	m.p.old = nowhere{}
	return m, err
}

// withoutCompany names entities: their new objects and settings belong to the whole shop, or are companies.
var withoutCompany = []string{"stores", "vendors", "users", "master_products", "settings"}

// collectionOf returns how objects of an entity are read, and its id field.
func collectionOf(entity string) (c collection, key string, ok bool) {
	for _, c := range []collection{
		companyCollection("stores"), companyCollection("vendors"), languageCollection, langvarCollection, usergroupCollection,
		userCollection, statusCollection, taxCollection, paymentCollection, shippingCollection, categoryCollection,
		featureCollection, productCollection, optionCollection, combinationCollection, exceptionCollection,
		variationGroupCollection, discussionCollection, pageCollection, blockCollection, cartCollection, orderCollection,
		shipmentCollection, callRequestCollection,
	} {
		for _, l := range c.lists {
			if l.path == entity {
				return c, l.key, true
			}
		}
	}
	return collection{}, "", false
}

// defaultsOf returns the fields of a new object of an entity.
func defaultsOf(ctx context.Context, entity shopapi.Entity) (fields map[string]json.RawMessage, err error) {
	e, ok := entity.(interface{ New(ctx context.Context) any })
	if !ok {
		return nil, nil
	}
	text, err := json.Marshal(e.New(ctx))
	if err != nil {
		return nil, err
	}
	return fields, json.Unmarshal(text, &fields)
}

// nowhere is the source of imports, which has nothing beside the file.
type nowhere struct{}

func (nowhere) get(context.Context, string, url.Values) (json.RawMessage, error) {
	return nil, &refusal{status: http.StatusNotFound}
}

// each calls a function with the rows of the file that can be read.
func (m *fileImport) each(ctx context.Context, do func(row bulk.Row, line int64) error) error {
	if _, err := m.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	rows, err := files.NewReader(ctx, m.file, m.p.sh.API, m.entity, m.options)
	if err != nil {
		return err
	}
	for {
		row, line, err := rows.Read()
		if err != nil {
			m.result.UnknownColumns = rows.UnknownColumns()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := do(row, line); err != nil {
			return err
		}
	}
}

// survey reads the file once: each row must have an id, and trees need all of their objects.
func (m *fileImport) survey(ctx context.Context) error {
	var items []item
	languages := map[string]bool{}
	inOrder := m.c.arrange != nil && m.entity != "orders" // of which each row is written by itself
	err := m.each(ctx, func(row bulk.Row, _ int64) error {
		if row.Err != nil {
			return nil
		}
		o := m.p.objectOf(m.entity, "", row.Fields)
		id := o.text(m.key)
		if id == "" || id == "0" {
			return ErrByRules
		}
		for code := range row.Texts {
			languages[code] = true
		}
		if inOrder {
			it := item{id: strings.Clone(id)}
			for _, name := range []string{"parent_id", "position"} {
				if value, ok := row.Fields[name]; ok {
					it.brief = append(it.brief, briefMember{name, slices.Clone(value)})
				}
			}
			items = append(items, it)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if inOrder {
		m.p.report, m.misplaced = newReport(), map[string]Problem{}
		m.c.arrange(m.p, items)
		for _, problem := range m.p.report.Problems {
			m.misplaced[problem.ID] = problem
		}
	}
	if m.p.base, err = m.p.baseLanguage(ctx); err != nil {
		return err
	}
	delete(languages, m.p.base)
	m.p.languages = slices.Sorted(maps.Keys(languages))
	return nil
}

// write writes all rows in a transaction, which may run again.
func (m *fileImport) write(ctx context.Context, tx store.Tx) error {
	m.result, m.problems = files.Report{}, nil
	m.p.threads, m.p.highest = map[int64]bool{}, map[*store.Schema]int64{}
	w := &writing{puller: m.p, ctx: ctx, tx: tx, highest: m.p.highest, roomFor: map[string]bool{}}
	if err := m.p.readNew(tx, seedEntity(m.entity)); err != nil {
		return err
	}
	if err := w.makeRoom(m.entity); err != nil {
		return err
	}
	err := m.each(ctx, func(row bulk.Row, line int64) error {
		m.result.Rows++
		m.p.report, w.problems = newReport(), nil
		written, err := m.row(ctx, w, row)
		if err != nil {
			return fmt.Errorf("pull: at line %d: %w", line, err)
		}
		problems := append(m.p.report.Problems, w.problems...)
		switch {
		case written:
			m.result.Created++
		case len(problems) == 0:
			m.result.Unchanged++ // every shop has it
		default:
			m.result.Failed++
		}
		for _, problem := range problems {
			m.problems = append(m.problems, files.RowProblem{Line: line, Field: problem.Field, Message: problem.Reason})
		}
		if m.options.Progress != nil && m.result.Rows%progressRows == 0 {
			m.options.Progress(m.result)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if m.options.Progress != nil && m.result.Rows%progressRows != 0 {
		m.options.Progress(m.result)
	}
	if m.options.DryRun {
		return nil
	}
	if m.entity == "products" || m.entity == "master_products" {
		if err := m.p.countProducts(tx); err != nil {
			return err
		}
	}
	return m.p.raiseAll(tx)
}

// progressRows is after how many rows the progress is reported.
const progressRows = 500

// countProducts sets the number of products in each category.
func (p *puller) countProducts(tx store.Tx) error {
	counts := map[int64]int64{}
	of := p.column("products_categories", "category_id")
	err := tx.Select(p.schema("products_categories").All(), &store.Query{}, func(r []store.Value) error {
		counts[r[of].Int()]++
		return nil
	})
	if err != nil {
		return err
	}
	s, count := p.schema("categories"), p.column("categories", "product_count")
	var wrong []row
	err = tx.Select(s.All(), &store.Query{}, func(r []store.Value) error {
		if n := counts[r[0].Int()]; n != r[count].Int() {
			counted := slices.Clone(r)
			counted[count] = store.Int(n)
			wrong = append(wrong, counted)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range wrong {
		if err := tx.Update(s, r); err != nil {
			return err
		}
	}
	return nil
}

// finish updates sums and counters of other entities, and begins a new log.
func (m *fileImport) finish(ctx context.Context) error {
	if m.entity == "orders" {
		if err := orders.CountSales(ctx, m.p.st); err != nil {
			return err
		}
		if err := m.p.sh.Orders.ContinueNumbers(ctx); err != nil {
			return err
		}
	}
	return changes.Reset(ctx, m.p.st)
}
