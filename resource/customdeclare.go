package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A customDeclaration is what the database knows of a custom field (extensions E13), so that
// programs without the host's declarations know its column too.
type customDeclaration struct {
	ID          int64        `json:"custom_field_id" store:"key"`
	Table       string       `json:"table_name"`
	Entity      string       `json:"entity"` // that declared it first
	Name        string       `json:"name"`
	Type        string       `json:"type"`
	Scale       int64        `json:"scale"`
	Translated  shopapi.Flag `json:"translated"`
	Personal    shopapi.Flag `json:"personal"`
	Declaration shopapi.JSON `json:"declaration"` // the [shopapi.CustomField]
}

var customDeclarations = store.MustTable[customDeclaration]("custom_fields",
	store.Index{Columns: []string{"table_name", "name"}, Unique: true})

// WithCustom returns the schemas with the custom fields that a store knows as further columns,
// for programs that copy rows whole.
func WithCustom(ctx context.Context, st store.Store, schemas ...*store.Schema) ([]*store.Schema, error) {
	declared, err := readDeclarations(ctx, st)
	if err != nil {
		return nil, err
	}
	extended := slices.Clone(schemas)
	for i, s := range schemas {
		columns := slices.Clone(s.Columns)
		for _, d := range declared {
			if d.Table == s.Name || d.Table+"_texts" == s.Name && bool(d.Translated) {
				columns = append(columns, customColumn(d.Name, shopapi.CustomType(d.Type), int(d.Scale)))
			}
		}
		if len(columns) == len(s.Columns) {
			continue
		}
		if extended[i], err = store.NewSchema(s.Name, columns, slices.Concat(s.Indexes, s.Former)...); err != nil {
			return nil, err
		}
	}
	return extended, nil
}

// DeclaredFields returns the custom fields that a store knows, by entity, and the fields of
// the addresses of customers: [shopapi.Options.CustomFields] and CustomerFields of programs
// that do not have the host's declarations.
func DeclaredFields(ctx context.Context, st store.Store) (fields map[string][]shopapi.CustomField, ofCustomers []shopapi.CustomField, err error) {
	declared, err := readDeclarations(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	fields = map[string][]shopapi.CustomField{}
	for _, d := range declared {
		var f shopapi.CustomField
		if err := json.Unmarshal(d.Declaration, &f); err != nil {
			return nil, nil, fmt.Errorf("resource: the declaration of the custom field %s: %w", d.Name, err)
		}
		switch {
		case strings.HasPrefix(f.Name, "x_"):
			fields[d.Entity] = append(fields[d.Entity], f)
		case !slices.ContainsFunc(ofCustomers, func(known shopapi.CustomField) bool { return known.Name == f.Name }):
			ofCustomers = append(ofCustomers, f) // users and orders have it
		}
	}
	return fields, ofCustomers, nil
}

func readDeclarations(ctx context.Context, st store.Store) (list []customDeclaration, err error) {
	if err := st.Migrate(ctx, customDeclarations.Schema()); err != nil {
		return nil, err
	}
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list, err = customDeclarations.Select(tx, store.Query{})
		return err
	})
	return list, err
}

// ErasePersonal sets the personal custom fields of a row to null, in all languages, and
// reports whether one had a value. It erases fields that this process does not declare too.
func ErasePersonal(tx store.Tx, s *store.Schema, id int64) (erased bool, err error) {
	personal, err := customDeclarations.Select(tx, store.Query{Where: []store.Cond{
		store.Equal("table_name", store.String(s.Name)), store.Equal("personal", store.Bool(true)),
	}})
	if err != nil || len(personal) == 0 {
		return false, err
	}
	columns, translated := []store.Column{s.Columns[0]}, []store.Column(nil)
	for _, d := range personal {
		column := customColumn(d.Name, shopapi.CustomType(d.Type), int(d.Scale))
		if columns = append(columns, column); d.Translated {
			translated = append(translated, column)
		}
	}
	own, err := store.NewSchema(s.Name, columns)
	if err != nil {
		return false, err
	}
	if erased, err = blank(tx, own, store.Equal(s.Key(), store.Int(id)), 1); err != nil || translated == nil {
		return erased, err
	}
	texts, err := customTextsOf(s.Name, translated)
	if err != nil {
		return false, err
	}
	also, err := blank(tx, texts, store.Equal(store.TextObject, store.Int(id)), 3)
	return erased || also, err
}

