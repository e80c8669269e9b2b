package console_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/extensions/console"
)

// A literal is a text in a script.
type literal struct {
	text   string
	line   int
	place  string // "text" that a template of HTML shows, "template" or "string" in code
	before string // the code before a string
	isHTML bool   // a string in an expression of a template of HTML
}

var (
	word      = regexp.MustCompile(`\p{L}{2,}`)
	prose     = regexp.MustCompile(`^\p{Lu}\p{Ll}+(?:$|[ .,:;?!’…])|\p{L}{2,} \p{Ll}+ \p{Ll}+`)
	piece     = regexp.MustCompile(`^[ :;,]*\p{L}{2,} \p{L}{2,}|^ \p{L}{2,}|^: \p{L}|^\p{Lu}\p{Ll}+ `)
	speaking  = regexp.MustCompile(`\s(?:aria-label|title|placeholder|alt)="[^">]*$`)
	beforeTag = regexp.MustCompile(`\b(?:html|svg)$`)
	regular   = regexp.MustCompile(`(?:^|[(,=:\[!&|?{};+>]|return)\s*$`)
	pattern   = regexp.MustCompile(`^/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*`)
)

// isText reports whether a literal is one for people.
func (l literal) isText() bool {
	switch l.place {
	case "text":
		return true
	case "template":
		return piece.MatchString(l.text)
	default:
		return prose.MatchString(l.text)
	}
}

// literalsOf returns the literals of a script.
func literalsOf(script string) (found []literal) {
	s := scanner{script: script}
	s.code(false)
	return s.found
}

// A scanner finds the literals of a script.
type scanner struct {
	script string
	at     int
	found  []literal
}

func (s *scanner) add(text, place, before string, isHTML bool) {
	line := 1 + strings.Count(s.script[:s.at], "\n")
	s.found = append(s.found, literal{text: text, line: line, place: place, before: before, isHTML: isHTML})
}

// code reads up to the brace that closes an expression, or the end.
func (s *scanner) code(isHTML bool) {
	for depth := 0; s.at < len(s.script); s.at++ {
		rest, before := s.script[s.at:], s.script[:s.at]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "//"):
			s.at += strings.IndexByte(rest+"\n", '\n')
		case c == '"':
			end := 1
			for ; rest[end] != '"'; end++ {
				if rest[end] == '\\' {
					end++
				}
			}
			s.add(rest[1:end], "string", before, isHTML)
			s.at += end
		case c == '`':
			s.at++
			s.template(beforeTag.MatchString(before))
		case c == '/' && regular.MatchString(before[strings.LastIndexByte(before, '\n')+1:]):
			s.at += max(len(pattern.FindString(rest)), 1) - 1
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth < 0 {
				return
			}
		}
	}
}

// template reads a template up to its end.
func (s *scanner) template(isHTML bool) {
	markup := "" // what the template holds so far
	for s.at < len(s.script) {
		rest := s.script[s.at:]
		end := strings.IndexAny(rest, "`$\\")
		chunk := rest[:end]
		if isHTML {
			s.markup(&markup, chunk)
		} else if chunk != "" {
			s.add(chunk, "template", "", false)
		}
		s.at += end
		switch {
		case rest[end] == '`':
			return
		case strings.HasPrefix(rest[end:], "${"):
			s.at += 2
			s.code(isHTML)
			s.at++
			markup += "$"
		default:
			s.at++
		}
	}
}

// markup adds what a piece of HTML shows.
func (s *scanner) markup(before *string, chunk string) {
	shown := ""
	for _, c := range chunk {
		inTag := strings.LastIndexByte(*before, '<') > strings.LastIndexByte(*before, '>')
		*before += string(c)
		switch {
		case !inTag && c != '<':
			shown += string(c)
		case inTag && speaking.MatchString(*before):
			shown += string(c)
		default:
			if word.MatchString(shown) {
				s.add(shown, "text", "", true)
			}
			shown = ""
		}
	}
	if word.MatchString(shown) {
		s.add(shown, "text", "", true)
	}
}

// unread are texts that are not the console's own words: names of keys and headers, an example,
// and an English name that the palette also finds.
var unread = []string{"Accept", "Authorization", "Backspace", "Basic ", "End", "Enter", "Escape", "Home", "Tab", "Ctrl K", " (Ctrl+K)", "HTML", "New ", "\"https://…"}

// TestE12_NoLiteralText: the console shows no text of its own but through t. The words of
// papers are texts of the shop, in the language of the order.
func TestE12_NoLiteralText(t *testing.T) {
	known, all := console.Words(), 0
	for name, script := range scripts(t) {
		if name == "assets/staff/print.js" {
			continue
		}
		for _, l := range literalsOf(script) {
			all++
			isTranslated := strings.HasSuffix(l.before, "t(") || slices.Contains(known, l.text) && !l.isHTML
			if !l.isText() || isTranslated || slices.Contains(unread, l.text) {
				continue
			}
			t.Errorf("%s:%d: %q does not go through t", name, l.line, l.text)
		}
	}
	if all < 2000 {
		t.Errorf("found %d literals: the search for them is broken", all)
	}
}

// TestLiterals: the search for texts finds each that a script could show.
func TestLiterals(t *testing.T) {
	for script, want := range map[string]string{
		"html`<p>Not shown</p>`":                                                 "Not shown",
		"html`<p class=\"big\">${n} left</p>`":                                   " left",
		"html`<p>${isOn ? \"Yes\" : t(\"No\")}</p>`":                             "Yes",
		"html`<p>${list.map((x) => html`<b>Deep ${x}</b>`)}</p>`":                "Deep ",
		"html`<ul aria-label=\"Sums of ${n}\"></ul>`":                            "\"Sums of ",
		"html`<input placeholder=\"Name\">`":                                     "\"Name",
		"notice(`${n} were refused`)":                                            " were refused",
		"new Refused(0, { message: \"It failed.\" })":                            "It failed.",
		"x.replace(/[\"`]/g, y); notice(\"It failed.\")":                         "It failed.",
		"// Said to \"Nobody here\"\nf({ a: \"one\" }, `b-${c}`)":                "",
		"html`<p class=\"a b\" title=${t(\"Title of it\")}>${t(\"Words\")}</p>`": "",
	} {
		got := ""
		for _, l := range literalsOf(script) {
			if l.isText() && !strings.HasSuffix(l.before, "t(") {
				got += l.text
			}
		}
		if got != want {
			t.Errorf("%s has the texts %q, want %q", script, got, want)
		}
	}
}
