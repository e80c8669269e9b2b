package apidoc

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
)

var paramsType = reflect.TypeFor[shopapi.Params]()

// An endpoint is an entity at one of its places.
type endpoint struct {
	*builder
	shopapi.EntityPath
	name       string // of its components, such as CallRequests
	id         string // of its operations, such as call_requests
	path       string
	parameters []openapi31.ParameterOrReference // of the path
}

// addPlace adds the operations of an entity at a place. The components of an entity with
// several places come from the first.
func (b *builder) addPlace(ctx context.Context, p shopapi.EntityPath) {
	e := &endpoint{builder: b, EntityPath: p}
	own := []string{p.Name}
	if p.OnlyHere {
		own = []string{p.Parents[len(p.Parents)-1].Name, p.Name}
	}
	e.name = camel(strings.Join(own, "_"))
	var ids []string
	for _, parent := range p.Parents {
		ids = append(ids, parent.Name)
		e.path += "/" + parent.Name + "/" + e.idIn(parent)
	}
	e.path += "/" + p.Name
	e.id = strings.Join(append(ids, p.Name), "_")
	if !b.endpoints[e.name] {
		b.endpoints[e.name] = true
		e.addComponents()
		e.addTag()
	}
	e.addPath(e.path, e.collection())
	item := e.path + "/" + e.idIn(p.Description)
	e.addPath(item, e.object())
	for _, action := range p.Actions {
		if !e.may(p, shopapi.OpAction) {
			break
		}
		e.addPath(item+"/"+action.Name, openapi31.PathItem{Post: e.act(action)})
	}
}

// idIn adds the parameter of an object's id to the path, and returns its placeholder.
func (e *endpoint) idIn(d shopapi.Description) string {
	name := cmp.Or(d.IDField, "id")
	for slices.ContainsFunc(e.parameters, func(p openapi31.ParameterOrReference) bool { return p.Parameter.Name == name }) {
		name += "_"
	}
	required := true
	description := "The id of the object of " + d.Name + "."
	if d.CodeField != "" {
		description = "The id of the object of " + d.Name + ", or code: and its " + d.CodeField + "."
	}
	e.parameters = append(e.parameters, openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
		Name: name, In: openapi31.ParameterInPath, Required: &required, Description: &description, Schema: schema{"type": "string"},
	}})
	return "{" + name + "}"
}

// addPath adds a path if it has operations.
func (e *endpoint) addPath(path string, item openapi31.PathItem) {
	if item.Get == nil && item.Put == nil && item.Post == nil && item.Delete == nil {
		return
	}
	for _, p := range e.parameters {
		if strings.Contains(path, "{"+p.Parameter.Name+"}") {
			item.Parameters = append(item.Parameters, p)
		}
	}
	e.spec.Paths.MapOfPathItemValues[path] = item
}
