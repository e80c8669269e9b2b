package resource

import (
	"reflect"

	"github.com/shopapi/shopapi"
)

// A Shape is the form of a list on the wire (decisions §14). Lists without an envelope
// have pages only on request; then headers describe the page (decisions §7).
type Shape int

// The shapes of lists.
const (
	Enveloped      Shape = iota // {"<entity>": […], "params": {…}}, always paged
	Bare                        // […]
	BareDocumented              // Bare in the documented dialect, Enveloped in the live one
	Keyed                       // {"<id>": {…}, …}, in the order of the list
	EnvelopedKeyed              // {"<entity>": {"<code>": {…}, …}, "params": {…}}, always paged
)

// isEnveloped reports whether lists come in an envelope with their parameters.
func (s Shape) isEnveloped() bool { return s == Enveloped || s == EnvelopedKeyed }

// isKeyed reports whether lists are objects.
func (s Shape) isKeyed() bool { return s == Keyed || s == EnvelopedKeyed }

// in is the shape in a dialect.
func (s Shape) in(d shopapi.Dialect) Shape {
	switch {
	case s != BareDocumented:
		return s
	case d == shopapi.DialectLive:
		return Enveloped
	}
	return Bare
}

// keyed returns the answers of a list as the members of an object.
func keyed[S any](key func(*S) string, list []S, answers any) shopapi.Map {
	values := reflect.ValueOf(answers)
	members := make(shopapi.Map, len(list))
	for i := range list {
		members[i] = shopapi.Member{Name: key(&list[i]), Value: values.Index(i).Interface()}
	}
	return members
}
