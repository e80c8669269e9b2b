package products

import (
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Where a query is looked for.
const (
	InName             = "product"
	InShortDescription = "short_description"
	InFullDescription  = "full_description"
	InKeywords         = "meta_keywords"
	InCode             = "product_code"
)

// MaxWords is how many words a query has at most.
const MaxWords = 32

// search asks that each word of the query is found somewhere.
func (f *Filter) search(w *resource.Where) {
	places := f.In
	if len(places) == 0 {
		places = []string{InName}
	}
	for _, column := range places {
		w.Problems.OneOf("q", column, InName, InShortDescription, InFullDescription, InKeywords, InCode)
	}
	words := strings.Fields(f.Query)
	if !w.For("q").CheckLength(f.Query) || w.Problems.Has("q") {
		return
	}
	if len(words) > MaxWords {
		w.Problems.Add("q", "must have at most %d words, not %d", MaxWords, len(words))
		return
	}
	for _, word := range words {
		w.AnyOf(func() {
			for _, column := range places {
				w.Add(store.Contains(column, word))
			}
		})
	}
}

// code asks for products with a code, or a part of it.
func (f *Filter) code(w *resource.Where, parameter, code string) {
	if f.ExactCode {
		w.For(parameter).Text("product_code", code)
	} else {
		w.For(parameter).Contains("product_code", code)
	}
}

// searchParameters say where the query of a list is looked for.
type searchParameters struct {
	// Each is a flag that has q looked for in a text, or a text of its own.
	InName     string `json:"pname"`
	InShort    string `json:"pshort"`
	InFull     string `json:"pfull"`
	InKeywords string `json:"pkeywords"`

	InCode shopapi.Flag `json:"pcode_from_q"` // and in codes, as always in the live dialect
}

// A place is a parameter with the column to search, for the query or for a value of its
// own.
type place struct{ parameter, column, value string }

func (p *searchParameters) places() []place {
	return []place{
		{"pname", InName, p.InName}, {"pshort", InShortDescription, p.InShort},
		{"pfull", InFullDescription, p.InFull}, {"pkeywords", InKeywords, p.InKeywords},
	}
}

// is reports whether the value is a flag, and which.
func (p *place) is() (set, flag bool) {
	switch strings.ToLower(p.value) {
	case "y", "true", "1":
		return true, true
	case "", "n", "false", "0":
		return false, true
	}
	return false, false
}

// in are the columns in which the query is looked for: the name, unless others are said.
func (p *searchParameters) in(d shopapi.Dialect) (columns []string) {
	for _, place := range p.places() {
		if set, _ := place.is(); set {
			columns = append(columns, place.column)
		}
	}
	if columns == nil {
		columns = []string{InName}
	}
	if bool(p.InCode) || d == shopapi.DialectLive {
		columns = append(columns, InCode)
	}
	return columns
}

// where looks for the texts that places have of their own.
func (p *searchParameters) where(w *resource.Where) {
	for _, place := range p.places() {
		if _, flag := place.is(); !flag {
			w.For(place.parameter).Contains(place.column, place.value)
		}
	}
}
