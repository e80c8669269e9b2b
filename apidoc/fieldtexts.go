package apidoc

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"path"
	"reflect"
	"strings"
	"sync"
)

// fieldTexts are the comments on the fields of the library's structs, by package, type
// and field, such as "products.Summary.Price": they are the descriptions of the fields.
// TestFieldTexts writes the file.
//
//go:embed fieldtexts.json
var fieldTexts []byte

var readFieldTexts = textsIn(&fieldTexts)

// glossary has the descriptions of fields without a comment: by the name on the wire, or
// by package and name if the meaning differs there.
//
//go:embed glossary.json
var glossary []byte

var readGlossary = textsIn(&glossary)

func textsIn(file *[]byte) func() map[string]string {
	return sync.OnceValue(func() (texts map[string]string) {
		if err := json.Unmarshal(*file, &texts); err != nil {
			panic(err) // the tests read them too
		}
		return texts
	})
}

const modulePath = "github.com/shopapi/shopapi"

// isLibrarys reports whether a type is the library's, not a host's.
func isLibrarys(t reflect.Type) bool {
	return t != nil && (t.PkgPath() == modulePath || strings.HasPrefix(t.PkgPath(), modulePath+"/"))
}

// textOf returns the description of a field of the library, "" for other fields.
func textOf(m member) string {
	if !isLibrarys(m.in) {
		return ""
	}
	pkg := path.Base(m.in.PkgPath())
	return cmp.Or(readFieldTexts()[pkg+"."+m.in.Name()+"."+m.field.Name], readGlossary()[pkg+"."+m.name], readGlossary()[m.name])
}

// described returns a schema with a text before its own description.
func described(s schema, text string) schema {
	if text == "" {
		return s
	}
	if own, ok := s["description"].(string); ok {
		text += " " + own
	}
	return with(s, "description", text)
}
