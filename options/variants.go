package options

import (
	"slices"

	"github.com/shopapi/shopapi"
)

// newBoxes are the two variants that a checkbox begins with.
func newBoxes() Variants {
	boxes := Variants{{Name: "No"}, {Name: "Yes", Position: 1}}
	for i := range boxes {
		variantRules.SetDefaults(&boxes[i], nil)
	}
	return boxes
}

// completeCheckbox sets the two variants of a checkbox. A former checkbox keeps its
// variants, also if the request omits them. When an option becomes a checkbox, its
// variants are dropped; one new variant sets the surcharge of the checked box.
func (o *Option) completeCheckbox(before *Option) {
	if before.Type == Checkbox {
		for i := range before.Variants {
			if o.Variants.byID(before.Variants[i].VariantID) == nil {
				o.Variants = append(o.Variants, before.Variants[i])
			}
		}
		kind.Sort(o.Variants)
		return
	}
	o.Variants = slices.DeleteFunc(o.Variants, func(v Variant) bool { return before.Variants.byID(v.VariantID) != nil })
	switch boxes := newBoxes(); len(o.Variants) {
	case 0:
		o.Variants = boxes
	case 1:
		o.Variants = Variants{boxes[0], o.Variants[0]}
	}
}

// checkVariants checks the variants, and brings them into their form.
func (o *Option) checkVariants(had Variants, problems *shopapi.Problems) error {
	if len(o.Variants) > maxVariants {
		problems.Add("variants", "must be at most %d, not %d", maxVariants, len(o.Variants))
		return nil
	}
	if o.Type == Checkbox && len(o.Variants) != 2 {
		problems.Add("variants", "must be two for options of the type C: that it is not checked, and that it is")
	}
	return kind.Check(had, o.Variants, problems, func(v, old *Variant) (string, error) { return v.problem(old) })
}
