package resource

import (
	"context"
	"errors"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// The functions below are the rules of editions (decisions §11) for entities with rows of companies:
// which rows are visible, and which company a row gets. They all use
// [shopapi.CompanyOf], which confines the users of a vendor and the administrators of one
// storefront to their company, and everybody to the storefront or vendor in the address.

// ReadOnlyForVendors is a [Scope.AuthorizeRequest] of entities that vendors, and
// administrators of one storefront, may read and not change (decisions §11).
func ReadOnlyForVendors(user *shopapi.User, op shopapi.Operation, _ []string) error {
	switch {
	case op == shopapi.OpList, op == shopapi.OpGet, !user.IsConfined():
		return nil
	case user.IsVendor():
		return shopapi.Errorf(http.StatusForbidden, "Vendors may read this, and not change it: it is the whole shop's.")
	}
	return shopapi.Errorf(http.StatusForbidden, "Administrators of one storefront may read this, and not change it: it is the whole shop's.")
}

// ClosedToVendors is a [Scope.AuthorizeRequest] of entities that vendors may neither
// read nor change (decisions §11).
func ClosedToVendors(user *shopapi.User, _ shopapi.Operation, _ []string) error {
	if user.IsVendor() {
		return shopapi.Errorf(http.StatusForbidden, "This is closed to vendors: it is the whole shop's.")
	}
	return nil
}

// VisibleConds restricts a query to the rows that are visible in ctx, by the column
// company_id: the rows of the company that ctx is confined to, or all rows.
func VisibleConds(ctx context.Context) []store.Cond {
	if company, confined := shopapi.CompanyOf(ctx); confined {
		return []store.Cond{store.Equal("company_id", store.Int(company))}
	}
	return nil
}

// Visible reports whether a row of the company is visible in ctx.
func Visible(ctx context.Context, company int64) bool {
	own, confined := shopapi.CompanyOf(ctx)
	return !confined || own == company
}

// DefaultCompany is the company of an object without one: the company that ctx is
// confined to, else the API's default.
func DefaultCompany(ctx context.Context, api *shopapi.API) int64 {
	if own, confined := shopapi.CompanyOf(ctx); confined {
		return own
	}
	return api.DefaultCompany()
}

// AssignCompany sets the company of an object that is to be stored. The object contains
// the requested company; had is the stored company, 0 for a new object. The request
// decides in the editions with several companies, if ctx is not confined to one.
// Otherwise an existing object keeps its company, and a new one gets [DefaultCompany].
//
// AssignCompany reports a problem on company_id for a negative id, and for a company that
// does not exist if an entity has the companies of the edition (decisions §5); the
// default company always exists. It returns an error if it cannot decide.
func AssignCompany(ctx context.Context, api *shopapi.API, problems *shopapi.Problems, had int64, company *int64) error {
	asked := *company
	problems.Range("company_id", asked, 0, math.MaxInt64)
	*company = had
	if had == 0 {
		*company = DefaultCompany(ctx, api)
	}
	_, confined := shopapi.CompanyOf(ctx)
	if confined || asked <= 0 || asked == had || api.Edition() == shopapi.SingleStore {
		return nil
	}
	*company = asked
	if asked == api.DefaultCompany() {
		return nil
	}
	return api.CheckReference(ctx, problems, "company_id", CompanyEntity(api), asked)
}

// CompanyEntity names the entity that the companies of the edition are objects of,
// "" where there is only one company.
func CompanyEntity(api *shopapi.API) string {
	switch api.Edition() {
	case shopapi.MultiStorefront:
		return "stores"
	case shopapi.MultiVendor:
		return "vendors"
	}
	return ""
}

// requireCompany notes a problem when a new object of the edition with several
// storefronts names no company: neither has the payload company_id, nor does the
// address lead through a storefront.
func requireCompany(ctx context.Context, r *shopapi.Request, problems *shopapi.Problems) {
	_, confined := shopapi.CompanyOf(ctx)
	given := r.Payload.Raw("company_id")
	if !confined && r.API().Edition() == shopapi.MultiStorefront && (given == nil || string(given) == "null") {
		problems.Add("company_id", needsCompany)
	}
}

const needsCompany = "is required, but for administrators of one storefront, in the edition with several storefronts"

// LookupOwned is [shopapi.API.Lookup] for an object whose company also owns the objects
// that refer to it. A host may show an object to every vendor: for a vendor of another
// company than its company_id it is [shopapi.ErrNotFound] here.
func LookupOwned(ctx context.Context, api *shopapi.API, entity string, id int64) (any, error) {
	return lookupOwned(ctx, api, entity, id)
}

// LookupCompany is LookupOwned for the company_id of the object alone, which takes fewer reads. It is
// 0 for an object without one.
func LookupCompany(ctx context.Context, api *shopapi.API, entity string, id int64) (int64, error) {
	if company, known, err := api.LookupCompany(ctx, entity, id); known || err != nil {
		return company, err
	}
	object, err := lookupOwned(ctx, api, entity, id, "company_id")
	if err != nil {
		return 0, err
	}
	company, _ := CompanyIn(object)
	return company, nil
}

// GetCompany reads the company of an object for [shopapi.API.LookupCompany]. known is false outside of a
// transaction. A type around an [Entity] does not have the method, since its Get may differ.
func (e *entity[T, S]) GetCompany(ctx context.Context, id int64) (company int64, known bool, err error) {
	tx, joined := driver.Joined(ctx, e.c.st)
	if !joined || e.c.company == nil {
		return 0, false, nil
	}
	row := make([]store.Value, 1)
	err = tx.Get(e.c.company, id, row)
	if errors.Is(err, store.ErrNotFound) {
		err = shopapi.ErrNotFound
	}
	if err != nil {
		return 0, false, err
	}
	if company = row[0].Int(); !Visible(ctx, company) {
		return 0, false, shopapi.ErrNotFound
	}
	return company, true, nil
}

func lookupOwned(ctx context.Context, api *shopapi.API, entity string, id int64, fields ...string) (any, error) {
	object, err := api.LookupFields(ctx, entity, shopapi.FormatID(id), fields...)
	if err == nil && !Owned(ctx, object) {
		return nil, shopapi.ErrNotFound
	}
	return object, err
}

// Owned reports whether the company that ctx is confined to sees an object of any entity by its
// company_id. Everyone sees objects without one.
func Owned(ctx context.Context, object any) bool {
	if _, confined := shopapi.CompanyOf(ctx); !confined {
		return true
	}
	company, known := CompanyIn(object)
	return !known || Visible(ctx, company)
}

// CompanyIn returns the company_id of an object of any entity. known is false for an
// object without company_id; the company is 0 if company_id is not a number.
func CompanyIn(object any) (company int64, known bool) {
	text, known := shopapi.Field(object, "company_id")
	company, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, known
	}
	return company, known
}

