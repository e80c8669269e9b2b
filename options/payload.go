package options

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/plain"
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
	list, err := entriesOf(r.Payload.Raw("variants"))
	if err == nil {
		problems.Merge(checkIcons(icons, list))
	}
	for i := range list {
		list[i].icon = icons[list[i].key]
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
		problems.Merge(list.layOverBoxes(o.Variants))
	default:
		o.Variants, err = list.layOver(had.Variants, had.OptionID == 0)
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

// An entry is one variant of a payload and what it is called there.
type entry struct {
	key     string
	index   bool // the key is the index in an array, and no id
	request *shopapi.Request
	icon    *images.Pair // that main_pair gives it; nil for none
}

type entries []entry

var errNoVariants = errors.New(`must be an object of variants, or an array of them, such as {"0": {"variant_name": "Small"}}`)

var errTooManyVariants = fmt.Errorf("must be at most %d", maxVariants)

// entriesOf reads an object of variants, or an array, whose keys are its indexes.
func entriesOf(raw json.RawMessage) (entries, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	start, err := d.Token()
	switch {
	case err != nil:
		return nil, errNoVariants
	case start == nil || start == "":
		return nil, nil
	case start != json.Delim('{') && start != json.Delim('['):
		return nil, errNoVariants
	}
	var list entries
	for i := 0; d.More(); i++ {
		if i == maxVariants {
			return nil, errTooManyVariants
		}
		key := strconv.Itoa(i)
		if start == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return nil, errNoVariants
			}
			key, _ = name.(string)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, errNoVariants
		}
		payload, err := shopapi.NewPayload(value)
		if err != nil {
			return nil, errNoVariants
		}
		list = append(list, entry{key: plain.Short(key), index: start == json.Delim('['), request: &shopapi.Request{Payload: payload}})
	}
	return list, nil
}

// refuse returns the error for a problem of an entry.
func (e *entry) refuse(problem string) error {
	return shopapi.Invalid("variants", "[%s]: %s", e.key, problem)
}

// id is the id that an entry names: its variant_id, or its key in an object where that
// is the id of a variant of the option. It is 0 for a new one.
func (e *entry) id(had Variants) (int64, error) {
	var named struct {
		ID int64 `json:"variant_id"`
	}
	if err := e.request.Bind(&named); err != nil {
		return 0, e.refuse(words(err))
	}
	if named.ID != 0 {
		if had.byID(named.ID) == nil {
			return 0, e.refuse("variant_id must be the id of a variant of the option, or left out for a new one")
		}
		return named.ID, nil
	}
	if id, err := strconv.ParseInt(e.key, 10, 64); err == nil && !e.index && had.byID(id) != nil {
		return id, nil
	}
	return 0, nil
}

// layOver applies the entries of a payload to the variants of an option. Ids are ignored
// for a new option.
func (list entries) layOver(had Variants, isNew bool) (Variants, error) {
	all := make(Variants, 0, len(list))
	for i := range list {
		e := &list[i]
		var v Variant
		if !isNew {
			id, err := e.id(had)
			if err != nil {
				return had, err
			}
			if old := had.byID(id); old != nil {
				v = *old
			}
			if all.byID(v.VariantID) != nil {
				return had, e.refuse("the variant " + shopapi.FormatID(v.VariantID) + " is named twice")
			}
		}
		if err := e.layOver(&v); err != nil {
			return had, err
		}
		all = append(all, v)
	}
	return all, nil
}

// layOver lays an entry over a variant, and checks it.
func (e *entry) layOver(v *Variant) error {
	had := *v
	if err := e.request.Bind(v); err != nil {
		return e.refuse(words(err))
	}
	if e.icon != nil {
		v.ImagePair = *e.icon
	}
	problem, err := v.problem(&had)
	if err == nil && problem != "" {
		err = e.refuse(problem)
	}
	return err
}

// layOverBoxes applies the entries to the two variants of a checkbox. Entries without an
// id are counted from the end: a single one is the checked variant, and sets its
// surcharge.
func (list entries) layOverBoxes(boxes Variants) error {
	if len(list) > len(boxes) {
		return shopapi.Invalid("variants", "must be at most two for options of the type C: that it is not checked, and that it is")
	}
	free := []*Variant{&boxes[0], &boxes[1]}
	take := func(v *Variant) {
		free = slices.DeleteFunc(free, func(f *Variant) bool { return f == v })
	}
	targets := make([]*Variant, len(list))
	for i := range list {
		id, err := list[i].id(boxes)
		if err != nil && boxes[0].VariantID != 0 {
			return err
		}
		if targets[i] = boxes.byID(id); targets[i] != nil {
			take(targets[i])
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if targets[i] == nil {
			targets[i] = free[len(free)-1]
			take(targets[i])
		}
		if err := list[i].layOver(targets[i]); err != nil {
			return err
		}
	}
	return nil
}
