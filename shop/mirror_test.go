package shop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
)

// mirrored are the entities of a mirror with the names of their ids.
var mirrored = map[string]string{
	"categories": "category_id", "products": "product_id", "pages": "page_id", "users": "user_id", "usergroups": "usergroup_id",
	"discussions": "post_id", "taxes": "tax_id", "payments": "payment_id", "shippings": "shipping_id", "orders": "order_id",
	"shipments": "shipment_id", "features": "feature_id", "options": "option_id", "exceptions": "exception_id",
	"combinations": "combination_hash", "statuses": "status_id", "blocks": "block_id", "call_requests": "request_id",
	"languages": "lang_id", "langvars": "name", "carts": "user_id", "product_variations_groups": "id",
	"vendors": "company_id", "stores": "company_id", "master_products": "product_id", "settings": "object_id",
}

// ofProducts are the entities whose lists are of one product.
var ofProducts = []string{"options", "exceptions", "combinations"}

// belowOf are the entities without addresses of their own that a mirror follows, by the entity
// above them.
var belowOf = map[string]string{"users": "usergroups", "products": "product_features"}

// computed are the fields of objects whose changes do not count as changes of the object, by
// entity (docs/changes.md has this list).
var computed = map[string][]string{
	"categories":      {"product_count"},
	"products":        computedOfProducts,
	"master_products": append(computedOfProducts, "master_product_offers_count"),
	"users":           {"company_name", "usergroups"},
	"call_requests":   {"product", "order_status"},
	"carts":           {"firstname", "lastname", "email", "phone", "user_data", "total", "products"},
}

var computedOfProducts = []string{"product_features", "sales_amount", "seo_path", "average_rating", "discussion_type", "popularity",
	"product_options", "has_options", "variation_features", "variation_group_code", "variation_parent_product_id",
	"variation_sub_group_id", "variation_feature_ids", "variation_feature_collection", "variation_name", "variation_features_variants"}

// readElsewhere are the fields in parts of objects that are read from other objects, by entity.
var readElsewhere = map[string][]string{
	"orders":                    {"deleted_product", "is_accessible"},
	"product_variations_groups": {"feature_values", "company_id"},
}

// ofFeatures are the fields of the value of a feature that are read from the feature.
var ofFeatures = []string{"description", "internal_name", "display_on_catalog", "display_on_header", "display_on_product", "features_hash",
	"feature_code", "feature_type", "parent_id", "prefix", "suffix", "purpose", "variant", "variants", "position"}

// A mirror follows the log as a user, and has what GET of each changed object answered.
type mirror struct {
	*apitest.Client
	name    string
	objects map[string]string // by entity/id, and by entity/id/entity of objects below
	last    map[string]string // the last operation that it received, by entity/id
	every   map[string]bool   // entities that it was told to read again
	cursor  string
}

func newMirror(t *testing.T, name string, c *apitest.Client) *mirror {
	return &mirror{c.In(t), name, map[string]string{}, map[string]string{}, map[string]bool{}, ""}
}

// read stores an object without its computed fields, and the objects below it. It stores nothing
// where the user sees no such object.
func (m *mirror) read(entity, id string) {
	at := entity + "/" + id
	m.forget(at)
	a := m.Get("/api/2.0/" + at)
	if a.Status != http.StatusOK {
		return
	}
	var object map[string]any
	a.Decode(&object)
	if child := belowOf[entity]; child == "product_features" {
		m.objects[at+"/"+child] = m.text(without(object[child], ofFeatures))
	} else if child != "" {
		m.objects[at+"/"+child] = m.Get("/api/2.0/" + at + "/" + child).Body
	}
	for _, field := range computed[entity] {
		delete(object, field)
	}
	without(object, readElsewhere[entity])
	m.objects[at] = m.text(object)
}

// without removes fields from an object and from all objects in it.
func without(value any, fields []string) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if slices.Contains(fields, name) {
				delete(value, name)
			} else {
				without(inner, fields)
			}
		}
	case []any:
		for _, inner := range value {
			without(inner, fields)
		}
	}
	return value
}

func (m *mirror) forget(at string) {
	delete(m.objects, at)
	entity, _, _ := strings.Cut(at, "/")
	delete(m.objects, at+"/"+belowOf[entity])
}

func (m *mirror) text(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		m.T.Error(err)
	}
	return string(text)
}

