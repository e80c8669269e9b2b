package resource_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store/memory"
)

func containsText(body, text string) bool { return text != "" && strings.Contains(body, text) }

// shopapiText is the part of an error that a client may see.
func shopapiText(err error) string { return strings.TrimSuffix(err.Error(), ".") }

// A host's parent shows exactly the objects that lie below it, for every method; an
// unknown parent is 404, never an unfiltered list.
func TestRelations_Under(t *testing.T) {
	eachStore(t, func(f *fixture) {
		err := f.parts.Under(resource.ByColumn("suppliers", "supplier_id", func(p *part) *int64 { return &p.SupplierID }))
		if err != nil {
			f.Fatal(err)
		}
		if err := f.DeclareParent("suppliers", "parts"); err != nil {
			f.Fatal(err)
		}
		for _, name := range []string{"Ana", "Bo"} {
			f.do("POST", "/api/suppliers", "supplier="+name, 201)
		}
		f.do("POST", "/api/suppliers/1/parts", "part=a", 201)
		f.do("POST", "/api/suppliers/2/parts", "part=b&supplier_id=2", 201)
		f.do("POST", "/api/suppliers/2/parts", "part=c&supplier_id=1", 400)
		f.do("POST", "/api/suppliers/3/parts", "part=d", 404)
		f.do("POST", "/api/parts", "part=e", 201)

		body := f.do("GET", "/api/suppliers/2/parts", "", 200)
		if !strings.Contains(body, `"part":"b"`) || !strings.Contains(body, `"total_items":"1"`) {
			f.Errorf("the parts of supplier 2 are %s", body)
		}
		f.do("GET", "/api/suppliers/2/parts/2", "", 200)
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			f.do(method, "/api/suppliers/2/parts/1", "part=x", 404)
		}
		f.do("PUT", "/api/suppliers/2/parts/2", "supplier_id=1", 400)
		f.do("PUT", "/api/suppliers/2/parts/2", "part=x", 200)
		f.do("GET", "/api/suppliers/3/parts", "", 404)
		f.do("GET", "/api/parts/1/suppliers", "", 404)
		f.do("DELETE", "/api/suppliers/1/parts/1", "", 204)
	})
}

// Under of an API that serves already is refused, and shows no objects below the parent.
func TestRelations_UnderIsRefusedOnceTheAPIServes(t *testing.T) {
	eachStore(t, func(f *fixture) {
		if err := f.DeclareParent("parts", "suppliers"); err != nil {
			f.Fatal(err)
		}
		f.do("POST", "/api/suppliers", "supplier=Ana", 201)
		f.do("POST", "/api/parts", "part=a&supplier_id=1", 201)
		f.do("GET", "/api/suppliers/1/parts", "", 404)
		if err := f.parts.Under(resource.ByColumn("suppliers", "supplier_id", func(p *part) *int64 { return &p.SupplierID })); err == nil {
			f.Error("a parent was added to an API that serves")
		}
		f.do("GET", "/api/suppliers/1/parts", "", 404)
	})
}

// Objects below a parent with AnyCompany are visible to the company that owns the parent,
// whatever their own company; to others they are 404. The filter gets the parents of the
// address.
func TestRelations_AnyCompany(t *testing.T) {
	eachStore(t, func(f *fixture) {
		var above []resource.ParentRef
		p := resource.ByColumn("crates", "supplier_id", func(p *part) *int64 { return &p.SupplierID })
		where := p.Where
		p.AnyCompany = true
		p.Where = func(w *resource.Where, a resource.ParentRef) {
			above = append(above, *w.Above)
			where(w, a)
		}
		if err := f.Register(crates{}); err != nil {
			f.Fatal(err)
		}
		if err := f.parts.Under(p); err != nil {
			f.Fatal(err)
		}
		f.create(part{Name: "a", SupplierID: 7, CompanyID: 3})
		f.create(part{Name: "b", SupplierID: 8, CompanyID: 7})
		f.user = &shopapi.User{ID: 2, Type: shopapi.Vendor, CompanyID: 7, Privileges: map[string]bool{"view_parts": true, "manage_parts": true}}
		f.do("GET", "/api/parts/1", "", 404)
		f.do("GET", "/api/crates/8", "", 200)
		for _, c := range []struct {
			method, address string
			own, other      int
		}{
			{"GET", "/parts", 200, 404}, {"POST", "/parts", 201, 404},
			{"GET", "/parts/1", 200, 404}, {"PUT", "/parts/1", 200, 404}, {"DELETE", "/parts/1", 204, 404},
		} {
			f.do(c.method, "/api/crates/8"+strings.Replace(c.address, "1", "2", 1), "part=x", c.other)
			f.do(c.method, "/api/crates/7"+c.address, "part=x", c.own)
		}
		want := []resource.ParentRef{{Entity: "crates", ID: 7, Data: map[string]string{"company_id": "7"}}}
		if diff := cmp.Diff(want, above); diff != "" {
			f.Errorf("lists below (-want +got):\n%s", diff)
		}
	})
}