// refuseCompany keeps the storefronts and vendors that objects of the collection belong
// to (decisions §21).
func (c *collection[T, S]) refuseCompany(ctx context.Context, companies []int64) error {
	return c.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err := c.def.Table.Count(tx, store.InInts("company_id", companies...))
		if err == nil && n > 0 {
			err = shopapi.Errorf(http.StatusBadRequest, "It cannot be deleted while %s belong to it: there are %d.", c.def.Name, n)
		}
		return err
	})
}

// companyRules returns the rule on the field of the company, if objects have one.
func (d *Definition[T, S]) companyRules(api *shopapi.API) []shopapi.Rule {
	if !d.showsCompany() {
		return nil
	}
	rule := shopapi.Rule{Field: "company_id", Range: &shopapi.Range{Low: 0, High: math.MaxInt64}}
	if d.Scope.NameCompany && api.Edition() == shopapi.MultiStorefront {
		rule.Note = needsCompany
	}
	return []shopapi.Rule{rule}
}

// showsCompany reports whether objects have a company, and its field.
func (d *Definition[T, S]) showsCompany() bool {
	named := func(f reflect.StructField) bool {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name == "company_id"
	}
	return d.Scope.Company != nil && slices.ContainsFunc(structfields.Of(reflect.TypeFor[T]()), named)
}

// company returns a projection to the company of an object, nil if the ids in addresses are not the keys of rows.
func (d *Definition[T, S]) company() *store.Projection {
	if !d.showsCompany() || d.Wire.Code != "" {
		return nil
	}
	p, err := d.Table.Schema().Project("company_id")
	if err != nil {
		return nil
	}
	return p
}
