package options

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/store"
)

// How long the texts are that customers choose.
const (
	MaxInput    = 255  // characters of an Input, or of the names of files
	MaxTextArea = 4096 // characters of a TextArea
)

// maxChoices is how much all choices of lines take that are resolved together, in bytes:
// an order repeats the names of options and variants in each line.
const (
	maxChoices  = 512 << 10
	choiceBytes = 128 // of a choice without its texts
)

// A Line is a product as it is ordered.
type Line struct {
	ProductID int64
	Selection Selection
	Field     string // that problems are noted on; "" is product_options
}

// A Resolved is the resolved selection of a line.
type Resolved struct {
	// Selection has every choice in its one form, and no empty ones: lines of one
	// product with equal selections are one.
	Selection Selection

	// Choices are the choices of the selection, by the position of their option.
	Choices []Choice

	// Modifiers are the price modifiers, WeightModifiers the weight modifiers, both
	// without modifiers of 0.
	Modifiers, WeightModifiers []pricing.Modifier

	// Inventory means that the product has options that take part in combinations.
	// Combination is the chosen one, nil if it does not exist: then its stock is 0.
	Inventory   bool
	Combination *Combination
}

// A Choice is the variant or text chosen for one option, with all data that an order
// needs after the option is deleted.
type Choice struct {
	OptionID     int64           `json:"option_id,string"`
	Type         string          `json:"option_type"`
	Name         string          `json:"option_name"`
	Value        string          `json:"value"`        // the id of the variant, or the text
	VariantName  string          `json:"variant_name"` // "" for a text
	Modifier     decimal.Decimal `json:"modifier"`     // of the price
	ModifierType string          `json:"modifier_type"`

	// Status is that of the option: a storefront offers none that are disabled.
	Status string `json:"-"`
}

// Variants returns the chosen variants by the ids of their options, as MayOrder of
// package exceptions takes them.
func (r *Resolved) Variants() map[int64]int64 {
	chosen := map[int64]int64{}
	for _, c := range r.Choices {
		if HasVariants(c.Type) {
			chosen[c.OptionID], _ = strconv.ParseInt(c.Value, 10, 64)
		}
	}
	return chosen
}

// Resolve resolves the selections of lines, with names in the language of ctx, in at most
// three reads for any number of lines, or five in a language other than the base
// language. It reports problems of a selection on the field of its line: an option that
// the product does not have, a variant that the option does not have, a required option
// without a choice, or a text that is too long or does not match; then the result of that
// line is undefined. Disabled options are not required. The caller must pass only lines
// of products that the user may order.
func (o *Options) Resolve(ctx context.Context, tx store.Tx, problems *shopapi.Problems, lines ...Line) ([]Resolved, error) {
	r := &resolver{problems: problems, lines: lines}
	read := func(tx store.Tx, products []int64) (map[int64][]Option, error) {
		return o.byProduct.AllInUpdate(ctx, tx, products, optionsOf)
	}
	if err := r.read(tx, read); err != nil {
		return nil, err
	}
	if err := o.translate(ctx, tx, r); err != nil {
		return nil, err
	}
	resolved := make([]Resolved, len(lines))
	for i := range lines {
		resolved[i] = r.resolve(&lines[i])
	}
	return resolved, r.readCombinations(tx, resolved)
}

// ReadAhead reads the options of products for [Options.Resolve], in a function of
// [store.ReadAhead].
func (o *Options) ReadAhead(tx store.Tx, products ...int64) error {
	r := &resolver{}
	for _, id := range products {
		r.lines = append(r.lines, Line{ProductID: id})
	}
	return r.read(tx, optionsOf)
}

// A resolver resolves lines.
type resolver struct {
	problems *shopapi.Problems
	lines    []Line
	options  map[int64][]Option // by product
	variants map[int64]*Variant // the variants that the lines refer to
	matcher  matcher
	size     int // bytes of the choices of all lines
}

