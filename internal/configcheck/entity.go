package configcheck

import (
	"fmt"
	"slices"

	"github.com/shopapi/shopapi/internal/apipath"
)

// An Entity is the description of an entity, as far as a mistake in it would only show at a
// request.
type Entity struct {
	Name, IDField, View, Manage string

	Reads, Makes, Deletes bool // has such operations; an action makes

	Operations, Known []string // that it offers, of the ones that there are
	Parents, Actions  []string
	Acts              bool // carries out actions
}

// Check returns the first mistake.
func (e *Entity) Check() error {
	switch {
	case !apipath.IsName(e.Name):
		return fmt.Errorf("shopapi: the entity name %q is not made of a-z, 0-9 and _, beginning with a letter", e.Name)
	case !e.Reads && !e.Makes && !e.Deletes:
		return fmt.Errorf("shopapi: entity %s has no capability: it is no Lister, Getter, Creator, Updater, Deleter or Actor", e.Name)
	case e.IDField == "" && e.Makes:
		return fmt.Errorf("shopapi: entity %s answers POST or PUT but has no IDField", e.Name)
	case e.Reads && e.View == "":
		return fmt.Errorf("shopapi: entity %s can be read but names no privilege View", e.Name)
	case (e.Makes || e.Deletes) && e.Manage == "":
		return fmt.Errorf("shopapi: entity %s can be changed but names no privilege Manage", e.Name)
	case len(e.Actions) > 0 && !e.Acts:
		return fmt.Errorf("shopapi: entity %s describes actions but is no Actor", e.Name)
	}
	for _, op := range e.Operations {
		if !slices.Contains(e.Known, op) {
			return fmt.Errorf("shopapi: entity %s offers the operation %q: want some of %q", e.Name, op, e.Known)
		}
	}
	if parent, wrong := wrongName(e.Parents); wrong {
		return fmt.Errorf("shopapi: entity %s declares the parent %q, which is not an entity name or is repeated", e.Name, parent)
	}
	if action, wrong := wrongName(e.Actions); wrong {
		return fmt.Errorf("shopapi: entity %s has the action %q, which is not a valid name or is repeated", e.Name, action)
	}
	return nil
}

// wrongName returns the first name that is invalid or repeated.
func wrongName(names []string) (name string, wrong bool) {
	for i, name := range names {
		if !apipath.IsName(name) || slices.Contains(names[:i], name) {
			return name, true
		}
	}
	return "", false
}
