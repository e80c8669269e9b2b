package exceptions

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// An Exception is a combination of a product's options. The product's exceptions_type
// decides whether it may be ordered: see [MayOrder].
type Exception struct {
	ExceptionID int64       `json:"exception_id,string" store:"key" bind:"-"`
	ProductID   int64       `json:"product_id,string" rule:"required,min=1" hint:"the id of the product"`
	Combination Combination `json:"combination" rule:"required"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// The unique index refuses the same combination twice: equal combinations have equal
// texts.
var table = store.MustTable[Exception]("product_options_exceptions",
	store.Index{Columns: []string{"product_id", "combination"}, Unique: true})

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return []*store.Schema{table.Schema()} }

// validate checks the combination.
func (e *Exception) validate(problems *shopapi.Problems) {
	if p := e.Combination.problem(); p != "" && !problems.Skips("combination") {
		problems.Add("combination", "%s", p)
	}
}
