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
	Value string `json:"value" store:"translated"` // what a storefront shows
	Name  string `json:"name"`                     // lower-case letters, digits and _; no update changes it
}

// A Variable is a text of the storefront, such as what stands on a button, under its
// name.
type Variable struct {
	Item
	LangCode string `json:"lang_code"` // asked for
}

var (
	variableTable = store.MustTable[Variable]("language_variables", store.Index{Columns: []string{"name"}, Unique: true})
	variableItems = store.Project[Item](variableTable)
)

const (
	maxVariable = 255      // characters of a name
	maxValue    = 64 << 10 // bytes
)

// isVariable reports whether a text can be the name of a variable.
func isVariable(name string) bool {
	return name != "" && len(name) <= maxVariable && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// keepVariable restores what no update alters.
func keepVariable(after, before *Variable, _ *shopapi.Problems) {
	if before.ID != 0 {
		after.Name = before.Name
	}
}

// checkVariable notes what is wrong with a variable.
func checkVariable(_ context.Context, _ store.Tx, _, v *Variable, problems *shopapi.Problems) error {
	problems.Required("name", v.Name, "the name of the variable")
	if v.Name != "" && !isVariable(v.Name) && !problems.Skips("name") {
		problems.Add("name", "must be made of lower-case letters a-z, digits and _, at most %d", maxVariable)
	}
	problems.Bytes("value", v.Value, maxValue)
	return nil
}

// A VariableFilter says in which order a list holds the variables.
type VariableFilter struct{ resource.ListOptions }

// Where implements [resource.Filter].
func (*VariableFilter) Where(*resource.Where) {}
