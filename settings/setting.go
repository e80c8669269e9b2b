package settings

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
)

// A Setting is the declaration of a setting. Section and Name, its id as "Section.name",
// must never change; a later version of the program may change everything else.
type Setting struct {
	Section string // such as "Appearance": letters, digits, spaces and _
	Tab     string // tab of the section; "" is the main one
	Name    string // letters, digits and _
	Type    Type   // "" is Input

	// Default is the value until one is written.
	Default string

	// Variants are the values of a type with choices.
	Variants []Variant

	Description string // for administrators
	Tooltip     string
	Position    int64
	Edition     string // edition_type, for administrators' programs; "" is ROOT

	// Check returns an error that describes an invalid value, such as "must be a number".
	Check func(ctx context.Context, value string) error
}

// A Variant is a choice: its value, and its label for administrators.
type Variant struct{ Value, Label string }

// A Type decides which values a setting can have.
type Type string

// The types. Radio, Select, MultiSelect, Checkboxes and Selectable have variants; values
// of the last three are lists. Information and Header are only shown and have no value
// to write.
const (
	Input       Type = "I"
	TextArea    Type = "T"
	Radio       Type = "R"
	Select      Type = "S"
	Password    Type = "P" // "" in responses
	Checkbox    Type = "C" // Y or N
	MultiSelect Type = "M"
	Checkboxes  Type = "N"
	Country     Type = "X" // two letters
	State       Type = "W"
	File        Type = "F"
	Information Type = "O"
	Header      Type = "H"
	Selectable  Type = "B" // a sorted list
	Template    Type = "E"
	Permanent   Type = "Z" // a fixed template
	Hidden      Type = "D"
)

var types = []Type{
	Input, TextArea, Radio, Select, Password, Checkbox, MultiSelect, Checkboxes, Country, State, File,
	Information, Header, Selectable, Template, Permanent, Hidden,
}

// Limits of values, in bytes.
const (
	maxLine = 1 << 10
	maxText = 64 << 10 // of text areas and templates
)

// ID returns the id of the setting: "Section.name".
func (s *Setting) ID() string { return s.Section + "." + s.Name }

func (s *Setting) isList() bool {
	return s.Type == MultiSelect || s.Type == Checkboxes || s.Type == Selectable
}

func (s *Setting) chooses() bool { return s.isList() || s.Type == Radio || s.Type == Select }

func (s *Setting) isWritable() bool { return s.Type != Information && s.Type != Header }

// complete sets the defaults, and returns an error for an invalid declaration.
func (s *Setting) complete() error {
	if s.Type == "" {
		s.Type = Input
	}
	if s.Edition == "" {
		s.Edition = "ROOT"
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	switch {
	case s.Name == "" || strings.Trim(s.Name, letters) != "":
		return fmt.Errorf("settings: the name %q is not made of letters, digits and _", s.Name)
	case s.Section == "" || strings.Trim(s.Section+s.Tab, letters+" ") != "":
		return fmt.Errorf("settings: the section %q or tab %q of %s is not made of letters, digits, spaces and _", s.Section, s.Tab, s.Name)
	case !slices.Contains(types, s.Type):
		return fmt.Errorf("settings: %s has the type %q, which there is not", s.ID(), s.Type)
	case s.chooses() == (len(s.Variants) == 0):
		return fmt.Errorf("settings: %s is of type %s and has %d variants", s.ID(), s.Type, len(s.Variants))
	}
	if problem := s.problem(context.Background(), s.Default); problem != "" && s.Default != "" && s.isWritable() {
		return fmt.Errorf("settings: the default of %s %s", s.ID(), problem)
	}
	return nil
}

// problem describes an invalid value; it is "" for a valid one.
func (s *Setting) problem(ctx context.Context, value string) string {
	most := maxLine
	if s.Type == TextArea || s.Type == Template || s.Type == Permanent {
		most = maxText
	}
	if len(value) > most {
		return fmt.Sprintf("must have at most %d bytes, not %d", most, len(value))
	}
	switch s.Type {
	case Checkbox:
		if value != "Y" && value != "N" {
			return "must be Y or N, not " + quoted(value)
		}
	case Radio, Select:
		if !s.hasVariant(value) {
			return fmt.Sprintf("must be one of %s, not %s", strings.Join(s.values(), ", "), quoted(value))
		}
	case MultiSelect, Checkboxes, Selectable:
		for _, one := range splitList(value) {
			if !s.hasVariant(one) {
				return fmt.Sprintf("must be a list of some of %s, without %s", strings.Join(s.values(), ", "), quoted(one))
			}
		}
	case Country:
		if value != "" && (len(value) != 2 || strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
			return "must be two capital letters, or empty, not " + quoted(value)
		}
	}
	if s.Check != nil {
		if err := s.Check(ctx, value); err != nil {
			return err.Error()
		}
	}
	return ""
}

func (s *Setting) values() []string {
	values := make([]string, len(s.Variants))
	for i, v := range s.Variants {
		values[i] = v.Value
	}
	return values
}

func (s *Setting) hasVariant(value string) bool { return slices.Contains(s.values(), value) }

// splitList returns the items of a list value, separated by commas.
func splitList(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, ",")
}

// Variants are the choices of a setting: on the wire an object, or [] if there are none
// (decisions §14).
type Variants []Variant

// AppendJSON writes the variants in their order.
func (v Variants) AppendJSON(dst []byte) ([]byte, error) {
	if len(v) == 0 {
		return append(dst, "[]"...), nil
	}
	m := make(shopapi.Map, len(v))
	for i, one := range v {
		m[i] = shopapi.Member{Name: one.Value, Value: one.Label}
	}
	return m.AppendJSON(dst)
}

// MarshalJSON is [Variants.AppendJSON].
func (v Variants) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }
