package pull

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/shop/shopcheck"
	"github.com/shopapi/shopapi/store"
)

// Options of a run. From, Email and Key are required.
type Options struct {
	// From is the address of the old shop's API, such as https://old.example/api, or of
	// its script, such as https://old.example/api.php.
	From string

	// Email and Key are the credentials of an administrator of the old shop who may view
	// everything.
	Email, Key string

	Insecure    bool          // plain http is allowed
	CA          []byte        // certificates, in PEM form, of authorities in addition to the system's
	Connections int           // requests at the same time, 4 by default
	Timeout     time.Duration // of one request, 60 seconds by default
	Pause       time.Duration // before the second attempt of a request, half a second by default

	DryRun    bool // reads and reports, and writes nothing
	Overwrite bool // also replaces objects that were changed locally

	// Quick reads an object by itself only if lists show it otherwise than when it was
	// read: categories, pages, products, users, carts, orders and their shipments. Changes
	// that lists do not show are left to a run without it. A dry run, and one with
	// Overwrite, reads all.
	Quick bool

	// Delete deletes objects that no longer exist in the old shop: objects that were
	// pulled, that nobody changed locally since, and for which the old shop returns 404.
	// If they are more than 10 and more than 10 % of an entity, they stay and are
	// reported, unless DeleteAll is set.
	Delete, DeleteAll bool

	// Images is a directory into which images with an address are downloaded, "" to leave
	// them where they are. ImagePath is the path under which the shop serves the
	// directory, "/images" by default. ImageNetworks are networks, beside the host of
	// From, from which images are taken though they are not public.
	Images, ImagePath string
	ImageNetworks     []netip.Prefix

	// Keys are API keys of users, by e-mail address. They go on unchanged here. Passwords
	// are the hashes of their passwords in the old shop: see users.Users.LegacyPassword.
	Keys, Passwords map[string]string

	// Progress is called after each batch.
	Progress func(Progress)
}

// Progress is how far a run is with an entity.
type Progress struct {
	Entity   string
	Done     int64 // objects
	Total    int64
	Requests int64 // of the whole run
}

// Validate returns an error that says which option is invalid, nil for none. It sends no
// request.
func (o *Options) Validate() error {
	_, err := newClient(o)
	return err
}

func (o *Options) connections() int {
	if o.Connections < 1 {
		return 4
	}
	return min(o.Connections, 64)
}

func (o *Options) timeout() time.Duration { return cmp.Or(o.Timeout, time.Minute) }
func (o *Options) pause() time.Duration   { return cmp.Or(o.Pause, firstPause) }

// A puller is one run.
type puller struct {
	Options
	sh      *shop.Shop
	st      store.Store
	client  *client // nil in an import of a file
	old     source
	report  *Report
	schemas map[string]*store.Schema
	source  string
	name    string // of this run

	later     bool     // an earlier run began to fill the shop
	base      string   // the base language of the old shop
	languages []string // the others
	refusedIn []string // languages in which the lists of the present entity were refused
	pageSize  int
	distance  int64 // from the highest id that was read to the ids of new rows

	seeds   map[string]map[int64]bool // by entity: rows that a new shop has, which give way
	highest map[*store.Schema]int64   // ids that were read
	largest int64                     // id of a user that a list showed

	done, listed, leftOut int64 // of the present entity: objects that were read, that its list counts, and that quick left out

	seen      map[string]map[string]bool // by entity: the ids that are there
	completed map[string]bool            // entities that were read without an error
	weights   map[int64]goods            // of products, for lines of orders
	stock     map[string]bool            // whether orders in a status hold their goods
	knownKeys map[string]bool            // e-mail addresses of Keys and Passwords that a user has

	skippedProducts map[int64]string // products that quick left out
	skippedOrders   map[string]bool  // orders that quick left out

	products     []productID // that were read
	shipped      map[shippedLine]orders.Consumption
	withOptions  []int64                 // products of which an option was read
	combinations map[int64][]combination // by product
	forests      map[string]forest       // by entity
	threads      map[int64]bool          // of reviews, that were taken
	lists        map[string]bool         // below orders, that the old shop has
	settings     map[string]setting      // of the old shop, by section and name; nil where they cannot be read
	pairIDs      atomic.Int64            // the highest id of an image pair

	privilegeNames []string
	fields         map[string]map[string]bool // on the wire, by entity
	pictures       pictures
}

