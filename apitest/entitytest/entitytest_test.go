package entitytest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/apitest/entitytest"
	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

func TestSuppliers(t *testing.T) { entitytest.Run(t, suppliersConfig) }

// A fault is an entity's violation of a rule.
type fault struct {
	check  string // the check that must find it
	change func(d *resource.Definition[Supplier, Supplier])
	wrap   func(f faulty) shopapi.Entity
	sample func(t testing.TB, c *apitest.Client) entitytest.Sample
}

// A faulty is a correct entity except for its fault.
type faulty struct {
	resource.Entity
	api     *shopapi.API
	created *int64 // counted in Go
}

// resend changes the fields of a request.
func resend(r *shopapi.Request, change func(fields map[string]any)) error {
	fields := map[string]any{}
	for _, name := range []string{"supplier", "city", "days", "least_order", "no_such_field"} {
		if r.Payload.Has(name) {
			fields[name] = r.Payload.Raw(name)
		}
	}
	change(fields)
	payload, err := shopapi.NewPayload(fields)
	r.Payload = payload
	return err
}

type takesAnySpelling struct{ faulty }

func (e takesAnySpelling) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	return e.faulty.Get(ctx, r, strings.TrimLeft(id, "0"))
}

type reportsEveryUpdate struct{ faulty }

func (e reportsEveryUpdate) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	reply, err := e.faulty.Update(ctx, r, id)
	e.api.Changed(ctx, "suppliers", shopapi.OpUpdate, id)
	return reply, err
}

type reportsTooEarly struct{ faulty }

func (e reportsTooEarly) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	e.api.Changed(ctx, "suppliers", shopapi.OpCreate, "1")
	return e.faulty.Create(ctx, r)
}

type losesAField struct{ faulty }

func (e losesAField) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	if err := resend(r, func(fields map[string]any) { delete(fields, "city") }); err != nil {
		return shopapi.Reply{}, err
	}
	return e.faulty.Create(ctx, r)
}

type emptiesWhatIsNotSent struct{ faulty }

func (e emptiesWhatIsNotSent) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	if r.Payload.Has("days") && !r.Payload.Has("city") {
		if err := resend(r, func(fields map[string]any) { fields["city"] = "" }); err != nil {
			return shopapi.Reply{}, err
		}
	}
	return e.faulty.Update(ctx, r, id)
}

type roundsAmounts struct{ faulty }

func (e roundsAmounts) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	if amount, err := decimal.Parse(strings.Trim(string(r.Payload.Raw("least_order")), `"`)); err == nil {
		if err := resend(r, func(fields map[string]any) { fields["least_order"] = amount.Round(2) }); err != nil {
			return shopapi.Reply{}, err
		}
	}
	return e.faulty.Update(ctx, r, id)
}

type refusesUnknownFields struct{ faulty }

func (e refusesUnknownFields) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	if r.Payload.Has("no_such_field") {
		return shopapi.Reply{}, shopapi.Invalid("no_such_field", "is not known")
	}
	return e.faulty.Update(ctx, r, id)
}

type ignoresTheOrder struct{ faulty }

func (e ignoresTheOrder) List(ctx context.Context, r *shopapi.Request) (any, error) {
	r.Filter.Del("sort_by")
	return e.faulty.List(ctx, r)
}

type skipsRows struct{ faulty }

func (e skipsRows) List(ctx context.Context, r *shopapi.Request) (any, error) {
	if page, _ := strconv.Atoi(r.Filter.Get("page")); page > 1 {
		r.Filter.Set("page", strconv.Itoa(page+1))
	}
	return e.faulty.List(ctx, r)
}

type countsInGo struct{ faulty }

func (e countsInGo) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	*e.created++
	return e.faulty.Create(ctx, r)
}

func (e countsInGo) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	v, err := e.faulty.Get(ctx, r, id)
	if s, ok := v.(Supplier); ok {
		s.City = fmt.Sprintf("%s, one of %d", s.City, *e.created)
		v = s
	}
	return v, err
}

// An idleFilter has the parameter name and ignores it.
type idleFilter struct {
	resource.ListOptions
	Name string `json:"supplier"`
}

func (*idleFilter) Where(*resource.Where) {}

type hidesAField struct{ faulty }

func (e hidesAField) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	v, err := e.faulty.Get(ctx, r, id)
	if s, ok := v.(Supplier); ok {
		v = map[string]string{"supplier_id": id, "supplier": s.Name, "days": fmt.Sprint(s.Days)}
	}
	return v, err
}

// shelves are an entity of the host, 1 to 9.
type shelves struct{}

func (shelves) Describe() shopapi.Description {
	return shopapi.Description{Name: "shelves", Privileges: shopapi.Privileges{View: "view_shelves"}}
}

func (shelves) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if len(id) != 1 || id < "1" || id > "9" {
		return nil, shopapi.NotFound("shelf", id)
	}
	return map[string]string{"shelf_id": id}, nil
}

