package files

import (
	"context"
	"io"
	"net/url"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
)

// ExportOptions say what [Export] writes. The zero value and nil write JSON lines.
type ExportOptions struct {
	bulk.ExportOptions

	// Languages are the codes of languages. Where Fields is nil, each translated field is
	// written in each of them, as product@de: the text of that language alone.
	Languages []string
}

// Export writes all objects of an entity, in the order of their ids: whole ones unless
// Fields says otherwise. Without a filter the parents of orders are among the orders. It takes the
// same memory for any number of objects. It acts for the user of ctx, and returns the errors of
// [bulk.Export].
func Export(ctx context.Context, w io.Writer, api *shopapi.API, entity string, o *ExportOptions) error {
	if o == nil {
		o = &ExportOptions{}
	}
	export := o.ExportOptions
	if entity == "orders" && export.Filter == nil {
		export.Filter = url.Values{"include_parent_orders": {"Y"}} // which a list has only on request
	}
	if export.Fields == nil {
		export.Fields = wholeFields(api, entity, shopapi.UserFrom(ctx), o.Languages)
	}
	return bulk.Export(ctx, w, api, entity, &export)
}

// wholeFields are the fields of whole objects that a user sees, with their texts in each language.
func wholeFields(api *shopapi.API, entity string, user *shopapi.User, languages []string) []string {
	fields := []string{"*"}
	for _, d := range api.Descriptions() {
		if d.Name != entity {
			continue
		}
		fields = append(fields, d.InFiles...)
		translated := slices.Clone(d.Translated)
		for _, l := range d.TranslatedLists {
			translated = append(translated, l.Name)
		}
		for _, f := range shopapi.CustomFieldsFor(user, d.Custom) {
			if f.Translated {
				translated = append(translated, f.Name)
			}
		}
		for _, field := range translated {
			for _, code := range languages {
				fields = append(fields, shopapi.TextField{Field: field, Language: code}.Name())
			}
		}
	}
	return fields
}
