package images

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"strings"
	"unicode"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/plain"
)

// Limits of an image pair.
const (
	MaxPairs = 100     // further pairs of an object
	MaxPath  = 2 << 10 // bytes of a URL or a path
	MaxAlt   = 1 << 10 // bytes of an alternative text
)

const wantPath = "must be the URL of an image, http or https, or a path"

// pathProblem returns why a text is not a reference to an image, or "". Browsers ignore
// control characters in URLs and treat a backslash as a slash, so neither is allowed.
func pathProblem(path string) string {
	if len(path) > MaxPath {
		return fmt.Sprintf("must have at most %d bytes, not %d", MaxPath, len(path))
	}
	refused := func(r rune) bool { return unicode.IsControl(r) || r == '\\' }
	if !plain.IsText(path) || strings.ContainsFunc(path, refused) || strings.TrimSpace(path) != path {
		return wantPath + " without control characters, backslashes and spaces around it"
	}
	scheme, _, found := strings.Cut(path, ":")
	isURL := strings.HasPrefix(path, "//")
	if found && !strings.ContainsAny(scheme, "/?#") {
		if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" {
			return wantPath + ", not " + plain.Quoted(path)
		}
		isURL = true
	}
	if u, err := url.Parse(path); isURL && (err != nil || u.Host == "") {
		return wantPath + ", not " + plain.Quoted(path)
	}
	return ""
}

// problem returns the problem of an image, or "".
func (i *Image) problem() string {
	if problem := pathProblem(i.Path); problem != "" {
		return "image_path " + problem
	}
	switch {
	case len(i.Alt) > MaxAlt:
		return fmt.Sprintf("alt must have at most %d bytes, not %d", MaxAlt, len(i.Alt))
	case !plain.IsText(i.Alt):
		return "alt must be text without NUL characters"
	case i.Width < 0 || i.Width > math.MaxInt32:
		return fmt.Sprintf("image_x must be from 0 to %d", math.MaxInt32)
	case i.Height < 0 || i.Height > math.MaxInt32:
		return fmt.Sprintf("image_y must be from 0 to %d", math.MaxInt32)
	}
	return ""
}

// Problem returns the problem of a pair, or "".
func (p *Pair) Problem() string {
	if p.Invalid != "" {
		_, problem := parsePair([]byte(p.Invalid), 0)
		return cmp.Or(problem, wantPair)
	}
	for name, image := range p.images() {
		if problem := image.problem(); problem != "" {
			return name + ": " + problem
		}
	}
	if p.Position < 0 || p.Position > math.MaxInt32 {
		return fmt.Sprintf("position must be from 0 to %d", math.MaxInt32)
	}
	return ""
}

// Problem returns the problem of the pairs, or "".
func (ps Pairs) Problem() string {
	if len(ps) == 1 && ps[0].Invalid != "" {
		_, problem := parsePairs([]byte(ps[0].Invalid))
		return cmp.Or(problem, wantPairs)
	}
	if len(ps) > MaxPairs {
		return tooMany(len(ps))
	}
	for i := range ps {
		if problem := ps[i].Problem(); problem != "" {
			return fmt.Sprintf("[%d]: %s", i, problem)
		}
	}
	return ""
}

func tooMany(n int) string { return fmt.Sprintf("must be at most %d image pairs, not %d", MaxPairs, n) }

// Check reports the problem of a pair on its field.
func (p *Pair) Check(problems *shopapi.Problems, field string) { check(problems, field, p) }

// Check reports the problem of pairs on their field.
func (ps Pairs) Check(problems *shopapi.Problems, field string) { check(problems, field, ps) }

func check(problems *shopapi.Problems, field string, v interface{ Problem() string }) {
	if problems.Skips(field) {
		return
	}
	if problem := v.Problem(); problem != "" {
		problems.Add(field, "%s", problem)
	}
}
