package texts

import (
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// An OwnKey names a text of an object.
type OwnKey struct {
	Object int64
	shopapi.TextField
}

// Own returns the texts that objects have of their own in certain languages, in at most two reads.
// s has the objects with the texts of the base language, beside the others.
func Own(tx store.Tx, s, beside *store.Schema, base string, ids []int64, asked []shopapi.TextField) (map[OwnKey]string, error) {
	found := map[OwnKey]string{}
	var codes, inBase, others []string // the last two are fields
	for _, a := range asked {
		if a.Language == base {
			inBase = append(inBase, a.Field)
			continue
		}
		others = append(others, a.Field)
		if !slices.Contains(codes, a.Language) {
			codes = append(codes, a.Language)
		}
	}
	if inBase != nil && len(ids) > 0 {
		where := store.InInts(s.Key(), ids...)
		err := readFields(tx, s, []string{s.Key()}, inBase, []store.Cond{where}, func(head []store.Value, field, text string) {
			found[OwnKey{head[0].Int(), shopapi.TextField{Field: field, Language: base}}] = text
		})
		if err != nil {
			return found, err
		}
	}
	if others == nil || len(ids) == 0 {
		return found, nil
	}
	where := []store.Cond{store.InInts(store.TextObject, ids...), InLanguages(codes)}
	return found, readFields(tx, beside, []string{store.TextObject, store.TextLanguage}, others, where, func(head []store.Value, field, text string) {
		found[OwnKey{head[0].Int(), shopapi.TextField{Field: field, Language: head[1].Text()}}] = text
	})
}

// readFields calls fn for each of the fields of the rows that match, with the values of other columns.
func readFields(tx store.Tx, s *store.Schema, head, fields []string, where []store.Cond, fn func(head []store.Value, field, text string)) error {
	p := &store.Projection{Schema: s}
	fields = slices.Compact(slices.Sorted(slices.Values(fields)))
	for _, column := range slices.Concat(head, fields) {
		p.Columns = append(p.Columns, s.Index(column))
	}
	return tx.Select(p, &store.Query{Where: where}, func(row []store.Value) error {
		for i, field := range fields {
			fn(row, field, row[len(head)+i].Text())
		}
		return nil
	})
}
