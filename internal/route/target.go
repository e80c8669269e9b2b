package route

import (
	"net/http"
	"strings"

	"github.com/shopapi/shopapi/internal/clienterror"
)

// The operations.
const (
	List   = "list"
	Get    = "get"
	Create = "create"
	Update = "update"
	Delete = "delete"
	Action = "action"
)

// A Target is what the address of a request names: an entity, one of its objects or an
// action of that, possibly under parents.
type Target[E Entity] struct {
	Step[E]
	Action  string    // of the object; "" for none
	Parents []Step[E] // outermost first
}

// Methods are the HTTP methods that the address has.
func (t *Target[E]) Methods() []string {
	if t.Action != "" {
		return actionMethods
	}
	var methods []string
	add := func(operation string, names ...string) {
		if t.Entry.Offers(operation) {
			methods = append(methods, names...)
		}
	}
	if t.ID == "" {
		add(List, http.MethodGet, http.MethodHead)
		add(Create, http.MethodPost)
		return methods
	}
	add(Get, http.MethodGet, http.MethodHead)
	add(Update, http.MethodPut)
	add(Delete, http.MethodDelete)
	return methods
}

// actionMethods are the HTTP methods at the address of an action.
var actionMethods = []string{http.MethodPost}

// Operation is what a method asks for at this kind of address, whether the entity has it or not.
func (t *Target[E]) Operation(method string) (operation string, ok bool) {
	switch onObject := t.ID != ""; {
	case t.Action != "":
		return Action, method == http.MethodPost
	case method == http.MethodGet || method == http.MethodHead:
		if onObject {
			return Get, true
		}
		return List, true
	case method == http.MethodPost && !onObject:
		return Create, true
	case method == http.MethodPut && onObject:
		return Update, true
	case method == http.MethodDelete && onObject:
		return Delete, true
	}
	return "", false
}

// Choose returns the operation that a method asks for, or a 405.
func (t *Target[E]) Choose(method string) (operation string, err error) {
	operation, ok := t.Operation(method)
	if !ok || !t.Entry.Offers(operation) {
		return "", t.NotAllowed(t.reason(method))
	}
	return operation, nil
}

// reason is the message of the 405 for a method.
func (t *Target[E]) reason(method string) string {
	switch methods := t.Methods(); {
	case t.Action != "":
		return "POST carries out the action " + t.Action + ". No other method is allowed here."
	case method == http.MethodPost && t.ID != "" && t.Entry.Offers(Create):
		return "POST creates an object and takes no id in the address."
	case method == http.MethodPut && t.ID == "" && t.Entry.Offers(Update):
		return "PUT needs the id of the object in the address."
	case method == http.MethodDelete && t.ID == "" && t.Entry.Offers(Delete):
		return "DELETE needs the id of the object in the address."
	case len(methods) == 0:
		return "No method is allowed here."
	default:
		return notAllowed + strings.Join(methods, ", ") + "."
	}
}

const notAllowed = "The method is not allowed here. Allowed: "

// NotAllowed returns a 405 with the methods of the address.
func (t *Target[E]) NotAllowed(message string) error {
	return &clienterror.Error{Status: http.StatusMethodNotAllowed, Message: message, Allow: t.Methods()}
}

// NotAmong returns the 405 of an address with these methods. GET includes HEAD.
func NotAmong(has func(method string) bool) error {
	var allowed []string
	for _, name := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
		if has(name) || name == http.MethodHead && has(http.MethodGet) {
			allowed = append(allowed, name)
		}
	}
	return &clienterror.Error{Status: http.StatusMethodNotAllowed, Message: notAllowed + strings.Join(allowed, ", ") + ".", Allow: allowed}
}

// ParentNames are the names of the entities that the address passes through, outermost
// first, nil for none.
func (t *Target[E]) ParentNames() []string {
	if len(t.Parents) == 0 {
		return nil
	}
	names := make([]string, 0, len(t.Parents)) // no room, so that appending copies
	for _, step := range t.Parents {
		names = append(names, step.Entry.Segment())
	}
	return names
}

// Address is the one form of the address of a POST.
func (t *Target[E]) Address() string {
	var b strings.Builder
	for _, parent := range t.Parents {
		b.WriteString(parent.Entry.Segment() + "/" + parent.ID + "/")
	}
	b.WriteString(t.Entry.Segment())
	if t.Action != "" {
		b.WriteString("/" + t.ID + "/" + t.Action)
	}
	return b.String()
}
