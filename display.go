package shopapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/structfields"
)

// A Display says how pages, such as the console's, show the objects of an entity
// to people. Without it, pages choose by the names and types of the fields.
type Display struct {
	// Label is the field that names an object, such as "company".
	Label string

	// Columns are the fields that lists show, in this order, until the user chooses others.
	Columns []string

	// Relations are the entities whose ids fields contain, by the name of the field, such as
	// {"manager_id": "users"}. The ids of a field whose name ends in _ids are a list. Pages
	// link to the objects, and let the user choose them by their names.
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

// checkDisplay finds fields that the entity does not have, and unknown widgets.
func (e *entry) checkDisplay() error {
	d := e.Display
	inItem := func(name string) bool { return e.hasMember(name, e.Item, e.Object) }
	inAny := func(name string) bool {
		return e.hasMember(name, e.Item, e.Object, e.Payload, e.Body) ||
			slices.ContainsFunc(e.Rules, func(r Rule) bool { return r.Field == name })
	}
	if d.Label != "" && !inItem(d.Label) {
		return fmt.Errorf("shopapi: entity %s has the Display.Label %q, which is no field of its objects", e.Name, d.Label)
	}
	for _, name := range d.Columns {
		if !inItem(name) {
			return fmt.Errorf("shopapi: entity %s has %q in Display.Columns, which is no field of its objects", e.Name, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Relations)) {
		if !inAny(name) || !isSegment(d.Relations[name]) {
			return fmt.Errorf("shopapi: entity %s has %q: %q in Display.Relations: want a field and the name of an entity", e.Name, name, d.Relations[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Widgets)) {
		if !inAny(name) || !slices.Contains(widgets, d.Widgets[name]) {
			return fmt.Errorf("shopapi: entity %s has %q: %q in Display.Widgets: want a field and one of %q", e.Name, name, d.Widgets[name], widgets)
		}
	}
	return nil
}

// hasMember reports whether one of the types has a member of the name. Of types that are not
// structs nothing is known.
func (e *entry) hasMember(name string, types ...reflect.Type) bool {
	isKnown := false
	for _, t := range types {
		for t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		isKnown = true
		if slices.ContainsFunc(structfields.Of(t), func(f reflect.StructField) bool {
			member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return member == name
		}) {
			return true
		}
	}
	return !isKnown || slices.ContainsFunc(e.Custom, func(f CustomField) bool { return f.Name == name })
}
