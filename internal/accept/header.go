package accept

import (
	"net/http"
	"strings"
)

// Max is how long the Accept headers of a request may be, in bytes, to be acceptable.
const Max = 8 << 10

// ProblemType is the media type of errors as problem details (E10, RFC 9457).
const ProblemType = "application/problem+json"

// of returns the Accept headers of a request as one. ok is false when they are too long.
func of(h http.Header) (header string, ok bool) {
	for i, value := range h["Accept"] {
		if len(header)+len(value) > Max {
			return "", false
		}
		if i > 0 {
			header += ","
		}
		header += value
	}
	return header, true
}

// cutProblem returns an Accept header without the type of problem details, and whether the
// client accepts it for errors.
func cutProblem(header string) (rest string, accepted bool) {
	if len(header) < len(ProblemType) || !strings.Contains(strings.ToLower(header), ProblemType) {
		return header, false
	}
	return cut(header, ProblemType)
}

// Problem reports whether a client accepts errors as problem details.
func Problem(h http.Header) bool {
	header, ok := of(h)
	if ok {
		_, ok = cutProblem(header)
	}
	return ok
}

// PrefersText reports whether a client prefers text/plain to application/json, which is
// the format where there is no Accept header. ok is false when neither is acceptable.
func PrefersText(h http.Header) (text, ok bool) {
	header, ok := of(h)
	if !ok {
		return false, false
	}
	if rest, accepted := cutProblem(header); accepted {
		header = rest
	}
	if strings.TrimSpace(header) == "" || header == "application/json" {
		return false, true
	}
	asJSON, asText := Quality(header, "application", "json"), Quality(header, "text", "plain")
	return asText > asJSON && asText > 0, asJSON > 0 || asText > 0
}

// Prefer returns the media type that an Accept header prefers, "" where it prefers
// application/json or text/plain, which count if plain is true. Of equal ones it is the
// first of mediaTypes that the header names.
func Prefer(header string, plain bool, mediaTypes []string) (chosen string) {
	best := 0.0
	if plain {
		best = max(Quality(header, "application", "json"), Quality(header, "text", "plain"))
	}
	for _, mediaType := range mediaTypes {
		family, name, _ := strings.Cut(mediaType, "/")
		q := Quality(header, family, name)
		named := strings.Contains(strings.ToLower(header), mediaType)
		if q > best || named && q == best && q > 0 && chosen == "" {
			best, chosen = q, mediaType
		}
	}
	return chosen
}
