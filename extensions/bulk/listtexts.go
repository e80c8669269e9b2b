package bulk

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/plain"
)

// textList returns the list of parts with texts in a field, nil where the field is another one.
func textList(d shopapi.Description, field string) *shopapi.TranslatedList {
	for i := range d.TranslatedLists {
		if d.TranslatedLists[i].Name == field {
			return &d.TranslatedLists[i]
		}
	}
	return nil
}

// partsAtOnce is how many parts one change of an object gives texts.
const partsAtOnce = 500

// listTexts gives the parts of an object the texts in a language that a row has. They are all
// texts of that language: others are removed. The parts themselves stay as they are.
func (r *rowRun) listTexts(ctx context.Context, i int, id string, isNew bool, of shopapi.TextField) error {
	list := textList(r.path.Description, of.Field)
	sent, err := partsIn(r.rows[i].Texts[of.Language][of.Field], list, of)
	if err != nil {
		return err
	}
	own, err := r.listTexter.ListTexts(ctx, id, of.Language, of.Field)
	if err != nil {
		return err
	}
	if isNew && len(sent) > 0 {
		if sent, err = r.renamed(ctx, i, id, list, sent); err != nil {
			return err
		}
	}
	for part := range sent {
		if own[part] == nil {
			return shopapi.Invalid(of.Name(), "[%s]: must be the id of one that the object has in %s", plain.Short(part), of.Field)
		}
	}
	removed, written := map[string][]string{}, map[string]map[string]json.RawMessage{}
	for part, had := range own {
		for _, name := range list.Fields {
			switch text := sent[part][name]; {
			case text == "" && had[name] != "":
				removed[part] = append(removed[part], name)
			case text != had[name]:
				if written[part] == nil {
					written[part] = map[string]json.RawMessage{}
				}
				written[part][name] = jsonenc.AppendString(nil, text)
			}
		}
	}
	if len(removed) > 0 {
		if err := r.listTexter.RemoveListTexts(ctx, id, of.Language, of.Field, removed); err != nil {
			return err
		}
	}
	all := slices.SortedFunc(maps.Keys(own), byNumber)
	for some := range slices.Chunk(slices.DeleteFunc(slices.Clone(all), func(part string) bool { return written[part] == nil }), partsAtOnce) {
		parts := make([]map[string]json.RawMessage, len(all))
		for i, part := range all {
			parts[i] = map[string]json.RawMessage{}
			if slices.Contains(some, part) {
				parts[i] = written[part]
			}
			parts[i][list.IDField] = jsonenc.AppendString(nil, part)
		}
		value, err := json.Marshal(parts)
		if err != nil {
			return err
		}
		if err := r.writeTexts(ctx, id, of.Language, map[string]json.RawMessage{of.Field: value}); err != nil {
			return err
		}
	}
	return nil
}

// byNumber compares ids by their numbers.
func byNumber(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// partsIn reads the texts of parts, by the id of the part and the field. Other members of parts are
// ignored, and so are empty texts.
func partsIn(raw json.RawMessage, list *shopapi.TranslatedList, of shopapi.TextField) (map[string]map[string]string, error) {
	form := func() error {
		return shopapi.Invalid(of.Name(), `must be an object of texts by the ids of %s, such as {"7": {"%s": "…"}}`, of.Field, list.Fields[0])
	}
	items, err := entries.Parse(raw)
	if err != nil {
		return nil, form()
	}
	sent := make(map[string]map[string]string, len(items))
	for i := range items {
		part, members, ok := partOf(&items[i], list)
		if !ok {
			return nil, form()
		}
		if sent[part] != nil {
			return nil, shopapi.Invalid(of.Name(), "must name %s once only", plain.Quoted(part))
		}
		sent[part] = map[string]string{}
		for _, name := range list.Fields {
			if value := string(members[name]); value != "" && value != "null" {
				text, _, ok := jsontext.Scalar(members[name])
				if !ok {
					return nil, shopapi.Invalid(of.Name(), "[%s]: %s must be a text", plain.Short(part), name)
				}
				sent[part][name] = text
			}
		}
	}
	return sent, nil
}

// partOf returns the id that an entry of a list names, in it or as its key, and its members.
func partOf(e *entries.Entry, list *shopapi.TranslatedList) (part string, members map[string]json.RawMessage, ok bool) {
	if json.Unmarshal(e.Value, &members) != nil || members == nil {
		return "", nil, false
	}
	if raw, named := members[list.IDField]; named {
		part, _, ok = jsontext.Scalar(raw)
		return part, members, ok && part != ""
	}
	return e.Key, members, !e.Index
}

// renamed returns the texts of a new object's parts by their new ids. The parts are found by the names
// that they have in the list of the row.
func (r *rowRun) renamed(ctx context.Context, i int, id string, list *shopapi.TranslatedList, sent map[string]map[string]string) (map[string]map[string]string, error) {
	made, err := r.listTexter.ListTexts(ctx, id, "", list.Name)
	if err != nil {
		return nil, err
	}
	items, err := entries.Parse(r.rows[i].Fields[list.Name])
	if err != nil {
		return nil, err
	}
	free := slices.SortedFunc(maps.Keys(made), byNumber)
	byNewID := map[string]map[string]string{}
	for j := range items {
		part, members, ok := partOf(&items[j], list)
		if !ok {
			continue
		}
		name, _, _ := jsontext.Scalar(members[list.Fields[0]])
		at := slices.IndexFunc(free, func(n string) bool { return made[n][list.Fields[0]] == strings.TrimSpace(name) })
		if at < 0 {
			continue
		}
		if texts, ok := sent[part]; ok {
			byNewID[free[at]] = texts
			delete(sent, part)
		}
		free = slices.Delete(free, at, at+1)
	}
	for part := range sent {
		return nil, shopapi.Invalid(list.Name, "[%s]: has texts in a language, and is not in the list", plain.Short(part))
	}
	return byNewID, nil
}