// blank sets the columns of rows to null, from a column on.
func blank(tx store.Tx, s *store.Schema, where store.Cond, from int) (changed bool, err error) {
	var rows [][]store.Value
	err = tx.Select(s.All(), &store.Query{Where: []store.Cond{where}}, func(row []store.Value) error {
		rows = append(rows, slices.Clone(row))
		return nil
	})
	for _, row := range rows {
		had := slices.ContainsFunc(row[from:], func(v store.Value) bool { return !v.IsNull() })
		if err != nil || !had {
			continue
		}
		clear(row[from:])
		changed, err = true, tx.Update(s, row)
	}
	return changed, err
}

// customColumn returns the column of a field. Texts are folded, whether lists filter by them
// or not, so that a later declaration may change that.
func customColumn(name string, t shopapi.CustomType, scale int) store.Column {
	c := store.Column{Name: name, Null: true}
	switch t {
	case shopapi.CustomNumber:
		c.Kind = store.Integer
	case shopapi.CustomAmount:
		c.Kind, c.Scale = store.Decimal, scale
	case shopapi.CustomFlag:
		c.Kind = store.Boolean
	default:
		c.Kind, c.Fold = store.Text, true
	}
	return c
}

// customTextsOf returns the columns that translated fields have in the table of the texts of
// a table: see [store.Schema.Texts].
func customTextsOf(table string, fields []store.Column) (*store.Schema, error) {
	columns := []store.Column{{Name: "text_id", Kind: store.Integer}, {Name: store.TextObject, Kind: store.Integer}, {Name: store.TextLanguage, Kind: store.Text}}
	return store.NewSchema(table+"_texts", append(columns, fields...), store.Index{Columns: []string{store.TextObject, store.TextLanguage}, Unique: true})
}

// migrate adds the columns and stores the declarations. It returns an error that names the
// field whose type or translation the database has otherwise.
func (x *customFields) migrate(ctx context.Context, st store.Store) error {
	if x == nil {
		return nil
	}
	var missing []customDeclaration
	compare := func(_ context.Context, tx store.Tx) error {
		missing = nil
		known, err := customDeclarations.Select(tx, store.Query{Where: []store.Cond{store.Equal("table_name", store.String(x.schema.Name))}})
		if err != nil {
			return err
		}
		had := make(map[string]customDeclaration, len(known))
		for _, d := range known {
			had[d.Name] = d
		}
		for i := range x.fields {
			d, err := x.declaration(&x.fields[i])
			if err != nil {
				return err
			}
			was, stored := had[d.Name]
			switch {
			case !stored:
				missing = append(missing, d)
			case was.Type != d.Type || was.Scale != d.Scale:
				return fmt.Errorf("resource: the custom field %s of %s is a %s in the database, with %d decimals: its type does not change", d.Name, x.entity, was.Type, was.Scale)
			case was.Translated != d.Translated:
				return fmt.Errorf("resource: the custom field %s of %s: whether it is translated does not change", d.Name, x.entity)
			case string(was.Declaration) != string(d.Declaration):
				d.ID, d.Entity = was.ID, was.Entity
				missing = append(missing, d)
			}
		}
		return nil
	}
	if err := st.View(ctx, compare); err != nil {
		return err
	}
	schemas := []*store.Schema{x.schema}
	if x.texts != nil {
		schemas = append(schemas, x.texts)
	}
	if err := st.Migrate(ctx, schemas...); err != nil || len(missing) == 0 {
		return err
	}
	return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if err := compare(ctx, tx); err != nil { // another process may have been first
			return err
		}
		for i := range missing {
			write := customDeclarations.Insert
			if missing[i].ID != 0 {
				write = customDeclarations.Update
			}
			if err := write(tx, &missing[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *customFields) declaration(f *customField) (d customDeclaration, err error) {
	d = customDeclaration{
		Table: x.schema.Name, Entity: x.entity, Name: f.Name, Type: string(f.Type), Scale: int64(f.column.Scale),
		Translated: shopapi.Flag(f.Translated), Personal: shopapi.Flag(f.Personal),
	}
	d.Declaration, err = json.Marshal(f.CustomField)
	return d, err
}