// Run copies a shop into sh, and returns a report of copied and not copied data, also if
// the run ended early.
//
// It returns [ErrRunning] if another run has not ended, [ErrFinished] after [Finish], and
// an error if the credentials are refused, if no entity responds, if the target has rows
// of its own, or if the store fails: then the same call continues where this one ended.
func Run(ctx context.Context, sh *shop.Shop, o Options) (report *Report, err error) {
	p, err := newPuller(ctx, sh, o)
	if err != nil {
		return p.report, err
	}
	if p.client, err = newClient(&o); err != nil {
		return p.report, err
	}
	p.old, p.distance = p.client, distance
	p.source = p.client.at.String()
	if p.pictures, err = p.newPictures(ctx); err != nil {
		return p.report, err
	}
	begun := time.Now()
	defer func() {
		p.report.Seconds = time.Since(begun).Seconds()
		p.report.Waited = time.Duration(p.client.spent.Load()).Seconds() / float64(o.connections())
		p.report.Requests = p.client.requests.Load()
		p.report.finish()
	}()
	if !o.DryRun {
		if err := p.st.Migrate(ctx, Schemas()...); err != nil {
			return p.report, err
		}
		name, stop, err := begin(ctx, p.st)
		if err != nil {
			return p.report, err
		}
		p.name = name
		defer func() {
			if stopped := stop(); err == nil {
				err = stopped
			}
		}()
	}
	return p.report, p.run(ctx)
}

// newPuller returns a run that read nothing yet.
func newPuller(ctx context.Context, sh *shop.Shop, o Options) (*puller, error) {
	p := &puller{
		Options: o, sh: sh, st: sh.Store, report: newReport(), schemas: map[string]*store.Schema{}, pageSize: 250,
		seeds: map[string]map[int64]bool{}, highest: map[*store.Schema]int64{}, seen: map[string]map[string]bool{},
		completed: map[string]bool{}, weights: map[int64]goods{}, stock: map[string]bool{}, knownKeys: map[string]bool{},
		combinations: map[int64][]combination{}, fields: map[string]map[string]bool{}, forests: map[string]forest{}, shipped: map[shippedLine]orders.Consumption{}, threads: map[int64]bool{},
		skippedProducts: map[int64]string{}, skippedOrders: map[string]bool{}, lists: map[string]bool{},
	}
	schemas, err := shop.SchemasOf(ctx, sh.Store)
	for _, s := range schemas {
		p.schemas[s.Name] = s
	}
	return p, err
}

