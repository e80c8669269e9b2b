package options

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi/internal/entries"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/variantlist"
)

// bind lays a payload over an option, its variants included.
func bind(_ context.Context, r *shopapi.Request, o *Option) error {
	var problems shopapi.Problems
	had := *o
	problems.Merge(r.Bind(o))
	if isText(o.Type) && bool(o.Inventory) && r.Payload.Has("inventory") {
		problems.Add("inventory", "must be N for options of the type %s: those of the types S, R and C take part in combinations", o.Type)
	}
	icons, wrong := iconsOf(r.Payload)
	problems.Merge(wrong)
	if !r.Payload.Has("variants") {
		problems.Merge(checkIcons(icons, nil))
		return problems.Err()
	}
	list, err := sentOf(r.Payload.Raw("variants"))
	if err == nil {
		problems.Merge(checkIcons(icons, list))
	}
	switch {
	case err != nil:
		problems.Add("variants", "%s", err)
	case isText(o.Type):
		if len(list) > 0 {
			problems.Add("variants", "must be left out for options of the type %s: they have none", o.Type)
		}
	case o.Type == Checkbox:
		o.Variants = had.boxes()
		problems.Merge(layOverBoxes(layer(icons), list, o.Variants))
	default:
		o.Variants, err = layer(icons).LayOver(list, had.Variants, had.OptionID == 0)
		problems.Merge(err)
	}
	return problems.Err()
}

// boxes are the variants of the checkbox that an option becomes.
func (o *Option) boxes() Variants {
	if o.OptionID != 0 && o.Type == Checkbox && len(o.Variants) == 2 {
		return slices.Clone(o.Variants)
	}
	return newBoxes()
}

var errNoVariants = errors.New(`must be an object of variants, or an array of them, such as {"0": {"variant_name": "Small"}}`)

// sentOf reads an object of variants, or an array.
func sentOf(raw json.RawMessage) ([]variantlist.Sent, error) {
	sent, err := variantlist.Parse(raw, maxVariants, errNoVariants)
	for i := range sent {
		if _, err := sent[i].Payload(); err != nil {
			return nil, errNoVariants
		}
	}
	return sent, err
}

// layer returns what lays variants of a payload over variants, and checks them. icons are the
// images that main_pair gives them.
func layer(icons map[string]*images.Pair) *variantlist.Layer[Variant] {
	return &variantlist.Layer[Variant]{
		Kind: &kind, NoObject: errNoVariants,
		KeyID: func(e *entries.Entry) int64 {
			if id, err := strconv.ParseInt(e.Key, 10, 64); err == nil && !e.Index {
				return id
			}
			return 0
		},
		Finish: func(s *variantlist.Sent, v, had *Variant) (string, error) {
			if icon := icons[s.Key]; icon != nil {
				v.ImagePair = *icon
			}
			return v.problem(had)
		},
	}
}

// layOverBoxes applies the entries to the two variants of a checkbox. Entries without an
// id are counted from the end: a single one is the checked variant, and sets its
// surcharge.
func layOverBoxes(l *variantlist.Layer[Variant], list []variantlist.Sent, boxes Variants) error {
	if len(list) > len(boxes) {
		return shopapi.Invalid("variants", "must be at most two for options of the type C: that it is not checked, and that it is")
	}
	known := kind.ByID(boxes)
	targets := make([]*Variant, len(list))
	for i := range list {
		id, err := l.ID(&list[i], known)
		if err != nil && boxes[0].VariantID != 0 {
			return err
		}
		targets[i] = known[id]
	}
	for i := len(list) - 1; i >= 0; i-- {
		for free := len(boxes) - 1; targets[i] == nil; free-- {
			if !slices.Contains(targets, &boxes[free]) {
				targets[i] = &boxes[free]
			}
		}
		if err := l.Bind(&list[i], targets[i]); err != nil {
			return err
		}
	}
	return nil
}
