package languages

import (
	"context"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An Item is a language variable as lists show it.
type Item struct {
	ID    int64  `json:"-" store:"key,name=langvar_id" bind:"-"`
	Value string `json:"value" store:"translated" rule:"bytes=65536"`          // shown by a storefront
	Name  string `json:"name" rule:"required" hint:"the name of the variable"` // lower-case letters, digits and _; fixed on creation

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// A Variable is a named text of the storefront, such as the label of a button.
type Variable struct {
	Item
	LangCode string `json:"lang_code"` // the language of the request
}

var (
	variableTable = store.MustTable[Variable]("language_variables", store.Index{Columns: []string{"name"}, Unique: true})
	variableItems = store.Project[Item](variableTable)
)

const maxVariable = 255 // characters of a name

// isVariable reports whether a text can be the name of a variable.
func isVariable(name string) bool {
	return name != "" && len(name) <= maxVariable && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// keepVariable restores the fields that no update changes.
func keepVariable(after, before *Variable, _ *shopapi.Problems) {
	if before.ID != 0 {
		after.Name = before.Name
	}
}

// checkVariable adds the problems of a variable.
func checkVariable(_ context.Context, _ store.Tx, _, v *Variable, problems *shopapi.Problems) error {
	if v.Name != "" && !isVariable(v.Name) && !problems.Skips("name") {
		problems.Add("name", "must be made of lower-case letters a-z, digits and _, at most %d", maxVariable)
	}
	return nil
}

// A VariableFilter sorts the variables of a list.
type VariableFilter struct{ resource.ListOptions }
