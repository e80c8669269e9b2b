package resource

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// inLanguage returns conditions on rows in which translated columns mean the texts in a
// language.
func inLanguage(s *store.Schema, l language, conds []store.Cond) []store.Cond {
	if s.Texts() == nil || l.isBase() {
		return conds
	}
	translated := make([]store.Cond, len(conds))
	for i, c := range conds {
		switch index := s.Index(c.Column); {
		case c.Op == store.OpAll || c.Op == store.OpAny || c.Op == store.OpNot:
			c.Conds = inLanguage(s, l, c.Conds)
		case index >= 0 && s.Columns[index].Translated:
			c = textCond(s, l, c)
		}
		translated[i] = c
	}
	return translated
}

// textCond is a condition on the first existing text in the chain of languages: a
// language counts if the languages before it have no text.
func textCond(s *store.Schema, l language, c store.Cond) store.Cond {
	var none []store.Cond // no language so far has a text
	var either []store.Cond
	chain := l.chain()
	for i, code := range chain {
		if code == l.base && i == len(chain)-1 {
			break
		}
		has := store.NotEqual(c.Column, store.String(""))
		holds := store.All(has, c)
		if code != l.base {
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

// A textSort orders rows by a translated column in other languages than the base one.
type textSort struct {
	column       store.Column
	rows, beside *store.Projection // key and text; object, language and text
}

// textSortsOf returns the translated columns among the sort keys of lists.
func textSortsOf(s *store.Schema, sorts []Sort) (map[string]*textSort, error) {
	found := map[string]*textSort{}
	for _, sort := range sorts {
		i := s.Index(sort.Column)
		if i < 0 || !s.Columns[i].Translated {
			continue
		}
		t := &textSort{column: s.Columns[i]}
		var err error
		if t.rows, err = s.Project(s.Key(), sort.Column); err != nil {
			return nil, err
		}
		if t.beside, err = s.Texts().Project(store.TextObject, store.TextLanguage, sort.Column); err != nil {
			return nil, err
		}
		found[sort.Column] = t
	}
	return found, nil
}

// A sortedText is a row with the text that orders it.
type sortedText struct {
	key  int64
	text string
}

// keys returns the keys of all rows that match, in the order of their texts in a
// language; ties are broken by key in the direction of the order, as stores do. It
// reads all of them.
func (t *textSort) keys(tx store.Tx, l language, where []store.Cond, desc bool) ([]int64, error) {
	found := map[textKey]string{}
	err := tx.Select(t.beside, &store.Query{Where: []store.Cond{inLanguages(l.others())}}, func(row []store.Value) error {
		found[textKey{row[0].Int(), row[1].Text()}] = row[2].Text()
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []sortedText
	err = tx.Select(t.rows, &store.Query{Where: where}, func(row []store.Value) error {
		key, text := row[0].Int(), ""
		for _, code := range l.chain() {
			if text = found[textKey{key, code}]; code == l.base {
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

// sortedPage reads a page of items in the order of a translated column, and the number
// of all that match.
func (c *collection[T, S]) sortedPage(ctx context.Context, tx store.Tx, l language, sort *textSort, f Filter, q store.Query) ([]S, int64, error) {
	keys, err := sort.keys(tx, l, q.Where, q.Order[0].Desc)
	if err != nil {
		return nil, 0, err
	}
	total := int64(len(keys))
	keys = keys[min(max(q.Offset, 0), len(keys)):]
	if q.Limit > 0 {
		keys = keys[:min(q.Limit, len(keys))]
	}
	page := store.Query{Where: []store.Cond{store.InInts(c.def.Table.Schema().Key(), keys...)}}
	page.Order = []store.Order{store.Asc(c.def.Table.Schema().Key())}
	var list []S
	if c.def.List.Select != nil {
		list, _, err = c.def.List.Select(ctx, tx, f, page)
	} else {
		list, err = c.def.List.Items.Select(tx, page)
	}
	if err != nil {
		return nil, 0, err
	}
	place := make(map[int64]int, len(keys))
	for i, key := range keys {
		place[key] = i
	}
	slices.SortFunc(list, func(a, b S) int {
		return cmp.Compare(place[c.def.List.Items.Key(&a)], place[c.def.List.Items.Key(&b)])
	})
	return list, total, nil
}
