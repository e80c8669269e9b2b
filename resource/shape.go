package resource

import (
	"reflect"

	"github.com/shopapi/shopapi"
)

// A Shape is how a list is sent (decisions §14). Lists without an envelope are cut
// only when a page is asked for; headers then tell the rest (decisions §7).
type Shape int

// The shapes of lists.
const (
	Enveloped      Shape = iota // {"<entity>": […], "params": {…}}, always paged
	Bare                        // […]
	BareDocumented              // Bare in the documented dialect, Enveloped in the live one
	Keyed                       // {"<id>": {…}, …}, in the order of the list
)

// in is the shape in a dialect.
func (s Shape) in(d shopapi.Dialect) Shape {
	switch {
	case s != BareDocumented:
		return s
	case d == shopapi.Live:
		return Enveloped
	}
	return Bare
}

// keyed returns the answers of a list as the members of an object, by their ids.
func keyed[S any](key func(*S) int64, list []S, answers any) shopapi.Map {
	values := reflect.ValueOf(answers)
	members := make(shopapi.Map, len(list))
	for i := range list {
		members[i] = shopapi.Member{Name: shopapi.FormatID(key(&list[i])), Value: values.Index(i).Interface()}
	}
	return members
}
