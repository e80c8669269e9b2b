package apidoc

import (
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
)

// listParameters are the parameters of a list: pages, the order, and the filter.
func (e *endpoint) listParameters() []openapi31.ParameterOrReference {
	list := []openapi31.ParameterOrReference{parameterRef("page"), parameterRef("items_per_page")}
	if len(e.Sorts) > 0 {
		list = append(list, e.sortParameter(), parameterRef("sort_order"))
	}
	for _, f := range e.filterFields() {
		list = append(list, e.filterParameter(f))
	}
	return append(append(list, e.languageParameters()...), parameterRef("If-None-Match"))
}

// sortParameter is the sort key. In the live dialect others count as the default one.
func (e *endpoint) sortParameter() openapi31.ParameterOrReference {
	description, keys := "The sort key.", schema{"type": "string", "default": e.Sorts[0]}
	if e.api.Dialect() == shopapi.Live {
		description = "The sort key: " + strings.Join(e.Sorts, ", ") + ". Others count as " + e.Sorts[0] + "."
	} else {
		keys["enum"] = codes(e.Sorts)
	}
	return openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
		Name: "sort_by", In: openapi31.ParameterInQuery, Description: &description, Schema: keys,
	}}
}

// languageParameters are those that name the language of texts, where the entity has
// texts in several.
func (e *endpoint) languageParameters() []openapi31.ParameterOrReference {
	if len(e.Translated) == 0 {
		return nil
	}
	return []openapi31.ParameterOrReference{parameterRef("sl")}
}

// filterParameter is a parameter of the filter. One that is required is said where it
// is: an address through a parent may stand for it.
func (e *endpoint) filterParameter(f bind.Field) openapi31.ParameterOrReference {
	rule := ruleOn(e.filters, f.Name)
	if !rule.Required {
		return parameterRef(e.name + "." + f.Name)
	}
	p := e.newParameter(f, rule)
	required := len(e.Parents) == 0 || e.Parents[len(e.Parents)-1].IDField != f.Name
	p.Required = &required
	return openapi31.ParameterOrReference{Parameter: p}
}

// filterFields are the parameters of the filter of lists.
func (e *endpoint) filterFields() []bind.Field {
	if e.Filter == nil || !e.offers(shopapi.OpList) {
		return nil
	}
	return bind.Fields(e.Filter)
}

// newParameter is a parameter of lists.
func (e *endpoint) newParameter(f bind.Field, rule shopapi.Rule) *openapi31.Parameter {
	p := &openapi31.Parameter{Name: f.Name, In: openapi31.ParameterInQuery, Schema: parameterOf(f, rule)}
	for _, m := range membersOf(e.Filter) {
		if text := textOf(m); m.name == f.Name && text != "" {
			p.Description = &text
		}
	}
	if p.Schema["type"] == "array" {
		explode := false
		p.Explode = &explode
	}
	return p
}
