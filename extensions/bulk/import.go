package bulk

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/store"
)

// A Row is a row of a file: an object that an import creates or changes (E7).
type Row struct {
	// Fields are the fields of the object, as in the body of a request.
	Fields map[string]json.RawMessage

	// Texts are the values of translated fields in certain languages, by language and
	// field. An empty text or null removes the text of that language.
	Texts map[string]map[string]json.RawMessage

	// Err is the error of the row itself. Such a row is not carried out.
	Err error
}

// ImportOptions say how an [Import] treats its rows.
type ImportOptions struct {
	Entity string // whose objects the rows are

	// Match is the field whose value names the object of a row; "" is the id. A row without
	// an id creates an object.
	Match string

	// Missing is what happens to a row whose value no object has: fail, skip or create; ""
	// is fail. With the id, create is not allowed.
	Missing string

	// DryRun undoes every transaction: the rows are checked, and nothing is changed.
	DryRun bool

	// User returns the user that the import acts for. It is called in each transaction, and
	// its error ends the import. nil means the user of the context.
	User func(ctx context.Context) (*shopapi.User, error)

	// Record is called with the result of each transaction, and within it, so that it is
	// committed with the rows. It may be called again if the transaction runs again. With
	// DryRun, and for an entity in another store, it is called after the transaction.
	Record func(ctx context.Context, r ImportResult) error
}

// An ImportResult says what became of some rows.
type ImportResult struct {
	Rows                                int // that are done, from the first one
	Created, Updated, Unchanged, Failed int
	Errors                              []ImportError // of the failed rows, in their order
}

// An ImportError is a problem of a row.
type ImportError struct {
	Row     int    // its index
	Field   string // "" where the problem is not of one field
	Message string
}

// An Import carries out the rows of a file (E7). Make one with [NewImport].
type Import struct {
	ImportOptions
	*objects
	find func(ctx context.Context, values []string) (map[string][]string, error) // nil: Match is the id

	base    shopapi.Request // what the requests of all rows have
	custom  []shopapi.CustomField
	inArray bool // the rows come from PUT with match, and are not prepared
}

