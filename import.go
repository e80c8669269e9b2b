package shopapi

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/store"
)

// An ImportRow is a row of a file: an object that an import creates or changes (E7).
type ImportRow struct {
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
	User func(ctx context.Context) (*User, error)

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

// An Import carries out the rows of a file (E7). Make one with [API.NewImport].
type Import struct {
	ImportOptions
	api   *API
	entry *entry
	find  func(ctx context.Context, values []string) (map[string][]string, error) // nil: Match is the id

	base    Request // what the requests of all rows have
	inArray bool    // the rows are those of PUT with match, which are not prepared
}

// A RowMatcher is an entity whose objects rows of files name by a field beside the id,
// such as users by their email.
type RowMatcher interface {
	// RowField is the field, "" for none.
	RowField() string

	// IDsByRowField returns the ids of the objects by their values of the field, of the
	// objects that the user of ctx may see.
	IDsByRowField(ctx context.Context, values []string) (map[string][]string, error)
}

// A TextRemover is an entity whose objects have texts in several languages.
type TextRemover interface {
	// RemoveTexts removes the texts that an object has of its own in a language, within the
	// transaction of ctx. It returns [ErrNotFound] for an object that does not exist.
	RemoveTexts(ctx context.Context, id, language string, fields []string) error
}

// NewImport returns an import for the user of ctx. It returns a 400 that names invalid
// options, and the 403 of a user who may not view and change the objects.
func (a *API) NewImport(ctx context.Context, o ImportOptions) (*Import, error) {
	m := &Import{ImportOptions: o, api: a, entry: a.registry.top[o.Entity], base: Request{api: a}}
	if !m.isPossible() {
		return nil, Invalid("import", "must be an entity whose objects can be listed and changed, not %s", quoted(o.Entity))
	}
	var problems Problems
	fields := []string{m.entry.IDField}
	if c := m.entry.matcher; c != nil {
		fields = append(fields, c.MatchField())
		if o.Match == c.MatchField() {
			m.find = c.IDsByCodes
		}
	}
	if c := m.entry.rows; c != nil {
		fields = append(fields, c.RowField())
		if o.Match == c.RowField() {
			m.find = c.IDsByRowField
		}
	}
	if o.Match == "" {
		m.Match = m.entry.IDField
	}
	problems.OneOf("match", m.Match, fields...)
	if m.Match == m.entry.IDField {
		m.find = nil
	}
	if o.Missing == "" {
		m.Missing = "fail"
	}
	problems.OneOf("missing", m.Missing, "fail", "skip", "create")
	if m.Missing == "create" && m.find == nil && !problems.Has("match") {
		problems.Add("missing", "must be fail or skip where rows are matched by %s: a row without it creates an object", m.Match)
	}
	if m.Missing == "create" && m.entry.create == nil {
		problems.Add("missing", "must be fail or skip: objects of %s cannot be created", o.Entity)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return m, m.authorize(UserFrom(a.Confine(ctx)))
}

// isPossible reports whether the objects of the entity are in a store, whose transactions
// carry out many of them.
func (m *Import) isPossible() bool {
	e := m.entry
	return e != nil && e.st != nil && e.Transactional && e.list != nil && e.update != nil
}

// authorize checks the privileges of a user, as PUT with match does.
func (m *Import) authorize(user *User) error {
	if user == nil {
		return nil
	}
	if view := m.entry.Privileges.View; !user.Can(view) {
		return forbidden(view)
	}
	return authorize(user, &target{entry: m.entry, op: OpUpdate})
}

// NeedsMatch reports whether each row has to have the field of [ImportOptions.Match].
func (m *Import) NeedsMatch() bool { return m.find != nil || m.entry.create == nil }

// Store is the store of the objects.
func (m *Import) Store() store.Store { return m.entry.st }

// Description describes the entity.
func (m *Import) Description() Description { return m.entry.describe() }

// Knows reports whether the entity has a field of this name. It is true where the fields
// are not known before an object is read.
func (m *Import) Knows(field string) bool {
	known, fixed := m.entry.fields()
	return !fixed || known[field]
}

// Carry carries out some rows, at least the first one: in one transaction, which ends after
// 500 rows or 50 ms, and as a bulk write (see [API.BulkWrite]). Rows that fail are left out
// and reported. The caller goes on after the rows that are done.
//
// The error is one of the store, of the host or of [ImportOptions.User]: nothing is changed.
func (m *Import) Carry(ctx context.Context, rows []ImportRow) (ImportResult, error) {
	if len(rows) == 0 {
		return ImportResult{}, nil
	}
	return m.run(rows).carry(ctx)
}

// importErrors returns the problems of a row.
func importErrors(row int, err error) (list []ImportError) {
	e := asError(err)
	for _, field := range e.fieldNames() {
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
		var removed []string
		for field, text := range row.Texts[language] {
			switch isEmpty := jsontext.IsEmpty(string(text)) || string(text) == `""`; {
			case isEmpty && r.entry.removeTexts != nil:
				removed = append(removed, field)
			case language == r.language && bytes.Equal(text, row.Fields[field]):
			default:
				fields[field] = text
			}
		}
		ctx := WithLanguage(ctx, language)
		if len(removed) > 0 && !isNew {
			slices.Sort(removed)
			if err := r.entry.removeTexts(ctx, id, language, removed); err != nil {
				return err
			}
		}
		if len(fields) == 0 {
			continue
		}
		request := Request{User: r.user, api: r.api, Payload: &Payload{fields: fields}}
		if _, err := r.entry.update(ctx, &request, id); err != nil {
			return inLanguage(err, language, fields)
		}
	}
	return nil
}

// inLanguage names the fields of a 400 as the file does.
func inLanguage(err error, language string, fields map[string]json.RawMessage) error {
	e := asError(err)
	if len(e.Fields) == 0 {
		return err
	}
	var problems Problems
	for _, name := range e.fieldNames() {
		field := name
		if _, sent := fields[name]; sent {
			field = TextField{name, language}.Name()
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
