package exceptions

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// An Exception is one combination of a product's options. Whether it may be
// ordered, or may not, the product's exceptions_type says: see [MayOrder].
type Exception struct {
	ExceptionID int64       `json:"exception_id,string" store:"key" bind:"-"`
	ProductID   int64       `json:"product_id,string"`
	Combination Combination `json:"combination" store:"-"`
}

// A row is an exception as the table keeps it, with the combination in the one
// form that [Combination.MarshalJSON] gives it. That is what lets the index refuse
// the same combination twice.
type row struct {
	Exception
	Canonical string `json:"-" store:"name=combination"`
}

var table = store.MustTable[row]("product_options_exceptions",
	store.Index{Columns: []string{"product_id", "combination"}, Unique: true})

func rowOf(e Exception) (row, error) {
	text, err := e.Combination.MarshalJSON()
	return row{Exception: e, Canonical: string(text)}, err
}

func (r row) exception() (Exception, error) {
	e := r.Exception
	if err := json.Unmarshal([]byte(r.Canonical), &e.Combination); err != nil {
		return e, fmt.Errorf("exceptions: the combination of exception %d as stored: %w", e.ExceptionID, err)
	}
	return e, nil
}

// validate finds what is wrong with the fields by themselves.
func (e *Exception) validate(problems *shopapi.Problems) {
	if e.ProductID == 0 {
		problems.Add("product_id", "is required: the id of the product")
	}
	problems.Range("product_id", e.ProductID, 1, math.MaxInt64)
	if p := e.Combination.problem(); p != "" {
		problems.Add("combination", "%s", p)
	}
}
