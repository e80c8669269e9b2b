package entitytest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

var editionChecks = []check{
	{"Vendors", creates, vendors, opens},
	{"Storefronts", creates, storefronts, opens},
}

// A tenant is a user confined to a company.
type tenant struct {
	*apitest.Client
	company string
	sample  Sample
	bases   []string // addresses at which the tenant reaches the entity
	id      string   // an object of the tenant
}

// vendors: in the edition with several vendors each reaches only its own rows (§11).
func vendors(w *world) {
	w.start(shopapi.Options{Edition: shopapi.MultiVendor})
	tenant := func(company int64) *tenant {
		return w.tenant(w.UserOf(company, w.privileges()...), company)
	}
	w.separate(tenant(2), tenant(3))
}

// storefronts: below a storefront only its rows are reached (§11).
func storefronts(w *world) {
	w.start(shopapi.Options{Edition: shopapi.MultiStorefront})
	if !slices.Contains(w.description.Parents, "stores") {
		w.t.Skipf("%s are not reached under stores", w.config.Entity)
	}
	tenant := func(company int64) *tenant { return w.tenant(below(w.Client, company), company) }
	w.separate(tenant(2), tenant(3))
}

// below returns a client whose addresses all begin with a storefront.
func below(c *apitest.Client, company int64) *apitest.Client {
	confined := *c
	confined.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path = fmt.Sprintf("/api/2.0/stores/%d/%s", company, strings.TrimPrefix(r.URL.Path, "/api/2.0/"))
		r.URL.RawPath = ""
		c.Handler.ServeHTTP(rw, r)
	})
	return &confined
}

// tenant prepares the sample of a user and creates the first object, whose payload names
// another company without effect.
func (w *world) tenant(c *apitest.Client, company int64) *tenant {
	w.t.Helper()
	n := &tenant{Client: c, company: fmt.Sprint(company), sample: w.config.Sample(w.t, c), bases: []string{w.base}}
	if c.Get(listAt(w.base, n.sample)).Status == 403 { // §10: only below another object
		n.bases = nil
		for parent, above := range n.sample.Above {
			n.bases = append(n.bases, fmt.Sprintf("/api/2.0/%s/%s/%s", parent, above, w.config.Entity))
		}
	}
	if len(n.bases) == 0 {
		w.t.Fatalf("a user of company %d reaches %s nowhere", company, w.config.Entity)
	}
	payload := with(w.t, n.sample.Payload(int(company)), map[string]any{"company_id": company%8 + 1})
	n.id = w.create(c, n.bases[0], payload)
	return n
}

// separate checks that neither of two tenants reaches the other's objects.
func (w *world) separate(a, b *tenant) {
	w.t.Helper()
	for _, pair := range [][2]*tenant{{a, b}, {b, a}} {
		own, other := pair[0], pair[1]
		object := w.want(own.Get(own.bases[0]+"/"+own.id), 200, "GET of a company's own object (§11)")
		if company, shown := members(w.t, object.Body)["company_id"]; shown && company != own.company {
			w.t.Errorf("the object that company %s made is of company %v (§11)", own.company, company)
		}
		for _, base := range append(own.bases, other.bases...) {
			w.outOfReach(own, base+"/"+other.id)
		}
		for _, base := range own.bases {
			if body := own.Get(listAt(base, own.sample, "items_per_page=1000")).Body; slices.Contains(w.idsIn(body), other.id) {
				w.t.Errorf("the list of company %s shows the object %s of company %s (§11): %s", own.company, other.id, other.company, body)
			} else if !slices.Contains(w.idsIn(body), own.id) {
				w.t.Errorf("the list of company %s lacks its object %s: %s", own.company, own.id, body)
			}
		}
		if after := own.Get(own.bases[0] + "/" + own.id); after.Body != object.Body {
			w.t.Errorf("the object of company %s was %s and is %s, after only another company asked for it", own.company, object.Body, after.Body)
		}
	}
}

// outOfReach expects 404 from every method (§11).
func (w *world) outOfReach(c *tenant, address string) {
	w.t.Helper()
	for _, a := range []attempt{
		{shopapi.OpGet, "GET", address, ""},
		{shopapi.OpGet, "HEAD", address, ""},
		{shopapi.OpUpdate, "PUT", address, c.sample.Change(1)},
		{shopapi.OpDelete, "DELETE", address, ""},
	} {
		if w.offers(a.op) {
			w.want(a.by(c.Client), 404, a.method+" "+address+" by company "+c.company+", of another company's object (§11)")
		}
	}
}