// onShelves puts the suppliers of a first sample on shelf 1, and later ones on shelf 2.
func onShelves() func(t testing.TB, c *apitest.Client) entitytest.Sample {
	shelf := map[*apitest.Client]int{}
	return func(t testing.TB, c *apitest.Client) entitytest.Sample {
		shelf[c]++
		sample := suppliersConfig.Sample(t, c)
		sample.Above = map[string]string{"shelves": strconv.Itoa(min(shelf[c], 2))}
		return sample
	}
}

var faults = map[string]fault{
	"TakesAnySpelling":     {check: "Addresses/IDs", wrap: func(f faulty) shopapi.Entity { return takesAnySpelling{f} }},
	"ReportsEveryUpdate":   {check: "Fields/Unchanged", wrap: func(f faulty) shopapi.Entity { return reportsEveryUpdate{f} }},
	"ReportsTwice":         {check: "Events/OnePerChange", wrap: func(f faulty) shopapi.Entity { return reportsEveryUpdate{f} }},
	"ReportsTooEarly":      {check: "Events/NoneForFailedCommits", wrap: func(f faulty) shopapi.Entity { return reportsTooEarly{f} }},
	"LosesAField":          {check: "Fields/RoundTrip", wrap: func(f faulty) shopapi.Entity { return losesAField{f} }},
	"EmptiesWhatIsNotSent": {check: "Fields/Partial", wrap: func(f faulty) shopapi.Entity { return emptiesWhatIsNotSent{f} }},
	"RefusesUnknownFields": {check: "Payloads/UnknownFields", wrap: func(f faulty) shopapi.Entity { return refusesUnknownFields{f} }},
	"IgnoresTheOrder":      {check: "Lists/Sorts", wrap: func(f faulty) shopapi.Entity { return ignoresTheOrder{f} }},
	"SkipsRows":            {check: "Lists/Sorts", wrap: func(f faulty) shopapi.Entity { return skipsRows{f} }},
	"CountsInGo":           {check: "Cache/Requests", wrap: func(f faulty) shopapi.Entity { return countsInGo{f} }},
	"IgnoresTheFilter": {check: "Lists/Filters", change: func(d *resource.Definition[Supplier, Supplier]) {
		d.Filter = func() resource.Filter { return new(idleFilter) }
	}},
	"HidesAField": {check: "Fields/Declared", wrap: func(f faulty) shopapi.Entity { return hidesAField{f} }},
	"NeedsNothing": {check: "Payloads/RequiredFields", change: func(d *resource.Definition[Supplier, Supplier]) {
		d.Wire.PayloadDefaults = func(v *Supplier) { v.Name = "Unnamed" }
	}},
	"ShowsEveryCompany": {check: "Editions/Vendors", change: func(d *resource.Definition[Supplier, Supplier]) {
		d.Scope.Company = nil
	}},
	"RoundsAmounts": {check: "Fields/Amounts", wrap: func(f faulty) shopapi.Entity { return roundsAmounts{f} }},
	"DropsAChange": {check: "Fields/Partial", change: func(d *resource.Definition[Supplier, Supplier]) {
		d.Rules.RestoreImmutable = func(after, _ *Supplier, _ *shopapi.Problems) { after.City = "Bergen" }
	}},
	"ShowsEverythingBelow": {check: "Parents/Declared", sample: onShelves(), change: func(d *resource.Definition[Supplier, Supplier]) {
		d.Scope.Parents = append(d.Scope.Parents, resource.Parent[Supplier]{Entity: "shelves"})
	}},
}

// config returns the config of the suppliers with the fault.
func (f *fault) config() entitytest.Config {
	c := suppliersConfig
	c.Stores = map[string]func(testing.TB) store.Store{"memory": func(testing.TB) store.Store { return memory.New() }}
	if f.sample != nil {
		c.Sample = f.sample
	}
	c.New = func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
		d, api := suppliers(), shopapi.New(o)
		if f.change != nil {
			f.change(&d)
		}
		rows, err := resource.New(api, st, d)
		if err != nil {
			return nil, err
		}
		if err := rows.Migrate(ctx); err != nil {
			return nil, err
		}
		var e shopapi.Entity = rows.Entity()
		if f.wrap != nil {
			e = f.wrap(faulty{rows.Entity(), api, new(int64)})
		}
		if err := api.Register(shelves{}); err != nil {
			return nil, err
		}
		return api, api.Register(e)
	}
	return c
}

// inChild makes TestRun_FindsFaults run the suite on the faulty entities, in a child
// process.
const inChild = "ENTITYTEST_IN_CHILD"

// TestRun_FindsFaults: each fault fails its check.
func TestRun_FindsFaults(t *testing.T) {
	if os.Getenv(inChild) != "" {
		for name, f := range faults {
			t.Run(name, func(t *testing.T) { entitytest.Run(t, f.config()) })
		}
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRun_FindsFaults$")
	child.Env = append(os.Environ(), inChild+"=1")
	output, err := child.CombinedOutput()
	if err == nil {
		t.Fatalf("the faulty entities pass: %s", output)
	}
	for name, f := range faults {
		if !strings.Contains(string(output), "--- FAIL: TestRun_FindsFaults/"+name+"/memory/"+f.check+" ") {
			t.Errorf("%s does not find the fault %s", f.check, name)
		}
	}
	if t.Failed() {
		t.Logf("%s", output)
	}
}
