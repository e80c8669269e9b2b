package apidoc_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write fieldtexts.json anew")

// TestFieldTexts: the descriptions of fields equal the comments in the code.
func TestFieldTexts(t *testing.T) {
	texts := map[string]string{}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../extensions/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(append(files, more...), "../request.go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name == "main" {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					addTexts(texts, file.Name.Name+"."+spec.Name.Name, s)
				}
			}
			return true
		})
	}
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(texts); err != nil {
		t.Fatal(err)
	}
	const name = "fieldtexts.json"
	if *update {
		if err := os.WriteFile(name, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("%s is not what the comments say: go test ./apidoc -run TestFieldTexts -update writes it (-comments +file):\n%s", name, diff)
	}
}

// addTexts adds the comments on the fields of a struct that are on the wire.
func addTexts(texts map[string]string, name string, s *ast.StructType) {
	wire := map[string]string{}
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			continue
		}
		json, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		for _, n := range f.Names {
			if json != "" && json != "-" {
				wire[n.Name] = json
			}
		}
	}
	for _, f := range s.Fields.List {
		comment := f.Comment.Text()
		if comment == "" {
			comment = f.Doc.Text()
		}
		for _, n := range f.Names {
			if text := sentence(comment, wire); text != "" && wire[n.Name] != "" {
				texts[name+"."+n.Name] = text
			}
		}
	}
}

var (
	words   = regexp.MustCompile(`[A-Za-z]+`)
	ofGo    = regexp.MustCompile(`\b[A-Z][a-z]+[A-Z]|\b[a-z]+\.[A-Z]`) // names of constants and the like
	goLink  = regexp.MustCompile(`\[\*?[A-Za-z]`)
	null    = regexp.MustCompile(`\bnil\b`)
	section = regexp.MustCompile(`\s*\((decisions )?§[^)]*\)`)
)

// sentence returns a comment with the wire's names of fields, or "" if it is about Go.
func sentence(comment string, wire map[string]string) string {
	text := section.ReplaceAllString(strings.Join(strings.Fields(comment), " "), "")
	text = words.ReplaceAllStringFunc(text, func(word string) string {
		if name, ok := wire[word]; ok && word != strings.ToLower(word) && strings.ContainsAny(word[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			return name
		}
		return word
	})
	text = null.ReplaceAllString(text, "null")
	if text == "" || goLink.MatchString(text) || ofGo.MatchString(text) {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	if name, _, _ := strings.Cut(text, " "); !strings.Contains(name, "_") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	return strings.TrimSuffix(text, ".") + "."
}
