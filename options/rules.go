package options

import (
	"context"
	"unicode/utf8"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// How many of something a product or an option may have.
const (
	maxVariants  = 1000 // of an option
	maxOptions   = 100  // of a product
	maxOfProduct = 2000 // variants of all options of a product
	maxRegexp    = 255  // characters of an expression, as the rule of the field
	maxInventory = 50   // options of a product in combinations: databases index these
)

// keep restores immutable fields.
func keep(after, before *Option, _ *shopapi.Problems) {
	if before.OptionID != 0 {
		after.ProductID = before.ProductID
	}
	kind.KeepImages(after.Variants, before.Variants)
}

// normalize brings an option into its form: only options with variants take part in
// combinations.
func (o *Option) normalize() {
	if isText(o.Type) {
		o.Inventory, o.Variants = false, nil
	}
	if o.Variants == nil {
		o.Variants = Variants{}
	}
	for i := range o.Variants {
		o.Variants[i].ImagePair.Normalize()
	}
	kind.Sort(o.Variants)
}

// check reports the problems of an option that is to be stored, and completes its
// variants.
func (o *Options) check(ctx context.Context, tx store.Tx, before, after *Option, problems *shopapi.Problems) error {
	if after.Type == Checkbox {
		after.completeCheckbox(before)
	}
	after.validate(problems)
	if err := after.checkVariants(before.Variants, problems); err != nil {
		return err
	}
	if before.OptionID == 0 {
		if err := o.products.check(ctx, tx, after.ProductID, problems); err != nil {
			return err
		}
	}
	if problems.Err() != nil {
		return nil
	}
	if err := checkNumbers(tx, before, after, problems); err != nil || after.Inventory == before.Inventory {
		return err
	}
	return checkInventory(tx, after, problems)
}

// checkNumbers notes when a product would have too many options, or too many variants of
// all options together: they are read with the product.
func checkNumbers(tx store.Tx, before, after *Option, problems *shopapi.Problems) error {
	ofProduct := store.Equal("product_id", store.Int(after.ProductID))
	if before.OptionID == 0 {
		n, err := table.Count(tx, ofProduct)
		if err != nil {
			return err
		}
		if n >= maxOptions {
			problems.Add("product_id", "must be another product: a product has at most %d options", maxOptions)
		}
	}
	more := len(after.Variants) - len(before.Variants)
	if more <= 0 {
		return nil
	}
	n, err := variants.Count(tx, store.InQuery("option_id", table.Schema(), "option_id", ofProduct))
	if n += int64(more); err == nil && n > maxOfProduct {
		problems.Add("variants", "must be fewer: the options of a product have at most %d variants together, not %d", maxOfProduct, n)
	}
	return err
}

// validate checks the expression that texts must match.
func (o *Option) validate(problems *shopapi.Problems) {
	if problems.Skips("regexp") || utf8.RuneCountInString(o.Regexp) > maxRegexp {
		return // the rule of the field refuses a long one
	}
	program, err := parseExpression(o.Regexp)
	if wrong := malformation(o.Regexp, err); wrong != "" {
		problems.Add("regexp", "must be a regular expression, not one with the error: %s", wrong)
	}
	if program > maxProgram {
		problems.Add("regexp", "must be simpler: with its repetitions it has more than %d parts", maxProgram)
	}
}

// checkInventory notes when combinations would no longer name every option of the
// product with inventory Y after a change of this one's, or when there are too many
// such options. The type is at fault where it ends inventory Y: a text has no variants.
func checkInventory(tx store.Tx, after *Option, problems *shopapi.Problems) error {
	of := store.Equal("product_id", store.Int(after.ProductID))
	n, err := combinations.Count(tx, of)
	if err != nil {
		return err
	}
	if n > 0 {
		field, value, verb := "inventory", after.Inventory.String(), "would have no variant of this option"
		if !after.Inventory {
			verb = "name a variant of this option"
		}
		if isText(after.Type) {
			field, value = "option_type", after.Type
		}
		problems.Add(field, "cannot become %s while the product has combinations, which %s: delete its %d combinations first", value, verb, n)
	}
	if !after.Inventory {
		return nil
	}
	n, err = table.Count(tx, of, store.Equal("inventory", store.Bool(true)))
	if n >= maxInventory {
		problems.Add("inventory", "must be N: a product has at most %d options with inventory Y", maxInventory)
	}
	return err
}
