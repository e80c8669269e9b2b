package shopapi

import "reflect"

// A FieldKind says which values fit a field of a body, or a parameter (§4).
type FieldKind string

// The kinds of fields.
const (
	TextField     FieldKind = "text"
	NumberField   FieldKind = "number"   // a whole number, or a text of one
	AmountField   FieldKind = "amount"   // a number with decimals, or a text of one
	FlagField     FieldKind = "flag"     // Y or N
	ScalarField   FieldKind = "scalar"   // what a type reads from one text
	NumbersField  FieldKind = "numbers"  // a list of whole numbers, or a text with commas
	TextsField    FieldKind = "texts"    // a list of texts, or a text with commas
	DocumentField FieldKind = "document" // what a type reads from JSON
)

// A BoundField is a field of a struct that [Request.Bind] and [Request.BindFilter]
// set.
type BoundField struct {
	Name string // in requests
	Kind FieldKind
	Type reflect.Type // of the struct's field
}

// BoundFields are the fields of a struct type that requests can set, in its order.
func BoundFields(t reflect.Type) []BoundField {
	plan := bindPlanOf(t)
	fields := make([]BoundField, len(plan.fields))
	for i, f := range plan.fields {
		fields[i] = BoundField{f.name, f.kind.described(), t.FieldByIndex(f.index).Type}
	}
	return fields
}

// described is the kind as [BoundFields] tells it.
func (k fieldKind) described() FieldKind {
	return [...]FieldKind{
		readOnlyField: "", textField: TextField, numberField: NumberField, amountField: AmountField, flagField: FlagField,
		scalarField: ScalarField, numbersField: NumbersField, textsField: TextsField, documentField: DocumentField,
	}[k]
}
