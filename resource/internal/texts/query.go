package texts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// InLanguage returns conditions on rows in which translated columns mean the texts in a
// language.
func InLanguage(s *store.Schema, l Language, conds []store.Cond) []store.Cond {
	if s.Texts() == nil || l.IsBase() {
		return conds
	}
	translated := make([]store.Cond, len(conds))
	for i, c := range conds {
		switch index := s.Index(c.Column); {
		case c.Op == store.OpAll || c.Op == store.OpAny || c.Op == store.OpNot:
			c.Conds = InLanguage(s, l, c.Conds)
		case index >= 0 && s.Columns[index].Translated:
			c = textCond(s, l, c)
		}
		translated[i] = c
	}
	return translated
}

// textCond is a condition on the first existing text in the chain of languages: a
// language counts if the languages before it have no text.
func textCond(s *store.Schema, l Language, c store.Cond) store.Cond {
	var none []store.Cond // no language so far has a text
	var either []store.Cond
	chain := l.Chain()
	for i, code := range chain {
		if code == l.Base && i == len(chain)-1 {
			break
		}
		has := store.NotEqual(c.Column, store.String(""))
		holds := store.All(has, c)
		if code != l.Base {
			in := store.Equal(store.TextLanguage, store.String(code))
			has, holds = beside(s, in, has), beside(s, in, has, c)
		}
		either = append(either, store.All(append(slices.Clone(none), holds)...))
		none = append(none, store.Not(has))
	}
	// The last alternative is the base language. If no language has a text, the column is
	// empty, like the text that is read.
	return store.Any(append(either, store.All(append(none, c)...))...)
}

// beside is the condition that texts beside a row meet all of the conditions.
func beside(s *store.Schema, conds ...store.Cond) store.Cond {
	return store.InQuery(s.Key(), s.Texts(), store.TextObject, conds...)
}

// A Sort orders rows by a translated column in other languages than the base one.
type Sort struct {
	column       store.Column
	rows, beside *store.Projection // key and text; object, language and text
}

// SortsOf returns the translated columns among the columns that lists can be sorted by.
func SortsOf(s *store.Schema, columns []string) (map[string]*Sort, error) {
	found := map[string]*Sort{}
	for _, column := range columns {
		i := s.Index(column)
		if i < 0 || !s.Columns[i].Translated {
			continue
		}
		t := &Sort{column: s.Columns[i]}
		var err error
		if t.rows, err = s.Project(s.Key(), column); err != nil {
			return nil, err
		}
		if t.beside, err = s.Texts().Project(store.TextObject, store.TextLanguage, column); err != nil {
			return nil, err
		}
		found[column] = t
	}
	return found, nil
}

// A sortedText is a row with the text that orders it.
type sortedText struct {
	key  int64
	text string
}

// Keys returns the keys of all rows that match, in the order of their texts in a
// language; ties are broken by key in the direction of the order, as stores do. It
// reads all of them.
func (t *Sort) Keys(tx store.Tx, l Language, where []store.Cond, desc bool) ([]int64, error) {
	found := map[Key]string{}
	err := tx.Select(t.beside, &store.Query{Where: []store.Cond{InLanguages(l.Others())}}, func(row []store.Value) error {
		found[Key{row[0].Int(), row[1].Text()}] = row[2].Text()
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []sortedText
	err = tx.Select(t.rows, &store.Query{Where: where}, func(row []store.Value) error {
		key, text := row[0].Int(), ""
		for _, code := range l.Chain() {
			if text = found[Key{key, code}]; code == l.Base {
				text = row[1].Text()
			}
			if text != "" {
				break
			}
		}
		if t.column.Fold {
			text = store.Fold(text)
		}
		list = append(list, sortedText{key, text})
		return nil
	})
	slices.SortFunc(list, func(a, b sortedText) int {
		order := cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.key, b.key))
		if desc {
			return -order
		}
		return order
	})
	keys := make([]int64, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return keys, err
}
