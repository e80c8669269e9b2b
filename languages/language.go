package languages

import (
	"context"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Language is a language of the shop.
type Language struct {
	LangID      int64  `json:"lang_id,string" store:"key" bind:"-"`
	LangCode    string `json:"lang_code" rule:"required"` // two letters, in lower case
	Name        string `json:"name" rule:"required,len=64" hint:"the name of the language"`
	Status      string `json:"status" rule:"oneof=A D H,default=A"`        // A active, D disabled, H hidden
	CountryCode string `json:"country_code"`                               // country of the flag: two letters, in upper case, or ""
	Direction   string `json:"direction" rule:"oneof=ltr rtl,default=ltr"` // of the script: ltr or rtl

	// FromLangCode is the language from which a new one copies the variables, "" for the
	// language of the request. It is not stored.
	FromLangCode string `json:"from_lang_code,omitempty" store:"-"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

var table = store.MustTable[Language]("languages", store.Index{Columns: []string{"lang_code"}, Unique: true})

// The statuses of a language.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

// The directions of a script.
const (
	LeftToRight = "ltr"
	RightToLeft = "rtl"
)

// english is in every new database (decisions §23).
var english = Language{LangCode: "en", Name: "English", Status: Active, CountryCode: "US", Direction: LeftToRight}

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema {
	return store.WithTexts(table.Schema(), variableTable.Schema(), copyings.Schema())
}

// normalize brings codes into the case that is stored.
func normalize(l *Language, _ *shopapi.Problems) {
	l.LangCode = strings.ToLower(l.LangCode)
	l.CountryCode = strings.ToUpper(l.CountryCode)
}

// check adds the problems of a language. Texts and settings refer to a language by its
// code, so that the codes of the base and the default language cannot change.
func (l *Languages) check(ctx context.Context, tx store.Tx, before, after *Language, problems *shopapi.Problems) error {
	if err := l.checkFrom(tx, before, after, problems); err != nil {
		return err
	}
	if before.LangID == 0 || after.LangCode != before.LangCode {
		if after.LangCode == "" {
			problems.Required("lang_code", after.LangCode, "the code of the language, two letters")
		} else {
			problems.Language("lang_code", after.LangCode)
		}
	}
	if _, ok := shopapi.ParseLanguage(after.CountryCode); after.CountryCode != "" && !ok && !problems.Skips("country_code") {
		problems.Add("country_code", "must be the two letters of a country, such as US, or empty")
	}
	if before.LangID != 0 && before.Status == Active && after.Status != Active {
		role, err := l.defaultRole(ctx, before.LangCode)
		if err != nil {
			return err
		}
		if role != "" {
			problems.Add("status", "must be %s: this is the %s", Active, role)
		}
	}
	if before.LangID == 0 || before.LangCode == after.LangCode {
		return nil
	}
	role, err := l.role(ctx, before.LangCode)
	if role != "" {
		problems.Add("lang_code", "cannot change: this is the %s", role)
	}
	return err
}

func conflict(error) error {
	return shopapi.Invalid("lang_code", "is taken: the shop has this language already")
}

// A Filter sorts the languages of a list.
type Filter struct{ resource.ListOptions }
