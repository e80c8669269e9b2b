package blocks

import (
	"encoding/json"
	"errors"
	"github.com/shopapi/shopapi"

	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// A Summary is a block as lists show it.
type Summary struct {
	BlockID    int64  `json:"block_id,string" store:"key" bind:"-"`
	Type       string `json:"type"`                                          // what it shows, such as products; types that begin with vendor_ belong to the multi-vendor edition
	Properties Object `json:"properties" types:"object" rule:"bytes=262144"` // template, and more by type
	CompanyID  int64  `json:"company_id,string" store:"index"`
	LangCode   string `json:"lang_code"` // the language of the request
	Name       string `json:"name" store:"translated" rule:"required,len=255" hint:"the name of the block"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// A Block is a block as GET of one returns it.
type Block struct {
	Summary
	Content Object `json:"content,omitempty" types:"object" store:"translated" rule:"bytes=262144"` // such as {"content": "<p>HTML</p>"}; "" is none
}

var (
	table     = store.MustTable[Block]("blocks")
	summaries = store.Project[Summary](table)
)

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return store.WithTexts(table.Schema()) }

// An Object is a JSON object without white space, or "".
type Object string

// MarshalJSON returns the value itself.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == "" {
		return []byte("{}"), nil
	}
	return []byte(o), nil
}

var errNoObject = errors.New("must be an object")

// PayloadForms implements [shopapi.PayloadFormer]: any object.
func (Object) PayloadForms() []any { return []any{struct{}{}} }

// UnmarshalJSON reads an object. Null and empty values become "".
func (o *Object) UnmarshalJSON(data []byte) error {
	text, err := wire.Compact(data)
	if err != nil || text != "" && text[0] != '{' {
		return errNoObject
	}
	*o = Object(text)
	return nil
}

// template returns the member "template" if it is a text.
func (o Object) template() string {
	var v struct {
		Template any `json:"template"`
	}
	if json.Unmarshal([]byte(o), &v) != nil {
		return ""
	}
	text, _ := v.Template.(string)
	return text
}
