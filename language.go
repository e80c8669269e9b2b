package shopapi

import (
	"context"
	"encoding/json"
	"strings"
)

type languageKey struct{}

// WithLanguage returns a context whose reads and writes are in the language with the
// code, which is what ?sl= is over HTTP (§15): Get and Find return the texts of that
// language, Create and Update write them. A text that the language lacks is read in
// the default language, then in the base one. "" stands for the default language. The
// code is taken as it is; [ParseLanguage] checks one.
func WithLanguage(ctx context.Context, code string) context.Context {
	if code == LanguageFrom(ctx) {
		return ctx
	}
	return context.WithValue(ctx, languageKey{}, code)
}

// LanguageFrom returns the language that ctx names, "" where it names none.
func LanguageFrom(ctx context.Context) string {
	code, _ := ctx.Value(languageKey{}).(string)
	return code
}

// ParseLanguage returns the language code that a text is, in lower case. ok is false
// for a text that is not two letters (§15).
func ParseLanguage(text string) (code string, ok bool) {
	if len(text) != 2 || !isLetter(text[0]) || !isLetter(text[1]) {
		return "", false
	}
	return strings.ToLower(text), true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

const noLanguage = "must be a language code of two letters, such as en, not %s"

// Language notes a problem when a field does not hold a language code, and returns
// the code.
func (p *Problems) Language(field, text string) string {
	code, ok := ParseLanguage(text)
	if !ok && !p.Skips(field) {
		p.Add(field, noLanguage, quoted(text))
	}
	return code
}

// PayloadLanguage returns the language that a POST or PUT names in lang_code, "" where
// it names none. What is no language code is noted.
func (r *Request) PayloadLanguage(problems *Problems) string {
	raw := r.Payload.Raw("lang_code")
	if raw == nil || string(raw) == "null" || string(raw) == `""` {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return problems.Language("lang_code", text)
}

// BaseLanguage is [Options.BaseLanguage].
func (a *API) BaseLanguage() string { return a.opts.BaseLanguage }

// StoreImage is [Options.StoreImage].
func (a *API) StoreImage() func(ctx context.Context, entity, reference string) (string, error) {
	return a.opts.StoreImage
}

// DefaultLanguage returns the language that is read and written in ctx where none is
// named: that of the setting [SettingDefaultLanguage], which [Options.DefaultLanguage]
// fixes. It is "" in a shop without settings, and then the base language.
func (a *API) DefaultLanguage(ctx context.Context) (string, error) {
	code, _, err := a.Setting(ctx, SettingDefaultLanguage)
	return code, err
}

// readLanguage reads the parameter sl, which names the language of a request (§15).
func (r *Request) readLanguage() error {
	values := r.Filter["sl"]
	if len(values) == 0 {
		return nil
	}
	var problems Problems
	r.language = problems.Language("sl", strings.TrimSpace(last(values)))
	return problems.Err()
}
