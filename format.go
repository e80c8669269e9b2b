package shopapi

import (
	"net/http"
	"strconv"
	"strings"
)

// A format is one that answers can be written in (§4).
type format uint8

const (
	formatJSON format = iota
	formatForm
)

// contentType is the Content-Type of an answer.
func (f format) contentType() field {
	if f == formatForm {
		return isForm
	}
	return isJSON
}

// encode writes a value in the format. It is the one place where answers become
// bytes.
func (f format) encode(v any) ([]byte, error) {
	body, err := marshal(v)
	if err != nil || f == formatJSON {
		return body, err
	}
	return formFromJSON(body)
}

// negotiate chooses the format by the Accept headers (§4, RFC 9110 §12.5.1):
// JSON when there is none. ok is false when neither format is acceptable.
func negotiate(h http.Header) (f format, ok bool) {
	accept := h["Accept"]
	if len(accept) == 0 {
		return formatJSON, true
	}
	header := strings.Join(accept, ",")
	if strings.TrimSpace(header) == "" || header == "application/json" {
		return formatJSON, true
	}
	json := quality(header, "application", "json")
	text := quality(header, "text", "plain")
	switch {
	case json <= 0 && text <= 0:
		return formatJSON, false
	case text > json:
		return formatForm, true
	}
	return formatJSON, true
}

// quality returns the weight that an Accept header gives to a media type, by the
// most specific range that names it; -1 when none does.
func quality(header, wantType, wantSubtype string) float64 {
	best, weight := -1, -1.0
	for _, element := range splitUnquoted(header, ',') {
		parts := splitUnquoted(element, ';')
		mediaType, subtype, ok := strings.Cut(strings.TrimSpace(parts[0]), "/")
		if !ok {
			continue
		}
		specificity := 2
		switch {
		case strings.EqualFold(mediaType, wantType) && strings.EqualFold(subtype, wantSubtype):
		case strings.EqualFold(mediaType, wantType) && subtype == "*":
			specificity = 1
		case mediaType == "*" && subtype == "*":
			specificity = 0
		default:
			continue
		}
		q, plain, valid := parameters(parts[1:])
		if !valid || !plain {
			continue
		}
		if specificity > best || specificity == best && q > weight {
			best, weight = specificity, q
		}
	}
	return weight
}

// parameters reads the parameters of a media range: its weight, and whether it
// has no others than that and the charset, which answers have anyway.
func parameters(parts []string) (q float64, plain, valid bool) {
	q = 1
	for _, part := range parts {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch value = strings.Trim(value, `"`); {
		case strings.EqualFold(name, "q"):
			n, err := strconv.ParseFloat(value, 64)
			if err != nil || !(n >= 0 && n <= 1) {
				return 0, false, false
			}
			return n, true, true // what follows are extensions of Accept
		case name == "" || strings.EqualFold(name, "charset") && strings.EqualFold(value, "utf-8"):
		default:
			return 0, false, true
		}
	}
	return q, true, true
}

// splitUnquoted splits at a separator that stands outside quotation marks.
func splitUnquoted(s string, separator byte) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == separator && !quoted:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
