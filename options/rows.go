package options

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// load fills in the variants and the companies of options, in two reads however many
// options there are, and the language that was asked for (decisions §15).
func (o *Options) load(ctx context.Context, tx store.Tx, list ...*Option) error {
	if err := loadVariants(ctx, tx, o.variantTexts, list...); err != nil {
		return err
	}
	ids := make([]int64, len(list))
	for i, option := range list {
		ids[i] = option.ProductID
	}
	companies, err := o.products.companies(ctx, tx, distinct(ids)...)
	for _, option := range list {
		option.CompanyID, option.LangCode = companies[option.ProductID], shopapi.LanguageFrom(ctx)
	}
	return err
}

// loadVariants fills in the variants of options, with texts, or in the base language where
// texts are nil.
func loadVariants(ctx context.Context, tx store.Tx, texts resource.Texts[Variant], list ...*Option) error {
	byID := make(map[int64]*Option, len(list))
	ids := make([]int64, 0, len(list))
	for _, option := range list {
		option.Variants = Variants{}
		if HasVariants(option.Type) {
			byID[option.OptionID] = option
			ids = append(ids, option.OptionID)
		}
	}
	return kind.Load(ctx, tx, texts, ids, func(id int64, list []Variant) { byID[id].Variants = list })
}

// write stores an option and its variants.
func (o *Options) write(ctx context.Context, tx store.Tx, before, after *Option) error {
	if err := o.rows.WriteRow(ctx, tx, before, after); err != nil {
		return err
	}
	if err := o.removeVariants(ctx, tx, after, kind.Gone(before.Variants, after.Variants)); err != nil {
		return err
	}
	if HasVariants(before.Type) && !HasVariants(after.Type) {
		// Exceptions may name it without a variant: any, or none.
		if err := o.removeNaming(ctx, tx, after); err != nil {
			return err
		}
	}
	return kind.Write(ctx, tx, o.variantTexts, after.OptionID, before.Variants, after.Variants)
}

// removeVariants removes variants of an option, and what names them.
func (o *Options) removeVariants(ctx context.Context, tx store.Tx, option *Option, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	if err := o.removeNaming(ctx, tx, option, ids...); err != nil {
		return err
	}
	return kind.Delete(tx, o.variantTexts, store.InInts("variant_id", ids...))
}

// remove removes an option, its variants, and what names it.
func (o *Options) remove(ctx context.Context, tx store.Tx, option *Option) error {
	if err := o.removeNaming(ctx, tx, option); err != nil {
		return err
	}
	of := store.Equal("option_id", store.Int(option.OptionID))
	if err := kind.Delete(tx, o.variantTexts, of); err != nil {
		return err
	}
	return table.DeleteKey(tx, option.OptionID)
}

// removeNaming deletes the combinations and exceptions that refer to an option or, if
// variants are given, to one of these. The observer gets an event for each.
func (o *Options) removeNaming(ctx context.Context, tx store.Tx, option *Option, variants ...int64) error {
	if o.exceptions != nil {
		if err := o.exceptions.DeleteNaming(ctx, tx, option.ProductID, option.OptionID, variants...); err != nil {
			return err
		}
	}
	hashes, err := namingCombinations(tx, option, variants)
	if err != nil || len(hashes) == 0 {
		return err
	}
	for _, hash := range hashes {
		o.api.Changed(ctx, "combinations", shopapi.OpDelete, shopapi.FormatID(hash))
	}
	if _, err := combinations.Delete(tx, store.InInts("combination_hash", hashes...)); err != nil {
		return err
	}
	return o.products.countStock(ctx, tx, option.ProductID)
}