// read reads the options of the products, and the variants that are named.
func (r *resolver) read(tx store.Tx, options func(store.Tx, []int64) (map[int64][]Option, error)) (err error) {
	var products, named []int64
	for _, l := range r.lines {
		products = append(products, l.ProductID)
		for _, choice := range l.Selection {
			if id, ok := wire.ParseWhole(choice); ok {
				named = append(named, id)
			}
		}
	}
	r.options, err = options(tx, distinct(products))
	if err != nil || len(named) == 0 {
		return err
	}
	r.variants, err = store.ByKey(tx, &variants.Reader, distinct(named)...)
	return err
}

// optionsOf reads the options of products, by position, in the base language.
func optionsOf(tx store.Tx, products []int64) (map[int64][]Option, error) {
	of := map[int64][]Option{}
	return of, table.Each(tx, store.Query{
		Where: []store.Cond{store.InInts("product_id", products...)},
		Order: []store.Order{store.Asc("position")},
	}, func(o *Option) error {
		of[o.ProductID] = append(of[o.ProductID], *o)
		return nil
	})
}

// newCache returns the cache of the options of products for [Options.Resolve].
func newCache(st store.Store) tablecache.Cache[int64, []Option] {
	const perProduct, perOption = 64, 512
	size := func(list []Option) int64 {
		n := int64(perProduct + perOption*len(list))
		for i := range list {
			o := &list[i]
			n += int64(len(o.Regexp) + len(o.IncorrectMessage) + len(o.AllowedExtensions) + len(o.Name) +
				len(o.Description) + len(o.InnerHint) + len(o.Comment))
		}
		return n
	}
	return tablecache.New[int64](st, 2<<20, size, table.Schema())
}

// translate lays the texts of the language of ctx over the options and variants.
func (o *Options) translate(ctx context.Context, tx store.Tx, r *resolver) error {
	var all []*Option
	for product, list := range r.options {
		if len(list) > 0 {
			list = slices.Clone(list) // they may be cached
			r.options[product] = list
			all = append(all, store.Pointers(list)...)
		}
	}
	if err := o.rows.Texts().Load(ctx, tx, all...); err != nil {
		return err
	}
	return o.variantTexts.Load(ctx, tx, slices.Collect(maps.Values(r.variants))...)
}

