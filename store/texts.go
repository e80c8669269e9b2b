package store

import "fmt"

// The columns that every table of texts begins with.
const (
	TextObject   = "object_id" // the key of the row that the texts are of
	TextLanguage = "lang_code" // the language they are in
)

// Texts is the table with the texts of the translated columns in other languages
// than the base one: a row for each row of s and language that has any, with the
// columns [TextObject], [TextLanguage], and each of the translated ones, "" for no
// text. It is nil where no column is translated.
func (s *Schema) Texts() *Schema { return s.texts }

// WithTexts returns the schemas, each followed by its [Schema.Texts]: all that
// [Store.Migrate] is to create.
func WithTexts(schemas ...*Schema) []*Schema {
	list := make([]*Schema, 0, len(schemas))
	for _, s := range schemas {
		if list = append(list, s); s.texts != nil {
			list = append(list, s.texts)
		}
	}
	return list
}

// textsOf returns the table of the texts of s, nil where no column is translated.
func textsOf(s *Schema) (*Schema, error) {
	columns := []Column{{Name: "text_id", Kind: Integer}, {Name: TextObject, Kind: Integer}, {Name: TextLanguage, Kind: Text}}
	before := len(columns)
	for i, c := range s.Columns {
		switch {
		case !c.Translated:
			continue
		case i == 0 || c.Null || c.Kind != Text && c.Kind != JSON:
			return nil, fmt.Errorf("store: table %s: column %s cannot be translated: only texts and JSON documents that are never null can", s.Name, c.Name)
		}
		columns = append(columns, Column{Name: c.Name, Kind: Text, Fold: c.Fold, Search: c.Search})
	}
	if len(columns) == before {
		return nil, nil
	}
	return NewSchema(s.Name+"_texts", columns, Index{Columns: []string{TextObject, TextLanguage}, Unique: true})
}
