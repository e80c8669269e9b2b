package shoptest

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
)

// A Host is an entity of a host: read-only objects by id.
type Host struct {
	Name    string
	View    string // the privilege; the default is view_ and the name
	Objects map[string]any
	Asked   map[string]int // number of requests by id
	Broken  bool           // Get fails
}

// Describe implements [shopapi.Entity].
func (h *Host) Describe() shopapi.Description {
	view := h.View
	if view == "" {
		view = "view_" + h.Name
	}
	return shopapi.Description{
		Name: h.Name, IDField: "id",
		Privileges: shopapi.Privileges{View: view, Manage: "manage_" + h.Name},
	}
}

// Get implements [shopapi.Getter].
func (h *Host) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if h.Broken {
		return nil, errors.New("the host's database is gone")
	}
	if h.Asked == nil {
		h.Asked = map[string]int{}
	}
	h.Asked[id]++
	object, ok := h.Objects[id]
	if !ok {
		return nil, shopapi.NotFound(h.Name, id)
	}
	return object, nil
}
