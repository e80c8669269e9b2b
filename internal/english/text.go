package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// text is a comment, or a paragraph of a document.
type text struct {
	line int // its first line in the file, from 1
	body string
}

// phrase is a phrase to avoid.
type phrase struct {
	name    string
	pattern *regexp.Regexp
	except  *regexp.Regexp // a match of pattern that this matches too is plain; nil for none
}

var phrases = []phrase{
	{"what-of", words(`what of`), nil},
	{"is-no", words(`(?:there )?(?:is|are|was|were|be) no \w+`), words(`there .*|.* no (?:longer|more|need|doubt|other)`)},
	{"that-there-is", words(`that there (?:is|are|was|were)`), nil},
	{"those-of", words(`those (?:of|that|who|whose|which|it|its|a|the|in|on|with|for|to)`), nil},
	{"stands", words(`(?:stands?|stood|standing)`), nil},
	{"tells", words(`(?:tells?|told|telling)`), nil},
	{"one-that", words(`one (?:that|who|whom|which)`), nil},
	{"what-is", words(`what (?:is|was|are|were|goes|comes|follows|has|had|came|went)`), nil},
}

// words matches whole words, in any case, over the end of a line.
func words(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b` + strings.ReplaceAll(pattern, " ", `\s+`) + `\b`)
}

var (
	word   = regexp.MustCompile(`\pL[\pL'’]*`)
	quoted = regexp.MustCompile("`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”")
)

type found struct {
	name  string
	line  int
	words string
}

// plain is the text without quotations, which are names, code and the interface's words.
func (t text) plain() string {
	return quoted.ReplaceAllStringFunc(t.body, func(q string) string { return strings.Repeat("#", len(q)) })
}

func (t text) words() int { return len(word.FindAllString(t.plain(), -1)) }

// find returns the phrases of a text, by kind.
func (t text) find() (fs []found) {
	plain := t.plain()
	for _, p := range phrases {
		for _, at := range p.pattern.FindAllStringIndex(plain, -1) {
			match := plain[at[0]:at[1]]
			if p.except != nil && p.except.FindString(match) == match {
				continue
			}
			fs = append(fs, found{p.name, t.line + strings.Count(plain[:at[0]], "\n"), strings.Join(strings.Fields(match), " ")})
		}
	}
	return fs
}

func (t text) print(w io.Writer, path string) {
	lines := strings.Split(t.body, "\n")
	for _, f := range t.find() {
		fmt.Fprintf(w, "%s:%d: %s: %s\n", path, f.line, f.words, strings.TrimSpace(lines[f.line-t.line]))
	}
}

// read returns the comments of a Go file and the paragraphs of a Markdown file, and
// nothing of another file.
func read(path string) ([]text, error) {
	switch filepath.Ext(path) {
	case ".go":
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return comments(path, data)
	case ".md":
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return paragraphs(string(data)), nil
	}
	return nil, nil
}

func comments(path string, source []byte) ([]text, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var texts []text
	for _, group := range file.Comments {
		var lines []string
		for _, c := range group.List {
			body, directive := strings.CutPrefix(c.Text, "//go:")
			switch {
			case directive:
				body = ""
			case strings.HasPrefix(body, "//\t"): // code in a comment
				body = ""
			}
			lines = append(lines, strings.Trim(body, "/*"))
		}
		texts = append(texts, text{set.Position(group.Pos()).Line, strings.Join(lines, "\n")})
	}
	return texts, nil
}

func paragraphs(document string) (texts []text) {
	var lines []string
	first, code := 1, false
	flush := func(next int) {
		if len(lines) > 0 {
			texts = append(texts, text{first, strings.Join(lines, "\n")})
		}
		lines, first = nil, next
	}
	for i, line := range strings.Split(document, "\n") {
		if fence := strings.HasPrefix(strings.TrimSpace(line), "```"); fence || code || strings.TrimSpace(line) == "" {
			code = code != fence
			flush(i + 2)
			continue
		}
		lines = append(lines, line)
	}
	flush(0)
	return texts
}
