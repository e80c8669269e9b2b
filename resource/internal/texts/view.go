package texts

import (
	"github.com/shopapi/shopapi/store"
)

// A view reads the translations of a table's rows into a struct that has some of the
// table's columns.
type view[S any] struct {
	reader *store.Reader[S]
	translated
}

// translated is where a reader has the translated columns of a table.
type translated struct {
	language   int               // the field lang_code, or -1
	fields     []int             // the translated fields
	columns    map[int]int       // of the table of texts, by field
	projection *store.Projection // object, language, and a column for each of fields; nil where there are none
}

func viewOf[S any](s *store.Schema, r *store.Reader[S]) *view[S] {
	return &view[S]{r, translatedOf(s, r.Field)}
}

// translatedOf finds the translated columns by the field of a column, -1 where a reader lacks it.
func translatedOf(s *store.Schema, fieldOf func(column string) int) translated {
	t := translated{language: -1, columns: map[int]int{}}
	texts := s.Texts()
	if texts == nil {
		return t
	}
	t.language = fieldOf(store.TextLanguage)
	p := &store.Projection{Schema: texts, Columns: []int{texts.Index(store.TextObject), texts.Index(store.TextLanguage)}}
	for i, column := range texts.Columns {
		field := fieldOf(column.Name)
		if s.Index(column.Name) < 0 || !s.Columns[s.Index(column.Name)].Translated || field < 0 {
			continue
		}
		t.fields = append(t.fields, field)
		t.columns[field] = i
		p.Columns = append(p.Columns, i)
	}
	if len(t.fields) > 0 {
		t.projection = p
	}
	return t
}

// setLanguage says in a row in which language it was asked for.
func (v *view[S]) setLanguage(row *S, code string) {
	if v.language >= 0 {
		v.reader.SetField(row, v.language, store.String(code))
	}
}

// A Key names the texts of an object in a language.
type Key struct {
	Object int64
	Code   string
}

// load replaces the texts of the base language in rows by the texts of a language, and
// sets the requested language in each row.
func (v *view[S]) load(tx store.Tx, l Language, rows ...*S) error {
	if v.language >= 0 {
		for _, row := range rows {
			v.setLanguage(row, l.Asked)
		}
	}
	if l.IsBase() || v.projection == nil || len(rows) == 0 {
		return nil
	}
	found, err := v.read(tx, l.Others(), rows)
	if err != nil || len(found) == 0 {
		return err
	}
	for _, row := range rows {
		if err := v.lay(row, l, found); err != nil {
			return err
		}
	}
	return nil
}

// read reads the texts of rows in some languages.
func (v *view[S]) read(tx store.Tx, codes []string, rows []*S) (map[Key][]store.Value, error) {
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = v.reader.Key(row)
	}
	return readTexts(tx, v.projection, codes, ids)
}

func readTexts(tx store.Tx, p *store.Projection, codes []string, ids []int64) (map[Key][]store.Value, error) {
	found := make(map[Key][]store.Value)
	err := tx.Select(p, &store.Query{Where: []store.Cond{
		store.InInts(store.TextObject, ids...), InLanguages(codes),
	}}, func(values []store.Value) error {
		found[Key{values[0].Int(), values[1].Text()}] = append([]store.Value(nil), values[2:]...)
		return nil
	})
	return found, err
}

// lay sets each text of a row to the first existing one in the chain of languages.
func (v *view[S]) lay(row *S, l Language, found map[Key][]store.Value) error {
	id := v.reader.Key(row)
	for i, field := range v.fields {
		base, err := v.reader.FieldValue(row, field)
		if err != nil {
			return err
		}
		for _, code := range l.Chain() {
			text := base.Text()
			if code != l.Base {
				text = ""
				if texts := found[Key{id, code}]; texts != nil {
					text = texts[i].Text()
				}
			}
			if text == "" {
				continue
			}
			if code != l.Base {
				v.reader.SetField(row, field, store.String(text))
			}
			break
		}
	}
	return nil
}

// InLanguages is the condition on texts that they are in one of the languages.
func InLanguages(codes []string) store.Cond {
	if len(codes) == 1 {
		return store.Equal(store.TextLanguage, store.String(codes[0]))
	}
	values := make([]store.Value, len(codes))
	for i, code := range codes {
		values[i] = store.String(code)
	}
	return store.In(store.TextLanguage, values...)
}