func (p *puller) run(ctx context.Context) error {
	if err := p.mayBegin(ctx); err != nil {
		return err
	}
	if err := p.client.find(ctx); err != nil {
		return err
	}
	if err := p.findLanguages(ctx); err != nil {
		return err
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	for _, e := range entities() {
		if err := p.take(ctx, e); err != nil {
			return err
		}
	}
	if err := p.removeGone(ctx); err != nil {
		return err
	}
	p.forget()
	if !p.DryRun {
		if err := orders.CountSales(ctx, p.st); err != nil {
			return err
		}
		if err := p.sh.Orders.ContinueNumbers(ctx); err != nil {
			return err
		}
	}
	if err := p.continueCounters(ctx); err != nil {
		return err
	}
	if err := p.reserve(ctx); err != nil {
		return err
	}
	p.tellOfKeys()
	if p.Quick {
		p.report.note("quick: changes that lists of the old shop do not show were not looked for; a run without -quick finds them")
	}
	return p.check(ctx)
}

// take copies an entity. It only returns errors that end the run.
func (p *puller) take(ctx context.Context, e entity) error {
	if p.report.Counts[e.name] == nil {
		p.report.Counts[e.name] = &Count{}
	}
	p.seen[e.name], p.completed[e.name] = map[string]bool{}, true
	p.done, p.listed, p.leftOut = 0, 0, 0
	err := e.take(ctx, p)
	switch {
	case err == nil:
	case isRefusal(err):
		p.completed[e.name] = false
		if isStatus(err, http.StatusNotFound) {
			p.report.note(e.name + ": the old shop has no such entity")
			return nil
		}
		p.report.problem(Problem{e.name, "", "", err.Error()})
		return nil
	default:
		return fmt.Errorf("pull: %s: %w", e.name, err)
	}
	p.tellOfEdition(e.name)
	if p.DryRun {
		return nil
	}
	return p.clearSeeds(ctx, e.name)
}

// tellOfEdition reports companies that this shop's edition does not have.
func (p *puller) tellOfEdition(entity string) {
	if p.report.Counts[entity].There == 0 {
		return
	}
	switch {
	case entity == "vendors" && p.sh.Edition() != shopapi.MultiVendor:
		p.report.note("the old shop has vendors: they were taken, and need the edition multi-vendor")
	case entity == "stores" && p.report.Counts[entity].There > 1 && p.sh.Edition() != shopapi.MultiStorefront:
		p.report.note("the old shop has storefronts: they were taken, and need the edition multi-storefront")
	}
}

// check looks for rows that contradict each other. They are reported, but are not errors.
func (p *puller) check(ctx context.Context) error {
	if p.DryRun {
		return nil
	}
	found := 0
	err := shopcheck.Check(ctx, p.st, func(v shopcheck.Violation) {
		if found++; found <= maxViolations {
			p.report.note("check: " + v.String())
		}
	})
	if found > maxViolations {
		p.report.note(fmt.Sprintf("check: %d more contradictions; shopctl check lists them", found-maxViolations))
	}
	if err != nil {
		return err
	}
	return p.count(ctx)
}

const maxViolations = 200

// forget releases what the run held while it read, before everything is counted and checked.
func (p *puller) forget() {
	p.seen, p.weights, p.forests, p.combinations, p.products, p.shipped, p.threads = nil, nil, nil, nil, nil, nil, nil
	p.skippedOrders, p.skippedProducts = nil, nil
}

// count counts the objects of this shop.
func (p *puller) count(ctx context.Context) error {
	return p.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		for _, e := range entities() {
			n, err := tx.Count(knowns.Schema(), []store.Cond{store.Equal("entity", store.String(e.name))})
			if err != nil {
				return err
			}
			p.report.Counts[e.name].Here = n
		}
		return nil
	})
}

func (p *puller) tell(entity string, done, total int64) {
	if p.Progress != nil {
		p.Progress(Progress{entity, done, total, p.client.requests.Load()})
	}
}

// schema is a table of the library. Its name is a constant of this package.
func (p *puller) schema(name string) *store.Schema {
	s := p.schemas[name]
	if s == nil {
		panic("pull: there is no table " + name)
	}
	return s
}

// inLanguages are the other languages of the old shop, sorted.
func (p *puller) inLanguages() []string { return slices.Sorted(slices.Values(p.languages)) }

// splitList splits a text with commas.
func splitList(text string) (list []string) {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// privileges are the names of the privileges that this shop knows, also the ones of custom fields and of
// extensions.
func (p *puller) privileges() []string {
	if p.privilegeNames == nil {
		p.privilegeNames = []string{"view_stores", "manage_stores", "view_vendors", "manage_vendors", "view_reports", "manage_webhooks"}
		for _, d := range p.sh.Descriptions() {
			p.privilegeNames = append(p.privilegeNames, d.Privileges.View, d.Privileges.Manage)
			for _, f := range d.Custom {
				p.privilegeNames = append(p.privilegeNames, f.View, f.Set)
			}
		}
	}
	return p.privilegeNames
}
