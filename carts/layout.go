package carts

import (
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/options"
)

// maxChosen is the size of the options of all lines of a cart, in bytes as they are
// stored: an order takes no more.
const maxChosen = 512 << 10

// A layout is the lines of a cart while entries are applied to them. Lines with 0 pieces
// are to be removed.
type layout struct {
	lines    []Line
	texts    []string        // of the options of each line
	meanings map[meaning]int // the first line with each
}

// A meaning is what lines with equal product and options have in common.
type meaning struct {
	product int64
	text    string
}

func layOut(lines []Line) *layout {
	l := &layout{meanings: make(map[meaning]int, len(lines))}
	for i := range lines {
		l.add(&lines[i])
	}
	return l
}

func (l *layout) add(line *Line) {
	m := meaning{line.ProductID, textOf(line.Extra.ProductOptions)}
	if _, known := l.meanings[m]; !known {
		l.meanings[m] = len(l.lines)
	}
	l.lines, l.texts = append(l.lines, *line), append(l.texts, m.text)
}

// locate finds the line and the product of an entry.
func (l *layout) locate(e *entry, problems *shopapi.Problems) error {
	e.at = -1
	least := int64(0)
	if e.add {
		least = 1
	}
	problems.Range(e.field("[amount]"), e.amount, least, MaxAmount)
	id, err := strconv.ParseInt(e.key, 10, 64)
	if err == nil && !e.index {
		e.at = byItem(l.lines, id)
	}
	if e.at < 0 && e.item != 0 {
		e.at = byItem(l.lines, e.item)
	}
	switch {
	case e.at >= 0:
		e.product = l.lines[e.at].ProductID
		return nil
	case e.line:
		return shopapi.NotFound("line of the cart", e.key)
	case e.product == 0 && !e.index:
		e.product = id
	}
	if e.product <= 0 {
		problems.Add(e.field(""), "must be the id of a product, or have a product_id")
		return nil
	}
	if e.options == nil {
		e.at = l.only(e, problems)
	} else {
		e.at = l.meant(e.product, textOf(chosenOf(e.options)))
	}
	return nil
}

// meant returns the index of the line of a product with the options, -1 for none.
func (l *layout) meant(product int64, text string) int {
	if i, found := l.meanings[meaning{product, text}]; found {
		return i
	}
	return -1
}

// shownLines is how many lines a problem names: each of many entries may have it.
const shownLines = 10

// only returns the index of the only line of the product of an entry without options, -1 for
// none. Of several lines the entry names none: it adds a problem (decisions §19, §26).
func (l *layout) only(e *entry, problems *shopapi.Problems) int {
	found := -1
	var items []string
	for i := range l.lines {
		if l.lines[i].ProductID == e.product {
			found, items = i, append(items, shopapi.FormatID(l.lines[i].ItemID))
		}
	}
	if len(items) > 1 {
		named := strings.Join(items[:min(len(items), shownLines)], ", ")
		problems.Add(e.field("[product_options]"), "is required: several lines have the product %d (%s)", e.product, named)
		return -1
	}
	return found
}

// chosenOf returns the options without the unset ones.
func chosenOf(selection options.Selection) Options {
	chosen := Options{}
	for id, choice := range selection {
		if choice != "" {
			chosen[id] = choice
		}
	}
	return chosen
}

// lay applies an entry.
func (l *layout) lay(e *entry, problems *shopapi.Problems) {
	switch {
	case e.at >= 0 && (e.amount == 0 || e.options == nil):
		l.lines[e.at].set(e, problems)
	case e.amount == 0:
		if at := l.meant(e.product, textOf(e.chosen)); at >= 0 { // an earlier entry made it
			l.lines[at].Amount = 0
		}
	default:
		text := textOf(e.chosen)
		if e.at >= 0 && l.texts[e.at] != text {
			l.lines[e.at].Amount = 0 // other options give another line
		}
		if at := l.meant(e.product, text); at >= 0 {
			l.lines[at].set(e, problems)
			return
		}
		l.add(&Line{
			ItemID: itemID(e.product, e.chosen, l.lines), ItemType: InCart, ProductID: e.product, Amount: e.amount,
			Extra: Extra{ProductOptions: e.chosen},
		})
	}
}

// layFitting applies the entries that add pieces of products and have no problem, and that
// do not exceed a limit.
func (l *layout) layFitting(entries []entry, problems *shopapi.Problems) {
	size := l.size()
	for i := range entries {
		e := &entries[i]
		text := textOf(e.chosen)
		// Options beyond the limit of all of them are not among the chosen ones.
		whole := text == textOf(chosenOf(e.options))
		if !whole || problems.Has(e.field("")) || problems.Has(e.field("[amount]")) || problems.Has(e.field("[product_options]")) {
			continue
		}
		if at := l.meant(e.product, text); at >= 0 {
			if l.lines[at].Amount+e.amount <= MaxAmount {
				l.lines[at].Amount += e.amount
			}
			continue
		}
		if len(l.lines) < MaxLines && size+len(text) <= maxChosen {
			size += len(text)
			l.lay(e, problems)
		}
	}
}

// check notes the limits that the lines exceed.
func (l *layout) check(problems *shopapi.Problems) {
	n := 0
	for i := range l.lines {
		if l.lines[i].Amount > 0 {
			n++
		}
	}
	if n > MaxLines {
		problems.Add("products", "must not give the cart more than %d lines", MaxLines)
	}
	if l.size() > maxChosen {
		problems.Add("products", "must not give the lines of the cart options of more than %d bytes together", maxChosen)
	}
}

// size is the size of the options of all lines.
func (l *layout) size() (n int) {
	for i, text := range l.texts {
		if l.lines[i].Amount > 0 {
			n += len(text)
		}
	}
	return n
}

// set sets the pieces of a line.
func (l *Line) set(e *entry, problems *shopapi.Problems) {
	if e.add {
		l.Amount += e.amount
		problems.Range(e.field("[amount]"), l.Amount, 0, MaxAmount)
		return
	}
	l.Amount = e.amount
}

func withoutEmpty(lines []Line) []Line {
	kept := lines[:0]
	for _, l := range lines {
		if l.Amount > 0 {
			kept = append(kept, l)
		}
	}
	return kept
}
