package peer

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/rs/rest-layer/resource"
	"github.com/rs/rest-layer/rest"
	"github.com/rs/rest-layer/schema"

	"github.com/shopapi/shopapi/bench/internal/data"
)

// openRESTLayer opens a rest-layer over a map. It has no authentication of its own:
// credentials are checked as in the floor.
func openRESTLayer(ctx context.Context, c Config) (*server, error) {
	index := resource.NewIndex()
	resource.LoggerLevel = resource.LogLevelFatal
	conf := resource.Conf{
		AllowedModes: []resource.Mode{resource.Create, resource.Read, resource.Update, resource.List},
		ForceTotal:   resource.TotalAlways,
	}
	for name, row := range map[string]func(i int) any{
		"categories":  func(i int) any { c := data.Category(i); return &c },
		"discussions": func(i int) any { r := data.Review(i, c.Rows); return &r },
	} {
		m := newRows(name == "discussions")
		fields := schema.Fields{}
		for i := 1; i <= c.Rows; i++ {
			payload, err := payloadOf(row(i), i)
			if err != nil {
				return nil, err
			}
			if i == 1 {
				addFields(fields, payload, c.Rows)
			}
			item, err := resource.NewItem(payload)
			if err != nil {
				return nil, err
			}
			if err := m.Insert(ctx, []*resource.Item{item}); err != nil {
				return nil, err
			}
		}
		index.Bind(name, schema.Schema{Fields: fields}, m, conf)
	}
	api, err := rest.NewHandler(index)
	if err != nil {
		return nil, err
	}
	handler := checked(http.StripPrefix("/api/", api))
	return &server{handler, basic(), func() error { return nil }}, nil
}

// payloadOf returns a row in the form of rest-layer: the members of its JSON, the key as
// id.
func payloadOf(row any, id int) (map[string]any, error) {
	text, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	var payload map[string]any
	if err := json.Unmarshal(text, &payload); err != nil {
		return nil, err
	}
	delete(payload, "category_id")
	delete(payload, "post_id")
	payload["id"] = strconv.Itoa(id)
	return payload, nil
}

// addFields describes the members of a payload.
func addFields(fields schema.Fields, payload map[string]any, rows int) {
	for name, value := range payload {
		field := schema.Field{Filterable: true, Sortable: true, Validator: &schema.String{}}
		if _, ok := value.([]any); ok {
			field.Validator = &schema.Array{}
		}
		if name == "id" {
			var created atomic.Int64
			field.OnInit = func(context.Context, any) any { return strconv.FormatInt(int64(rows)+created.Add(1), 10) }
		}
		fields[name] = field
	}
}
