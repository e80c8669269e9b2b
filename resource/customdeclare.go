package resource

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A customDeclaration is what the database knows of a custom field (extensions E13), so that
// programs without the host's declarations know its column too.
type customDeclaration struct {
	ID         int64        `json:"custom_field_id" store:"key"`
	Table      string       `json:"table_name"` // without the tables of its texts
	Key        string       `json:"key_name"`   // the key of the table
	Name       string       `json:"name"`
	Type       string       `json:"type"`
	Scale      int64        `json:"scale"`
	Translated shopapi.Flag `json:"translated"`
	Personal   shopapi.Flag `json:"personal"`
}

var customDeclarations = store.MustTable[customDeclaration]("custom_fields",
	store.Index{Columns: []string{"table_name", "name"}, Unique: true})

// CustomSchemas returns the custom fields of all tables of a store as schemas, for programs
// that copy one store into another: for each table that has such fields a schema of its key
// and these columns. Schemas of tables of texts have the translated texts of the fields.
func CustomSchemas(tx store.Tx) ([]*store.Schema, error) {
	list, err := customDeclarations.Select(tx, store.Query{})
	if err != nil {
		return nil, err
	}
	fields := map[string][]customDeclaration{}
	var tables []string
	for _, d := range list {
		if fields[d.Table] == nil {
			tables = append(tables, d.Table)
		}
		fields[d.Table] = append(fields[d.Table], d)
	}
	var schemas []*store.Schema
	for _, table := range tables {
		columns, texts := []store.Column{{Name: fields[table][0].Key, Kind: store.Integer}}, []store.Column(nil)
		for _, d := range fields[table] {
			column := d.column()
			if columns = append(columns, column); d.Translated {
				texts = append(texts, column)
			}
		}
		s, err := store.NewSchema(table, columns)
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, s)
		if texts != nil {
			s, err := customTextsOf(table, texts)
			if err != nil {
				return nil, err
			}
			schemas = append(schemas, s)
		}
	}
	return schemas, nil
}

// column returns the column of a field.
func (d *customDeclaration) column() store.Column {
	return customColumn(d.Name, shopapi.CustomType(d.Type), int(d.Scale))
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
			d := x.declaration(&x.fields[i])
			was, stored := had[d.Name]
			switch {
			case !stored:
				missing = append(missing, d)
			case was.Type != d.Type || was.Scale != d.Scale:
				return fmt.Errorf("resource: the custom field %s of %s is a %s in the database, with %d decimals: its type does not change", d.Name, x.entity, was.Type, was.Scale)
			case was.Translated != d.Translated:
				return fmt.Errorf("resource: the custom field %s of %s: whether it is translated does not change", d.Name, x.entity)
			case was.Personal != d.Personal:
				d.ID = was.ID
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

func (x *customFields) declaration(f *customField) customDeclaration {
	d := customDeclaration{Table: x.schema.Name, Key: x.schema.Key(), Name: f.Name, Type: string(f.Type)}
	if d.Scale = int64(f.column.Scale); f.Translated {
		d.Translated = true
	}
	d.Personal = shopapi.Flag(f.Personal)
	return d
}