func distinct(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// resolve resolves one line, but for its combination.
func (r *resolver) resolve(l *Line) Resolved {
	resolved := Resolved{Selection: Selection{}}
	refuse := func(format string, args ...any) {
		r.problems.Add(cmp.Or(l.Field, "product_options"), format, args...)
	}
	known := map[int64]bool{}
	for i := range r.options[l.ProductID] {
		option := &r.options[l.ProductID][i]
		known[option.OptionID] = true
		resolved.Inventory = resolved.Inventory || bool(option.Inventory)
		value := l.Selection[option.OptionID]
		switch {
		case value != "" && !(HasVariants(option.Type) && isZero(value)):
			r.choose(&resolved, option, value, refuse)
		case bool(option.Required) && option.Status != Disabled:
			refuse("must say what is chosen of the required option %d (%s)", option.OptionID, option.Name)
		}
	}
	for _, id := range wire.Keys(l.Selection) {
		if !known[id] {
			refuse("must hold options of the product %d; %d is none of them", l.ProductID, id)
		}
	}
	return resolved
}

// isZero reports whether a choice is the id 0, by which clients choose no variant.
func isZero(choice string) bool {
	id, ok := wire.ParseWhole(choice)
	return ok && id == 0
}

// choose adds the choice of an option.
func (r *resolver) choose(resolved *Resolved, option *Option, value string, refuse func(string, ...any)) {
	choice := Choice{
		OptionID: option.OptionID, Type: option.Type, Name: option.Name, Status: option.Status,
		Value: value, Modifier: decimal.MustNew(0, modifierScale), ModifierType: Absolute,
	}
	if !HasVariants(option.Type) {
		if problem := r.textProblem(option, value); problem != "" {
			refuse("must fit the option %d (%s): %s", option.OptionID, option.Name, problem)
		}
	} else {
		id, _ := wire.ParseWhole(value)
		v, ok := r.variants[id]
		if !ok || v.OptionID != option.OptionID {
			refuse("must give the option %d (%s) one of its own variants, not %s", option.OptionID, option.Name, plain.Quoted(value))
			return
		}
		choice.Value, choice.VariantName = shopapi.FormatID(id), v.Name
		choice.Modifier, choice.ModifierType = v.Modifier, v.ModifierType
		resolved.Modifiers = withModifier(resolved.Modifiers, v.Modifier, v.ModifierType)
		resolved.WeightModifiers = withModifier(resolved.WeightModifiers, v.WeightModifier, v.WeightModifierType)
	}
	if r.size > maxChoices {
		return // a choice before was refused
	}
	if r.size += choiceBytes + len(choice.Name) + len(choice.Value) + len(choice.VariantName); r.size > maxChoices {
		refuse("must be shorter: the options of all lines, with their names, have more than %d bytes together", maxChoices)
		return
	}
	resolved.Selection[option.OptionID] = choice.Value
	resolved.Choices = append(resolved.Choices, choice)
}

func withModifier(list []pricing.Modifier, value decimal.Decimal, kind string) []pricing.Modifier {
	if value.IsZero() {
		return list
	}
	return append(list, pricing.Modifier{Value: value, Percent: kind == Percent})
}

// textProblem returns the problem of a chosen text, or "".
func (r *resolver) textProblem(o *Option, text string) string {
	most := MaxInput
	if o.Type == TextArea {
		most = MaxTextArea
	}
	if n := utf8.RuneCountInString(text); n > most {
		return "at most " + strconv.Itoa(most) + " characters, not " + strconv.Itoa(n)
	}
	if o.Regexp == "" || o.IncorrectMessage == "" || o.Type == File {
		return ""
	}
	switch matches, ok := r.matcher.matches(o.Regexp, text); {
	case !ok:
		return "there are too many texts for the expressions that they have to match"
	case !matches:
		return plain.Short(o.IncorrectMessage)
	}
	return ""
}

// readCombinations finds the combinations of lines that name a variant of each option
// with inventory Y.
func (r *resolver) readCombinations(tx store.Tx, resolved []Resolved) error {
	type key struct {
		product int64
		text    string
	}
	lines := map[key][]int{}
	var products []int64
	var texts []store.Value
	for i := range resolved {
		chosen, ok := r.combination(r.lines[i].ProductID, &resolved[i])
		if !ok {
			continue
		}
		k := key{r.lines[i].ProductID, string(wire.AppendIDs(nil, chosen))}
		if lines[k] == nil {
			products, texts = append(products, k.product), append(texts, store.String(k.text))
		}
		lines[k] = append(lines[k], i)
	}
	if len(lines) == 0 {
		return nil
	}
	return combinations.Each(tx, store.Query{
		Where: []store.Cond{store.InInts("product_id", distinct(products)...), store.In("combination", texts...)},
	}, func(c *Combination) error {
		for _, i := range lines[key{c.ProductID, string(wire.AppendIDs(nil, c.Variants))}] {
			resolved[i].Combination = c
		}
		return nil
	})
}

// combination returns the variants of the options with inventory Y that are chosen.
// ok is false where one lacks a choice.
func (r *resolver) combination(product int64, resolved *Resolved) (chosen VariantOf, ok bool) {
	all := resolved.Variants()
	chosen = VariantOf{}
	for _, option := range r.options[product] {
		if !option.Inventory {
			continue
		}
		variant := all[option.OptionID]
		if variant == 0 {
			return nil, false
		}
		chosen[option.OptionID] = variant
	}
	return chosen, len(chosen) > 0
}
