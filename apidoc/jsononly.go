package apidoc

import (
	"maps"

	"github.com/swaggest/openapi-go/openapi31"
)

const jsonType = "application/json"

// onlyJSON removes the other formats of bodies that may be JSON.
func onlyJSON(spec *openapi31.Spec) {
	for _, item := range spec.Paths.MapOfPathItemValues {
		for _, o := range []*openapi31.Operation{item.Get, item.Put, item.Post, item.Delete} {
			if o == nil {
				continue
			}
			if o.RequestBody != nil && o.RequestBody.RequestBody != nil {
				leaveJSON(o.RequestBody.RequestBody.Content)
			}
			if o.Responses != nil {
				leaveJSONOf(o.Responses.MapOfResponseOrReferenceValues)
			}
		}
	}
	leaveJSONOf(spec.Components.Responses)
}

func leaveJSONOf(responses map[string]openapi31.ResponseOrReference) {
	for _, r := range responses {
		if r.Response != nil {
			leaveJSON(r.Response.Content)
		}
	}
}

func leaveJSON(content map[string]openapi31.MediaType) {
	if _, ok := content[jsonType]; ok {
		maps.DeleteFunc(content, func(format string, _ openapi31.MediaType) bool { return format != jsonType })
	}
}
