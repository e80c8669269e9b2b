package pull

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/shopapi/shopapi/store"
)

// maxRow is what texts of a pulled row have at most, in bytes: changes here may make the row
// longer, up to [store.MaxRow].
const maxRow = store.MaxRow - 64<<10

// fit has the rows of an object fit into every store, and reports what it cuts: texts of an
// index have at most [store.MaxIndexedText] bytes, and texts of a row maxRow. It
// returns false for an object that cannot be stored.
func (p *puller) fit(t *taken) bool {
	for i := range t.parts {
		part := &t.parts[i]
		for _, r := range part.rows {
			for _, index := range part.schema.Indexes {
				if !p.fitColumns(t, part.schema, r, index.Columns, store.MaxIndexedText, store.Fold) {
					p.report.problem(Problem{t.entity, t.id, index.Columns[len(index.Columns)-1], "is too long to be found by: the object was not taken"})
					return false
				}
			}
			if !p.fitColumns(t, part.schema, r, columnNames(part.schema), maxRow, func(text string) string { return text }) {
				p.report.problem(Problem{t.entity, t.id, "", fmt.Sprintf("has more than %d bytes: it was taken, and cannot be changed here unless it becomes shorter", maxRow)})
			}
		}
	}
	return true
}

func columnNames(s *store.Schema) []string {
	names := make([]string, len(s.Columns))
	for i := range s.Columns {
		names[i] = s.Columns[i].Name
	}
	return names
}

// fitColumns cuts the longest texts of columns until all of them together have at most so many
// bytes in a form. It reports whether they do, and cuts nothing where that would not be enough.
func (p *puller) fitColumns(t *taken, s *store.Schema, r row, columns []string, most int, form func(string) string) bool {
	for {
		size, fixed, longest := 0, 0, -1
		for _, name := range columns {
			i := s.Index(name)
			if !r[i].IsText() {
				continue
			}
			bytes := len(form(r[i].Text()))
			size += bytes
			if !mayBeCut(&s.Columns[i], r[i].Text()) {
				fixed += bytes
			} else if longest < 0 || len(r[i].Text()) > len(r[longest].Text()) {
				longest = i
			}
		}
		if size <= most {
			return true
		}
		if fixed > most || longest < 0 {
			return false
		}
		text := r[longest].Text()
		kept := cutText(text, max(0, len(text)-(size-most)))
		r[longest] = store.String(kept)
		p.report.problem(Problem{t.entity, t.id, s.Columns[longest].Name, fmt.Sprintf("has %d bytes, which are too many: it was cut to %d", len(text), len(kept))})
	}
}

// mayBeCut reports whether a text is still one when it is cut: no document, and no path.
func mayBeCut(c *store.Column, text string) bool {
	return c.Kind == store.Text && text != "" && text[0] != '{' && text[0] != '[' && !slices.Contains([]string{"id_path", "tree_order"}, c.Name)
}

// cutText returns at most the first n bytes of a text, in whole characters.
func cutText(text string, n int) string {
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
