package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
)

// An Item is the wire form of a setting.
type Item struct {
	ObjectID       int64        `json:"object_id,string" bind:"-"`
	Name           string       `json:"name" bind:"-"`
	SectionID      int64        `json:"section_id,string" bind:"-"`
	SectionTabID   int64        `json:"section_tab_id,string" bind:"-"`
	Type           Type         `json:"type" bind:"-"`
	EditionType    string       `json:"edition_type" bind:"-"`
	Position       int64        `json:"position,string" bind:"-"`
	IsGlobal       shopapi.Flag `json:"is_global" bind:"-"` // Y if the value is the whole shop's
	Handler        string       `json:"handler" bind:"-"`
	Description    string       `json:"description" bind:"-"`
	Tooltip        string       `json:"tooltip" bind:"-"`
	ObjectType     string       `json:"object_type" bind:"-"`
	Value          string       `json:"value"`
	SectionName    string       `json:"section_name" bind:"-"`
	SectionTabName string       `json:"section_tab_name" bind:"-"`
	Variants       Variants     `json:"variants" bind:"-"`
	Fixed          shopapi.Flag `json:"fixed" bind:"-"` // set in Go: PUT is 400
}

// A body has the member of payloads of settings that the entity reads itself. It documents it.
type body struct {
	Value shopapi.JSON `json:"value"` // a text, a number or a boolean; a list for settings that have several values
}

// item returns the wire form of a setting. named is the company that the request names.
func (e *entity) item(ctx context.Context, d *declared, named int64, written map[int64]string, own map[int64]bool) (Item, error) {
	item := Item{
		ObjectID: d.objectID, Name: d.Name, SectionID: d.sectionID, SectionTabID: d.tabID, Type: d.Type,
		EditionType: d.Edition, Position: d.Position, IsGlobal: shopapi.Flag(!own[d.objectID]), Description: d.Description,
		Tooltip: d.Tooltip, ObjectType: "O", Value: d.in(written), SectionName: d.Section,
		SectionTabName: cmp.Or(d.Tab, "main"), Variants: d.Variants,
	}
	if value, fixed := e.s.api.FixedSetting(d.ID()); fixed {
		item.Value, item.Fixed = value, true
	}
	if d.Type == Password {
		item.Value = ""
	}
	if k := e.s.api.SettingKeeper(d.ID()); k != nil {
		var err error
		item.Value, err = k.SettingValue(ctx, e.s.keptFor(ctx, named))
		return item, err
	}
	return item, nil
}

// sent reads the value of a payload: nil for null or a missing value. Lists may be
// arrays.
func (d *declared) sent(raw json.RawMessage) (*string, error) {
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	if d.isList() {
		var list listValue
		if err := list.UnmarshalJSON(raw); err != nil {
			return nil, shopapi.Invalid("value", "%s", err)
		}
		text := strings.Join(list, ",")
		return &text, nil
	}
	text, err := ReadValue(raw)
	if err != nil {
		return nil, shopapi.Invalid("value", "%s", err)
	}
	if d.Type == Checkbox {
		var flag shopapi.Flag
		if err := flag.UnmarshalText([]byte(text)); err == nil {
			text = flag.String()
		}
	} else if string(raw) == text && (text == "true" || text == "false") {
		return nil, shopapi.Invalid("value", "must be text, not a boolean")
	}
	return &text, nil
}

// ReadValue reads the single value of a payload as JSON: a text, a number or a boolean.
// Null is the empty text, and a whole number has one form.
func ReadValue(raw json.RawMessage) (string, error) {
	var text *string
	var number json.Number
	whole, isWhole := wire.ParseWhole(string(raw))
	switch {
	case json.Unmarshal(raw, &text) == nil:
		if text == nil {
			return "", nil
		}
		return *text, nil
	case isWhole:
		return strconv.FormatInt(whole, 10), nil
	case json.Unmarshal(raw, &number) == nil, string(raw) == "true", string(raw) == "false":
		return string(raw), nil
	}
	return "", errors.New("must be a single value, not an array or an object")
}

// A listValue is a list of texts, read from an array or a text with commas.
type listValue []string

var errNoList = errors.New("must be a list of texts")

// UnmarshalJSON implements [json.Unmarshaler].
func (l *listValue) UnmarshalJSON(raw []byte) error {
	var text string
	var list []string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		list = splitList(text)
	case json.Unmarshal(raw, &list) == nil:
	default:
		return errNoList
	}
	if len(list) > shopapi.MaxListItems {
		return errNoList
	}
	*l = (*l)[:0]
	for _, item := range list {
		if item = strings.TrimSpace(item); strings.Contains(item, ",") {
			return errNoList
		}
		if item != "" && !slices.Contains(*l, item) {
			*l = append(*l, item)
		}
	}
	return nil
}