// crates are of the company with their number, and shown to everybody.
type crates struct{}

func (crates) Describe() shopapi.Description {
	return shopapi.Description{Name: "crates", IDField: "crate_id", Privileges: shopapi.Privileges{View: "view_parts", Manage: "manage_parts"}}
}

func (crates) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	return map[string]string{"company_id": id}, nil
}

// All iterates over any number of rows, by id, whatever page and order its filter
// has.
func TestAll(t *testing.T) {
	eachStore(t, func(f *fixture) {
		const n = 1203
		list := make([]part, n)
		for i := range list {
			list[i] = part{Name: "p", SupplierID: int64(i % 2)}
		}
		created, err := f.parts.CreateAll(f.Context(), list)
		if err != nil || len(created) != n || created[n-1].PartID != n || created[n-1].CompanyID != 1 {
			f.Fatalf("CreateAll made %d objects, %v", len(created), err)
		}
		if told := f.told(); len(told) != n {
			f.Errorf("the observer was told of %d creations, want %d", len(told), n)
		}
		odd := int64(1)
		for name, c := range map[string]struct {
			filter partFilter
			first  int64
			step   int64
		}{
			"all":        {partFilter{ListOptions: resource.ListOptions{SortBy: "part", Order: resource.Descending, Limit: 3, Offset: 2}}, 1, 1},
			"a supplier": {partFilter{SupplierID: &odd}, 2, 2},
		} {
			want := c.first
			for p, err := range f.parts.All(f.Context(), &c.filter) {
				if err != nil || p.PartID != want {
					f.Fatalf("%s: part %d, %v; want %d", name, p.PartID, err, want)
				}
				want += c.step
			}
			if want <= n {
				f.Errorf("%s: ended before %d", name, want)
			}
		}
		mine := partFilter{ListOptions: resource.ListOptions{Limit: 3}}
		for range f.parts.All(f.Context(), &mine) {
			break
		}
		if mine.Limit != 3 {
			f.Error("All changed the filter of its caller")
		}
		seen := 0
		for range f.parts.All(f.Context(), new(partFilter)) {
			if seen++; seen == 600 {
				break
			}
		}
	})
}

// Find names each invalid part of the filter, as a request does. Without a filter all
// objects match.
func TestFind_Parts(t *testing.T) {
	eachStore(t, func(f *fixture) {
		if _, err := f.parts.CreateAll(f.Context(), []part{{Name: "a"}, {Name: "b"}}); err != nil {
			f.Fatal(err)
		}
		_, _, err := f.parts.Find(f.Context(), &partFilter{ListOptions: resource.ListOptions{
			SortBy: "colour", Order: "up", Limit: -1, Offset: -2,
		}})
		var told *shopapi.Error
		if !errors.As(err, &told) || told.Status != http.StatusBadRequest {
			f.Fatalf("error %v, want a 400", err)
		}
		if diff := cmp.Diff([]string{"sort_by", "sort_order", "limit", "offset"}, told.FieldNames()); diff != "" {
			f.Errorf("fields at fault (-want +got):\n%s", diff)
		}
		if list, total, err := f.parts.Find(f.Context(), nil); err != nil || len(list) != 2 || total != 2 {
			f.Errorf("Find without a filter: %d of %d parts, %v", len(list), total, err)
		}
		n := 0
		for _, err := range f.parts.All(f.Context(), nil) {
			if err != nil {
				f.Fatal(err)
			}
			n++
		}
		if n != 2 {
			f.Errorf("All without a filter: %d parts, want 2", n)
		}
	})
}

// CreateAll adds all or none, and its error names the invalid object.
func TestCreateAll_AllOrNone(t *testing.T) {
	eachStore(t, func(f *fixture) {
		_, err := f.parts.CreateAll(f.Context(), []part{{Name: "a"}, {Name: "b"}, {}})
		f.wantStatus("CreateAll", err, 400)
		if err == nil || !strings.HasPrefix(err.Error(), "Object 3: part is required") {
			f.Errorf("error %v, want one of object 3", err)
		}
		if _, total, err := f.parts.Find(f.Context(), new(partFilter)); total != 0 || err != nil || f.told() != nil {
			f.Errorf("%d parts were stored, %v", total, err)
		}
	})
}

