package field

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shopapi/shopapi/internal/apipath"
)

// A Display says how pages, such as the console's, show the objects of an entity
// to people. Without it, pages choose by the names and types of the fields.
type Display struct {
	// Label is the field that names an object, such as "company".
	Label string

	// Columns are the fields that lists show, in this order, until the user chooses others.
	Columns []string

	// Relations name the entities that fields refer to, such as {"manager_id": "users"}. A
	// field with a name that ends in _ids contains a list of ids. Pages link to the objects, and
	// let the user choose them by their names.
	Relations map[string]string

	// Widgets are the controls of fields in forms, by the name of the field.
	Widgets map[string]Widget
}

// A Widget is a control with which a form shows and changes a field.
type Widget string

// The widgets.
const (
	WidgetTime    Widget = "time"    // a date and a time of day, of seconds since 1970
	WidgetMoney   Widget = "money"   // an amount in the shop's currency
	WidgetCountry Widget = "country" // a country, of its code of two letters
	WidgetLines   Widget = "lines"   // a text of several lines
	WidgetHTML    Widget = "html"    // a text in HTML, edited as it looks
	WidgetSecret  Widget = "secret"  // a text that is not shown while it is typed
	WidgetJSON    Widget = "json"    // lists and objects
)

var widgets = []Widget{WidgetTime, WidgetMoney, WidgetCountry, WidgetLines, WidgetHTML, WidgetSecret, WidgetJSON}

// Check finds fields that the objects of an entity do not have, and unknown widgets. shown
// reports whether objects have a field, known whether objects or payloads do.
func (d *Display) Check(shown, known func(name string) bool) error {
	if d.Label != "" && !shown(d.Label) {
		return fmt.Errorf("the Display.Label %q, which is not a field of its objects", d.Label)
	}
	for _, name := range d.Columns {
		if !shown(name) {
			return fmt.Errorf("%q in Display.Columns, which is not a field of its objects", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Relations)) {
		if !known(name) || !apipath.IsName(d.Relations[name]) {
			return fmt.Errorf("%q: %q in Display.Relations: want a field and the name of an entity", name, d.Relations[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Widgets)) {
		if !known(name) || !slices.Contains(widgets, d.Widgets[name]) {
			return fmt.Errorf("%q: %q in Display.Widgets: want a field and one of %q", name, d.Widgets[name], widgets)
		}
	}
	return nil
}