// NewImport returns an import for the user of ctx. It returns a 400 that names invalid
// options, and the 403 of a user who may not view and change the objects.
func NewImport(ctx context.Context, api *shopapi.API, o ImportOptions) (*Import, error) {
	m := &Import{ImportOptions: o, objects: objectsOf(api, o.Entity), base: *api.NewRequest(nil)}
	if m.objects == nil || !m.isPossible() {
		return nil, shopapi.Invalid("import", "must be an entity whose objects can be listed and changed, not %s", plain.Quoted(o.Entity))
	}
	var problems shopapi.Problems
	ids := []string{m.path.ObjectIDField(), m.path.IDField} // as exports have it, and as replies do
	fields := slices.Compact(slices.Clone(ids))
	if m.matcher != nil {
		fields = append(fields, m.matcher.MatchField())
		if o.Match == m.matcher.MatchField() {
			m.find = m.matcher.IDsByCodes
		}
	}
	if m.rowMatcher != nil {
		fields = append(fields, m.rowMatcher.RowField())
		if o.Match == m.rowMatcher.RowField() {
			m.find = m.rowMatcher.IDsByRowField
		}
	}
	if o.Match == "" {
		m.Match = ids[0]
	}
	problems.OneOf("match", m.Match, fields...)
	if slices.Contains(ids, m.Match) {
		m.find = nil
		// An id that clients choose names an object whether it is there or not.
		if n, ok := m.path.Entity().(NamedEntity); ok {
			m.find = n.IDsByName
		}
	}
	if o.Missing == "" {
		m.Missing = "fail"
	}
	problems.OneOf("missing", m.Missing, "fail", "skip", "create")
	if m.Missing == "create" && m.find == nil && !problems.Has("match") {
		problems.Add("missing", "must be fail or skip where rows are matched by %s: a row without it creates an object", m.Match)
	}
	if m.Missing == "create" && m.create == nil {
		problems.Add("missing", "must be fail or skip: objects of %s cannot be created", o.Entity)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	m.custom = m.customFor(shopapi.UserFrom(m.api.Confine(ctx)))
	return m, m.authorize(ctx)
}

// NeedsMatch reports whether each row has to have the field of [ImportOptions.Match].
func (m *Import) NeedsMatch() bool { return m.find != nil || m.create == nil }

// Store is the store of the objects.
func (m *Import) Store() store.Store { return m.path.Store() }

// Description describes the entity.
func (m *Import) Description() shopapi.Description { return m.path.Description }

// Knows reports whether the entity has a field of this name. It is true where the fields
// are not known before an object is read.
func (m *Import) Knows(field string) bool {
	known, fixed := m.path.FieldNames()
	return !fixed || known[field] || slices.ContainsFunc(m.custom, func(f shopapi.CustomField) bool { return f.Name == field })
}

// Custom returns the custom fields that rows may have: the ones that the user sees. Callers must
// not change them.
func (m *Import) Custom() []shopapi.CustomField { return m.custom }

// Carry carries out some rows, at least the first one: in one transaction, which ends after
// 500 rows or 30 ms, and as a bulk write (see [shopapi.API.BulkWrite]). Rows that fail are left out
// and reported. The caller goes on after the rows that are done.
//
// The error is one of the store, of the host or of [ImportOptions.User]: nothing is changed.
func (m *Import) Carry(ctx context.Context, rows []Row) (ImportResult, error) {
	if len(rows) == 0 {
		return ImportResult{}, nil
	}
	return m.run(rows).carry(ctx)
}

// importErrors returns the problems of a row.
func importErrors(row int, err error) (list []ImportError) {
	e := shopapi.AsError(err)
	for _, field := range e.FieldNames() {
		list = append(list, ImportError{row, field, e.Fields[field]})
	}
	if list == nil {
		list = []ImportError{{Row: row, Message: e.Message}}
	}
	return list
}

// texts writes the texts of a row in certain languages.
func (r *rowRun) texts(ctx context.Context, i int, id string, isNew bool) error {
	row := &r.rows[i]
	for _, language := range slices.Sorted(maps.Keys(row.Texts)) {
		fields := map[string]json.RawMessage{}
		var removed, lists []string
		for field, text := range row.Texts[language] {
			switch isEmpty := jsontext.IsEmpty(string(text)) || string(text) == `""`; {
			case r.listTexter != nil && textList(r.path.Description, field) != nil:
				lists = append(lists, field)
			case isEmpty && r.removeTexts != nil:
				removed = append(removed, field)
			case language == r.language && bytes.Equal(text, row.Fields[field]):
			default:
				fields[field] = text
			}
		}
		ctx := shopapi.WithLanguage(ctx, language)
		if len(removed) > 0 && !isNew {
			slices.Sort(removed)
			if err := r.removeTexts(ctx, id, language, removed); err != nil {
				return err
			}
		}
		if err := r.writeTexts(ctx, id, language, fields); err != nil {
			return err
		}
		slices.Sort(lists)
		for _, field := range lists {
			if err := r.listTexts(ctx, i, id, isNew, shopapi.TextField{Field: field, Language: language}); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTexts changes fields of an object in the language of ctx, if there are any.
func (r *rowRun) writeTexts(ctx context.Context, id, language string, fields map[string]json.RawMessage) error {
	if len(fields) == 0 {
		return nil
	}
	request := r.api.NewRequest(r.user)
	request.Payload = shopapi.PayloadOf(fields)
	if _, err := r.update(ctx, request, id); err != nil {
		return inLanguage(err, language, fields)
	}
	return nil
}

// inLanguage names the fields of a 400 as the file does.
func inLanguage(err error, language string, fields map[string]json.RawMessage) error {
	e := shopapi.AsError(err)
	if len(e.Fields) == 0 {
		return err
	}
	var problems shopapi.Problems
	for _, name := range e.FieldNames() {
		field := name
		if _, sent := fields[name]; sent {
			field = shopapi.TextField{Field: name, Language: language}.Name()
		}
		problems.Add(field, "%s", e.Fields[name])
	}
	return problems.Err()
}

// dryRunKey is the context key of a dry run.
type dryRunKey struct{}

// InDryRun reports whether ctx belongs to an operation whose transaction is undone in any
// case. It must do nothing that outlasts the transaction.
func InDryRun(ctx context.Context) bool {
	in, _ := ctx.Value(dryRunKey{}).(bool)
	return in
}