// Users of one company see and change only its rows, and their new objects belong to it
// (decisions §11).
func TestEditions_Confined(t *testing.T) {
	eachStore(t, func(f *fixture) {
		vendor := shopapi.WithUser(f.Context(), &shopapi.User{ID: 2, Type: shopapi.Vendor, CompanyID: 7})
		f.create(part{Name: "a", CompanyID: 3})
		own, err := f.parts.Create(vendor, part{Name: "b", CompanyID: 3})
		if err != nil || own.CompanyID != 7 {
			f.Errorf("a vendor of company 7 created %+v, %v", own, err)
		}
		list, total, err := f.parts.Find(vendor, new(partFilter))
		if diff := cmp.Diff([]part{own}, list); err != nil || total != 1 || diff != "" {
			f.Errorf("Find: %d, %v (-want +got):\n%s", total, err, diff)
		}
		_, err = f.parts.Get(vendor, 1)
		f.wantStatus("Get", err, 404)
		_, err = f.parts.Update(vendor, 1, func(*part) error { return nil })
		f.wantStatus("Update", err, 404)
		f.wantStatus("Delete", f.parts.Delete(vendor, 1), 404)
		for p, err := range f.parts.All(vendor, new(partFilter)) {
			if err != nil || p.CompanyID != 7 {
				f.Errorf("All: %+v, %v", p, err)
			}
		}
	})
}

// A definition that lacks something is refused where it is made.
func TestRegister_Incomplete(t *testing.T) {
	sorts := []resource.Sort{{Key: "id"}}
	for name, d := range map[string]resource.Definition[part, part]{
		"Name":  {Object: "part", Table: parts, Sorts: sorts},
		"Table": {Name: "parts", Object: "part", Sorts: sorts},
		"Sorts": {Name: "parts", Object: "part", Table: parts},
	} {
		f := newFixture(t, memory.New())
		if _, err := resource.Register(context.Background(), f.API, f.st, d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: error %v", name, err)
		}
	}
	_, err := resource.Register(t.Context(), shopapi.New(nil), nil, resource.Definition[part, part]{Name: "parts", Object: "part", Table: parts, Sorts: sorts})
	if err == nil || !strings.Contains(err.Error(), "parts needs a store") {
		t.Errorf("without a store: error %v", err)
	}
}

// What would only show at a request is found where a definition is made.
func TestRegister_Mistakes(t *testing.T) {
	supplier := func(v *part) *int64 { return &v.SupplierID }
	for _, test := range []struct {
		name   string
		change func(*resource.Definition[part, part])
		want   string
	}{
		{"sort by an unknown column", func(d *resource.Definition[part, part]) {
			d.Sorts = []resource.Sort{{Key: "price", Column: "price"}}
		}, `the column "price"`},
		{"sort key without name", func(d *resource.Definition[part, part]) {
			d.Sorts = []resource.Sort{{Column: "part"}}
		}, `sort key ""`},
		{"sort key twice", func(d *resource.Definition[part, part]) {
			d.Sorts = []resource.Sort{{Key: "a", Column: "part"}, {Key: "a"}}
		}, `sort key "a"`},
		{"unknown code", func(d *resource.Definition[part, part]) { d.Wire.Code = "code" }, `Wire.Code "code"`},
		{"code that is a number", func(d *resource.Definition[part, part]) { d.Wire.Code = "supplier_id" }, `Wire.Code "supplier_id"`},
		{"filter that is nil", func(d *resource.Definition[part, part]) {
			d.Filter = func() resource.Filter { return nil }
		}, "Filter of spares returns nil"},
		{"filter that is a nil pointer", func(d *resource.Definition[part, part]) {
			d.Filter = func() resource.Filter { return (*partFilter)(nil) }
		}, "Filter of spares returns nil"},
		{"parent by an unknown column", func(d *resource.Definition[part, part]) {
			d.Scope.Parents = []resource.Parent[part]{resource.ByColumn("suppliers", "supplier", supplier)}
		}, `below suppliers: "supplier"`},
		{"parent by a text", func(d *resource.Definition[part, part]) {
			d.Scope.Parents = []resource.Parent[part]{resource.ByColumn("suppliers", "part", supplier)}
		}, `below suppliers: "part"`},
		{"parent without a function", func(d *resource.Definition[part, part]) {
			d.Scope.Parents = []resource.Parent[part]{resource.ByColumn[part]("suppliers", "supplier_id", nil)}
		}, "needs the function"},
		{"unknown operation", func(d *resource.Definition[part, part]) {
			d.Operations = []shopapi.Operation{shopapi.OpList, "read"}
		}, `operation "read"`},
	} {
		f := newFixture(t, memory.New())
		d := resource.Definition[part, part]{
			Name: "spares", Object: "spare part", Table: parts, Sorts: []resource.Sort{{Key: "id"}},
			Privileges: shopapi.Privileges{View: "v", Manage: "m"},
		}
		test.change(&d)
		if _, err := resource.Register(t.Context(), f.API, f.st, d); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
	f := newFixture(t, memory.New())
	if err := f.parts.Under(resource.ByColumn("boxes", "box_id", supplier)); err == nil || !strings.Contains(err.Error(), `"box_id"`) {
		t.Errorf("Under by an unknown column: error %v", err)
	}
}
