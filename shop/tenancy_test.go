package shop_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// Two companies have the same objects. The texts of the other company's objects contain
// othersMark.
const (
	ownCompany, otherCompany = "2", "3"
	othersMark               = "Zanzibar"
)

// ofACompany are payloads of objects that belong to one company, in the order in which they
// refer to one another. MARK and COMPANY are replaced, STOREFRONT where storefronts are the
// companies, and the name of an entity in braces by the id of the company's object.
var ofACompany = []struct{ name, idField, payload string }{
	{"categories", "category_id", `{"category": "MARK cups", "company_id": COMPANY}`},
	{"features", "feature_id", `{"description": "MARK glaze", "feature_type": "S", "company_id": COMPANY, "purpose": "group_catalog_item", "variants": [{"variant": "MARK matt"}, {"variant": "MARK gloss"}]}`},
	{"products", "product_id", `{"product": "MARK mug", "product_code": "MARK-1", "category_ids": [{categories}], "company_id": COMPANY, "price": "77.31", "status": "D", "amount": 50}`},
	{"options", "option_id", `{"product_id": {products}, "option_name": "MARK size", "company_id": COMPANY, "variants": [{"variant_name": "MARK S"}]}`},
	{"exceptions", "exception_id", `{"product_id": {products}, "combination": {"{options}": -1}}`},
	{"discussions", "post_id", `{"object_type": "P", "object_id": {products}, "message": "MARK post", "name": "MARK"}`},
	{"call_requests", "request_id", `{"phone": "MARK", "company_id": COMPANY, "product_id": {products}}`},
	{"users", "user_id", `{"email": "MARK@example.org", "user_type": "C", "firstname": "MARK", "company_id": COMPANY}`},
	{"pages", "page_id", `{"page": "MARK page", "page_type": "T", "company_id": COMPANY}`},
	{"payments", "payment_id", `{"payment": "Invoice", "company_id": STOREFRONT}`},
	{"shippings", "shipping_id", `{"shipping": "Courier", "company_id": STOREFRONT, "rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": 5}}}}]}`},
	{"blocks", "block_id", `{"type": "html_block", "name": "MARK footer", "company_id": COMPANY, "properties": {"template": "MARK.tpl"}}`},
	{"orders", "order_id", `{"user_id": {users}, "company_id": COMPANY, "notes": "MARK", "payment_id": {payments}, "shipping_id": {shippings}, "products": {"{products}": {"amount": 1}}}`},
}

// TestTenancy_NoPayloadReachesAnotherCompany: whatever id of another company's object a
// payload names, in whatever field, no response contains a text of that company, and its
// objects stay as they are (decisions §11). Entities and fields come from the descriptions.
func TestTenancy_NoPayloadReachesAnotherCompany(t *testing.T) {
	for name, edition := range map[string]shopapi.Edition{"vendors": shopapi.MultiVendor, "storefronts": shopapi.MultiStorefront} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewWithStore(t, memory.New(), &shop.Options{Options: shopapi.Options{Edition: edition}})
			var privileges []string
			for _, d := range s.Descriptions() {
				privileges = append(privileges, d.Privileges.View, d.Privileges.Manage)
			}
			slices.Sort(privileges)
			user := s.UserOf(2, slices.Compact(privileges)...)
			s.UserOf(3)
			ids := map[string]map[string]string{}
			ids[ownCompany] = companyObjects(t, s, edition, ownCompany, "Own")
			ids[otherCompany] = companyObjects(t, s, edition, otherCompany, othersMark)
			a := &tenancyAttack{T: t, user: user, own: ids[ownCompany], others: ids[otherCompany]}
			before := a.others.read(s.Client)
			for _, d := range s.Descriptions() {
				a.run(d, referenceFields(s.Descriptions()))
			}
			if a.accepted < 20 {
				t.Errorf("only %d of %d requests were accepted: the attack has no aim", a.accepted, a.sent)
			}
			for address, had := range before {
				if has := s.Get(address).Body; has != had {
					t.Errorf("%s of the other company was %s, and is %s", address, had, has)
				}
			}
			t.Logf("%d requests, %d of which were accepted", a.sent, a.accepted)
		})
	}
}

// objectIDs are the ids of the objects of a company, by entity.
type objectIDs map[string]string

// companyObjects creates the objects of a company.
func companyObjects(t *testing.T, s *apitest.Shop, edition shopapi.Edition, company, mark string) objectIDs {
	t.Helper()
	ids := objectIDs{}
	storefront := company
	if edition == shopapi.MultiVendor {
		storefront = "0"
	}
	for _, e := range ofACompany {
		answer := s.Post("/api/2.0/"+e.name, ids.fill(strings.ReplaceAll(e.payload, "STOREFRONT", storefront), company, mark))
		if answer.Status != 201 {
			t.Fatalf("POST %s: %d %s", e.name, answer.Status, answer.Body)
		}
		ids[e.name] = answer.Field(e.idField)
	}
	return ids
}

