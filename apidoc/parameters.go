package apidoc

import (
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/rules"
)

// listParameters returns the parameters of a list: pages, sort order, and filter.
func (e *endpoint) listParameters() []openapi31.ParameterOrReference {
	list := []openapi31.ParameterOrReference{parameterRef("page"), parameterRef("items_per_page")}
	if len(e.Sorts) > 0 {
		list = append(list, e.sortParameter(), parameterRef("sort_order"))
	}
	for _, f := range e.filterFields() {
		list = append(list, e.filterParameter(f))
	}
	for _, f := range e.custom() {
		for _, name := range f.Parameters() {
			list = append(list, parameterRef(e.name+"."+name))
		}
	}
	if e.api.Exports() {
		list = append(list, parameterRef("spreadsheet"))
	}
	return append(append(list, e.languageParameters()...), parameterRef("fields"), parameterRef("If-None-Match"))
}

// sorts returns the sort keys, also the custom fields that the reader of the document sees.
func (e *endpoint) sorts() []string {
	sorts := slices.Clone(e.Sorts)
	for _, f := range e.custom() {
		if f.Sorts {
			sorts = append(sorts, f.Name)
		}
	}
	return sorts
}

// sortParameter returns the sort key. In the live dialect an unknown one means the
// default.
func (e *endpoint) sortParameter() openapi31.ParameterOrReference {
	sorts := e.sorts()
	description, keys := "The sort key.", schema{"type": "string", "default": e.Sorts[0]}
	if e.api.Dialect() == shopapi.DialectLive {
		description = "The sort key: " + strings.Join(sorts, ", ") + ". Others count as " + e.Sorts[0] + "."
	} else {
		keys["enum"] = codes(sorts)
	}
	return openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
		Name: "sort_by", In: openapi31.ParameterInQuery, Description: &description, Schema: keys,
	}}
}

// languageParameters returns the parameters for the language of texts, if the entity has
// translated texts.
func (e *endpoint) languageParameters() []openapi31.ParameterOrReference {
	if len(e.Translated) == 0 {
		return nil
	}
	return []openapi31.ParameterOrReference{parameterRef("sl")}
}

// filterParameter returns a parameter of the filter. A required one is described but not
// marked, because an address below a parent may replace it.
func (e *endpoint) filterParameter(f bind.Field) openapi31.ParameterOrReference {
	rule := ruleOn(e.FilterRules, f.Name)
	if !rule.Required {
		return parameterRef(e.name + "." + f.Name)
	}
	p := e.newParameter(f, rule)
	required := len(e.Parents) == 0 || e.Parents[len(e.Parents)-1].IDField != f.Name
	p.Required = &required
	return openapi31.ParameterOrReference{Parameter: p}
}

// filterFields returns the parameters of a list's filter.
func (e *endpoint) filterFields() []bind.Field {
	if e.Filter == nil || !e.has(shopapi.OpList) {
		return nil
	}
	return bind.Fields(e.Filter)
}

// newParameter returns a parameter of lists.
func (e *endpoint) newParameter(f bind.Field, rule shopapi.Rule) *openapi31.Parameter {
	p := &openapi31.Parameter{Name: f.Name, In: openapi31.ParameterInQuery, Schema: parameterOf(f, rule)}
	for _, m := range membersOf(e.Filter) {
		if text := textOf(m); m.name == f.Name && text != "" {
			p.Description = &text
		}
	}
	if f.Deprecated {
		deprecated := true
		p.Deprecated = &deprecated
	}
	if p.Schema["type"] == "array" {
		explode := false
		p.Explode = &explode
	}
	return p
}

// codesOf returns the schema of a query parameter of several codes; nil are all texts.
func codesOf(oneOf []string) schema {
	item := schema{"type": "string"}
	if oneOf != nil {
		item["enum"] = codes(oneOf)
	}
	return schema{"type": "array", "items": item, "maxItems": rules.MaxCodes}
}
