package apidoc

import (
	_ "embed"
	"encoding/json"
	"path"
	"reflect"
	"strings"
	"sync"
)

// fieldTexts are the comments on the fields of the library's structs, by package, type
// and field, such as "products.Summary.Price": the description of a field stands beside
// it in the code and nowhere else. TestFieldTexts writes the file.
//
//go:embed fieldtexts.json
var fieldTexts []byte

var readFieldTexts = sync.OnceValue(func() (texts map[string]string) {
	if err := json.Unmarshal(fieldTexts, &texts); err != nil {
		panic(err) // the test reads it too
	}
	return texts
})

const modulePath = "github.com/shopapi/shopapi"

// isLibrarys reports whether a type is one of the library's, and none of a host's.
func isLibrarys(t reflect.Type) bool {
	return t != nil && (t.PkgPath() == modulePath || strings.HasPrefix(t.PkgPath(), modulePath+"/"))
}

// textOf is what the code says of a member, "" where it says nothing.
func textOf(m member) string {
	if !isLibrarys(m.in) {
		return ""
	}
	return readFieldTexts()[path.Base(m.in.PkgPath())+"."+m.in.Name()+"."+m.field.Name]
}

// described is a schema with a text before what it says itself.
func described(s schema, text string) schema {
	if text == "" {
		return s
	}
	if own, ok := s["description"].(string); ok {
		text += " " + own
	}
	return with(s, "description", text)
}