// fill replaces the placeholders of a payload.
func (ids objectIDs) fill(payload, company, mark string) string {
	pairs := []string{"MARK", mark, "COMPANY", company}
	for name, id := range ids {
		pairs = append(pairs, "{"+name+"}", id)
	}
	return strings.NewReplacer(pairs...).Replace(payload)
}

// read returns the responses to GET of the objects, by address.
func (ids objectIDs) read(c *apitest.Client) map[string]string {
	read := map[string]string{}
	for name, id := range ids {
		address := "/api/2.0/" + name + "/" + id
		read[address] = c.Get(address).Body
	}
	return read
}

// referenceFields are the names of all fields with a number that may be an id.
func referenceFields(list []shopapi.Description) []string {
	names := map[string]bool{}
	for _, d := range list {
		for _, f := range payloadFields(d) {
			if f.kind == reflect.Int64 && strings.HasSuffix(f.name, "_id") {
				names[f.name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

type payloadField struct {
	name string
	kind reflect.Kind
}

// payloadFields are the fields of an entity's payload that may name objects: numbers and
// composite values.
func payloadFields(d shopapi.Description) (fields []payloadField) {
	t := d.Payload
	if t == nil {
		t = d.Object
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range structfields.Of(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		of := f.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch of.Kind() {
		case reflect.Int64:
			fields = append(fields, payloadField{name, reflect.Int64})
		case reflect.Slice, reflect.Map, reflect.Struct, reflect.Interface:
			if of.String() != "decimal.Decimal" {
				fields = append(fields, payloadField{name, of.Kind()})
			}
		}
	}
	// Not all fields are in the types: these are read by the entities themselves.
	for _, name := range []string{"products", "cart_products", "product_ids", "category_ids", "product_features", "usergroup_ids", "tax_ids", "product_options"} {
		if !slices.ContainsFunc(fields, func(f payloadField) bool { return f.name == name }) {
			fields = append(fields, payloadField{name, reflect.Map})
		}
	}
	return fields
}

// A tenancyAttack sends requests of a user of one company with ids of another company.
type tenancyAttack struct {
	*testing.T
	user           *apitest.Client
	own, others    objectIDs
	sent, accepted int
}

// run sends each id of the other company in each field of an entity.
func (a *tenancyAttack) run(d shopapi.Description, references []string) {
	base := "{}"
	for _, e := range ofACompany {
		if e.name == d.Name {
			base = a.own.fill(strings.ReplaceAll(e.payload, "STOREFRONT", ownCompany), ownCompany, "Own")
		}
	}
	numbers := slices.Compact(slices.Sorted(maps.Values(a.others)))
	for _, f := range payloadFields(d) {
		for _, id := range numbers {
			for _, value := range valuesNaming(f, id, references) {
				member := fmt.Sprintf("%q: %s", f.name, value)
				if slices.Contains(d.Operations, shopapi.OpCreate) || d.Operations == nil {
					payload := strings.TrimSuffix(base, "}") + ", " + member + "}"
					a.send("POST", d, "", strings.Replace(payload, "{, ", "{", 1))
				}
				target := a.own[d.Name]
				if d.Name == "carts" {
					target = a.own["users"]
				}
				if target != "" {
					a.send("PUT", d, target, "{"+member+"}")
				}
			}
		}
	}
}

// valuesNaming are the forms in which a field may name an id.
func valuesNaming(f payloadField, id string, references []string) []string {
	if f.kind == reflect.Int64 {
		return []string{id}
	}
	var object strings.Builder
	object.WriteString(`{"amount": 1`)
	for _, name := range references {
		fmt.Fprintf(&object, `, %q: %s`, name, id)
	}
	object.WriteString("}")
	return []string{
		"[" + id + "]",
		fmt.Sprintf(`{"%s": %[1]s}`, id),
		fmt.Sprintf(`{"%s": {"amount": 1}}`, id),
		fmt.Sprintf(`[{"product_id": %s, "amount": 1}]`, id),
		"[" + object.String() + "]",
	}
}

// send sends a request and then reads what it made or changed.
func (a *tenancyAttack) send(method string, d shopapi.Description, id, payload string) {
	a.Helper()
	address := "/api/2.0/" + d.Name
	if id != "" {
		address += "/" + id
	}
	answer := a.user.Do(method, address, "application/json", payload)
	a.sent++
	a.clean(method+" "+address+" "+payload, answer)
	if answer.Status >= 300 {
		return
	}
	a.accepted++
	if id == "" {
		address += "/" + answer.Field(d.IDField)
	}
	a.clean("GET after "+method+" "+address+" "+payload, a.user.Get(address))
}

// clean checks that a response contains nothing of the other company.
func (a *tenancyAttack) clean(what string, answer *apitest.Answer) {
	a.Helper()
	if strings.Contains(strings.ToLower(answer.Body), strings.ToLower(othersMark)) || strings.Contains(answer.Body, `"company_id":"3"`) {
		a.Errorf("%.300s: %d %.600s", what, answer.Status, answer.Body)
	}
	if answer.Status >= 500 {
		a.Errorf("%.300s: %d %.600s", what, answer.Status, answer.Body)
	}
}
