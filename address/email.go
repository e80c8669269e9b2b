package address

import (
	"strings"
	"unicode"

	"github.com/shopapi/shopapi"
)

// MaxEmail is the limit of an e-mail address, in bytes (RFC 5321).
const MaxEmail = 254

// IsEmail reports whether a text is an e-mail address that can also be a login: Basic
// authentication ends the name at the first colon. A name with an @ needs quotation marks, as in
// "a@b"@example.com.
func IsEmail(text string) bool {
	at := strings.LastIndexByte(text, '@')
	return at > 0 && at < len(text)-1 && len(text) <= MaxEmail &&
		(!strings.Contains(text[:at], "@") || at > 1 && text[0] == '"' && text[at-1] == '"') &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return r == ':' || r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r)
		})
}

// CheckEmail adds a problem for a text that is not an e-mail address. The empty text is
// left to the check of required fields.
func CheckEmail(problems *shopapi.Problems, field, text string) {
	if text != "" && !problems.Skips(field) && !IsEmail(text) {
		problems.Add(field, "must be an e-mail address such as name@example.org, without spaces and colons, of at most %d bytes", MaxEmail)
	}
}