// list returns the ids of all objects that the user of the mirror sees, none of an entity
// that the user may not list.
func (m *mirror) list(entity string) (ids []string) {
	if !slices.Contains(ofProducts, entity) {
		return m.listAt(entity, "")
	}
	for _, product := range m.list("products") {
		ids = append(ids, m.listAt(entity, "&product_id="+product)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (m *mirror) listAt(entity, query string) (ids []string) {
	if entity == "orders" {
		query = "&include_parent_orders=Y"
	}
	a := m.Get("/api/2.0/" + entity + "?items_per_page=1000&page=1" + query)
	if a.Status != http.StatusOK {
		return nil
	}
	var list any
	a.Decode(&list)
	if envelope, ok := list.(map[string]any); ok && envelope["params"] != nil {
		delete(envelope, "params")
		for _, list = range envelope {
		}
	}
	var objects []any
	switch list := list.(type) {
	case []any:
		objects = list
	case map[string]any:
		objects = slices.Collect(maps.Values(list))
	}
	for _, object := range objects {
		if fields, ok := object.(map[string]any); ok && fields[mirrored[entity]] != nil {
			ids = append(ids, fmt.Sprint(fields[mirrored[entity]]))
		}
	}
	return ids
}

// apply brings the mirror up to date with a change.
func (m *mirror) apply(c *changes.Change) {
	m.cursor = c.Seq
	if c.ID == changes.Every {
		m.applyEvery(c.Entity)
		return
	}
	if c.Parent != nil && belowOf[c.Parent.Entity] == c.Entity {
		m.read(c.Parent.Entity, c.Parent.ID)
		return
	}
	if mirrored[c.Entity] == "" {
		return
	}
	at := c.Entity + "/" + c.ID
	if c.Op == changes.Deleted {
		if m.last[at] == "" && m.objects[at] == "" && !m.every[c.Entity] {
			m.T.Errorf("E4: %s is told that %s is deleted, which %[1]s never saw", m.name, at)
		}
		m.forget(at)
	} else {
		m.read(c.Entity, c.ID)
	}
	m.last[at] = c.Op
}

// applyEvery brings the mirror up to date with a change of many objects of an entity, or of many
// below objects.
func (m *mirror) applyEvery(entity string) {
	m.every[entity] = true
	maps.DeleteFunc(m.last, func(at, _ string) bool { return strings.HasPrefix(at, entity+"/") })
	for parent, child := range belowOf {
		if child == entity {
			m.fill(parent)
		}
	}
	if mirrored[entity] != "" {
		m.fill(entity)
	}
}

// fill reads an entity whole.
func (m *mirror) fill(entity string) {
	for at := range m.objects {
		if strings.HasPrefix(at, entity+"/") {
			delete(m.objects, at)
		}
	}
	for _, id := range m.list(entity) {
		m.read(entity, id)
	}
}

// start gets the position and then reads the shop.
func (m *mirror) start() {
	m.cursor = m.position()
	for entity := range mirrored {
		m.fill(entity)
	}
}

func (m *mirror) position() string { return m.Get("/api/2.0/changes?since=now").Field("last_seq") }

// page reads the changes after the cursor, which it stores once they are applied.
func (m *mirror) page(query string) {
	a := m.Get("/api/2.0/changes?since=" + m.cursor + query)
	var sent struct {
		Changes []changes.Change
		LastSeq string `json:"last_seq"`
	}
	if a.Status != http.StatusOK {
		m.T.Errorf("%s: %d %s", m.name, a.Status, a.Body)
		return
	}
	a.Decode(&sent)
	for i := range sent.Changes {
		m.apply(&sent.Changes[i])
	}
	m.cursor = sent.LastSeq
}

// pages follows by requests with a query until the cursor is at the position that end
// says, once it says one.
func (m *mirror) pages(query string, end func() string) {
	for {
		last := end()
		m.page(query)
		if m.cursor == last || m.T.Failed() {
			return
		}
	}
}

// stream follows by event streams, each of which it leaves after some events. A process that serves
// them may be killed if it breaks.
func (m *mirror) stream(ctx context.Context, address func() string, breaks bool, end func() string) {
	for !m.T.Failed() && m.cursor != end() {
		if err := m.someEvents(ctx, address(), end); err != nil && !breaks {
			m.T.Error(err)
		}
	}
}

func (m *mirror) someEvents(ctx context.Context, address string, end func() string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", address+"/api/2.0/changes", nil)
	if err != nil {
		return err
	}
	req.SetBasicAuth(m.Email, m.Key)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-Id", m.cursor)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("a stream is answered %s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for events := 0; events < 12 && m.cursor != end() && lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var c changes.Change
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			return err
		}
		m.apply(&c)
		events++
	}
	return nil
}

// compare compares the mirror with the objects that its user sees now, and the last operation
// of each object with whether the user sees it.
func (m *mirror) compare(truth *mirror) {
	if diff := cmp.Diff(truth.objects, m.objects); diff != "" {
		m.T.Errorf("E4: what %s was told makes another shop (-shop +mirror):\n%s", m.name, diff)
	}
	for at, op := range m.last {
		if _, sees := truth.objects[at]; sees != (op != changes.Deleted) {
			m.T.Errorf("E4: %s was told that %s was %s, and sees it: %v", m.name, at, op, sees)
		}
	}
}
