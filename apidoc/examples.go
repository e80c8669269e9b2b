package apidoc

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/swaggest/openapi-go/openapi31"
)

// demoObjects are GET responses from the demo of examples/shop, by entity.
// TestDemo_Examples there writes the file.
//
//go:embed examples.json
var demoObjects []byte

var readDemoObjects = sync.OnceValue(func() (objects map[string]any) {
	if err := json.Unmarshal(demoObjects, &objects); err != nil {
		panic(err) // the test reads it too
	}
	return objects
})

// objectContent returns the body of GET of one object, with an example for the library's
// entities.
func (e *endpoint) objectContent() map[string]openapi31.MediaType {
	body := content(ref(e.name + "Object"))
	example, ok := readDemoObjects()[e.Name]
	if !ok || e.OnlyHere || !isLibrarys(e.Object) {
		return body
	}
	media := body["application/json"]
	media.Examples = map[string]openapi31.ExampleOrReference{"demo": e.addExample(e.name, example)}
	body["application/json"] = media
	return body
}
