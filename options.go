package shopapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/loginlimit"
)

// Options configure an [API]. The zero value, and a nil *Options, work.
type Options struct {
	// Authenticator tells which user a request's credentials belong to. Without one
	// every request is answered 401.
	Authenticator Authenticator

	// Identify tells the user of a request where the host knows that already: from
	// the cookie of a session, say. It is called first, for every request, cached
	// responses included. With a user the request needs no credentials; nil and no
	// error leave it to them. Customers are answered 401 (§3).
	//
	// An [*Error] is the response, and an error of a store that cannot be reached is
	// 503; any other error is answered 500 and only logged. The request's
	// context ends with its time limit. Its body is not to be read.
	Identify func(*http.Request) (*User, error)

	// Completed is told of every request, refused ones too, once its response is
	// written: for metrics and access logs. It runs on the goroutine of the request
	// and should be quick: a short response may reach the client only after it
	// returns. A panic is logged.
	Completed func(*http.Request, Completion)

	// Edition is which of the three editions the shop is (§11).
	Edition Edition

	// Dialect is which of two readings the responses follow (§4).
	Dialect Dialect

	// Location is the time zone of periods and dates. It wins over the setting
	// [SettingTimeZone], which is UTC at first.
	Location *time.Location

	// Clock tells the time. The default is the system's.
	Clock func() time.Time

	// Logger gets what goes wrong, with request ids, and never a key. The default
	// is [slog.Default].
	Logger *slog.Logger

	// Observer is told of each committed change once, one call at a time, by a
	// goroutine of the API, so that no request waits for it: in the order of the
	// commits with SQLite and memory, in the order of each object's with
	// PostgreSQL. The context acts for the user who made the change. [API.Shutdown]
	// waits for it.
	//
	// Where it is slower than the changes come, they wait, up to Limits.Events
	// bytes of them. Beyond that the waiting changes of one object become one, and
	// if that is not enough the observer gets one event with the operation [OpLost]
	// for all of them, and has to read anew what it holds.
	Observer func(context.Context, Event)

	// DefaultCompany is the company of objects that name none. The default is 1.
	DefaultCompany int64

	// BaseLanguage is the language of the texts that stand in the objects' own rows,
	// "en" where it is empty (§15). It is told when the database is made and never
	// changes: entities cannot be registered over a database with another one.
	BaseLanguage string

	// DefaultLanguage is the language that is read and written where a request names
	// none (§15). It fixes the setting [SettingDefaultLanguage]. Where it is empty and
	// there are no settings, it is the base language.
	DefaultLanguage string

	// Banner is what GET /api/?version answers in the live dialect. Without one
	// the response is 404.
	Banner Banner

	// Realm is shown with the status 401. The default is "Store administration".
	Realm string

	// PlaceName names a country, two letters in capitals, or with a state that is not
	// "" a state in it, for the fields of addresses that end in _descr (§23). "" leaves
	// it to the code, which is the default for all. It is to answer the same
	// whenever it is asked, since responses are cached.
	PlaceName func(ctx context.Context, country, state string) string

	// StoreImage stores an image that a POST or PUT of the entity names, and returns the
	// reference that stands in the place of the one given: a URL, http or https, or a path
	// (§16). What a client gave may name any file or host: it is not to be opened
	// unseen. It is called before the transaction, once for each reference that the object
	// has not got yet, also where the change is then refused. An [*Error] is the response.
	// Without it references stay as they are; the library opens none.
	StoreImage func(ctx context.Context, entity, reference string) (string, error)

	// Privileges replace the privilege names of entities, by entity name. A name
	// that is not registered when the first request comes is a mistake, see
	// [API.Check].
	Privileges map[string]Privileges

	// TrustedProxies are the addresses of proxies, whose ProxyHeader counts. The default
	// is none.
	TrustedProxies []netip.Prefix

	// ProxyHeader is the one header in which the trusted proxies write the address of the
	// client (§10): X-Forwarded-For, which is the default, Forwarded (RFC 7239), or one
	// with a single address such as X-Real-IP. Other headers, which a client may have
	// made up, are not looked at. Where it is named, what comes without an address, as
	// over a Unix socket, counts as coming from a trusted proxy.
	ProxyHeader string

	// TrustedOrigins are those of other sites whose pages may change something with
	// the credentials that a browser holds for this one, such as
	// "https://admin.example.com". What browsers send from any other site, a form
	// included, is answered 403 (§2). Programs are not concerned, and neither is GET.
	TrustedOrigins []string

	// AllowedOrigins are the origins of other sites whose scripts may read responses (CORS,
	// E10), such as "https://admin.example.com". They count as TrustedOrigins too. Scripts send
	// credentials themselves: the responses allow none that a browser holds.
	AllowedOrigins []string

	// RateLimit is how many requests a user may make. The default is any number.
	RateLimit RateLimit

	// Compress has responses to GET and HEAD above 1 KiB compressed with gzip or zstd where
	// clients accept it (E10). A host whose middleware or proxy compresses leaves it off.
	Compress bool

	// Limits bound what a request may use.
	Limits Limits
}

// Limits bound what a request may use. A zero field means its default; none but
// CacheBytes may be negative.
//
// A list longer than Response is 400, which tells to ask for fewer items; an
// object is 406 as text/plain, which names application/json, and 400 as JSON. A query
// longer than Query is 400. What no client has any use for is bounded too: a path
// has at most 8 KiB (404), an e-mail address 254 bytes, and with the key 1 KiB (401).
//
// A client that does not read its response loses the connection after Time, unless the
// [http.Server] has a WriteTimeout, which then counts.
type Limits struct {
	Body            int64 // bytes of a body; default 1 MiB
	Query           int64 // bytes of a query; default 64 KiB
	Response        int64 // bytes of what a GET returns, as it is encoded; default 16 MiB
	ItemsPerPage    int   // items of a page when the client does not say, which wins over [SettingItemsPerPage]; default 10
	MaxItemsPerPage int   // items of a page at most; default 1,000
	// Memory is what all requests together may use, in bytes: bodies, what is read for
	// them, and their responses until they are sent. One user may use a quarter of it, and
	// runs only so many lists at once. A request waits some seconds for its share and is
	// then 429; one that needs more than that quarter is 400. The default is 512 MiB. Caches
	// are not part of it.
	Memory int64
	Time   time.Duration // a request, its body included, and then the writing of its response; default 30 seconds
	Events int64         // bytes of changes that wait for the observer; default 4 MiB
	// CacheBytes is the size of the caches for requests, in bytes: the response cache (see
	// [Description.Cacheable]), the users that credentials belong to, and what LoginEntries
	// takes, up to half of it. The default is 56 MiB; less than 0 is no cache. A store may have
	// a cache of its own.
	CacheBytes int64

	// LoginFailures are the wrong credentials within LoginWindow after which an address
	// (IPv6: a /64) or an e-mail is over its limit; a /48 has ten times as many (§3), and so
	// has an address that many clients may share: that of a proxy which tells none or, where
	// others are named, which TrustedProxies does not name.
	LoginFailures int           // default 30
	LoginWindow   time.Duration // default one minute
	// LoginEntries are the addresses, networks, e-mails and known good credentials that
	// are told apart, each. Beyond it some share a limit.
	LoginEntries int // default 10,000, which take 5 MB of CacheBytes at most
}

// responseCache is the share of CacheBytes for responses and users.
func (l *Limits) responseCache() int64 {
	return l.CacheBytes - max(0, min(loginlimit.Size(l.LoginEntries), l.CacheBytes/2))
}

// An Edition is one of the three kinds of shop (§11).
type Edition int

// The editions.
const (
	SingleStore     Edition = iota // company 1 everywhere
	MultiStorefront                // several storefronts, each a company; administrators may be of one
	MultiVendor                    // vendors, each a company, see only their own rows
)

// A Dialect is one of two readings of the interface (§4).
type Dialect int

// The dialects.
const (
	Documented Dialect = iota // as the published pages say
	Live                      // as the servers that clients were written against answer
)

// A Banner names the product, for clients that ask for the version. Each field
// is one word.
type Banner struct{ Brand, Version, Edition string }

// withDefaults returns a copy in which every field is set. It may be called on
// nil.
func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if d.Location == nil {
		d.Location = time.UTC
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.Authenticator == nil {
		d.Authenticator = refuseAll{}
	}
	d.DefaultCompany = cmp.Or(d.DefaultCompany, 1)
	d.Realm = cmp.Or(d.Realm, "Store administration")
	d.Limits.Body = cmp.Or(d.Limits.Body, 1<<20)
	d.Limits.Query = cmp.Or(d.Limits.Query, 64<<10)
	d.Limits.Response = cmp.Or(d.Limits.Response, 16<<20)
	d.Limits.Memory = cmp.Or(d.Limits.Memory, 512<<20)
	d.Limits.ItemsPerPage = cmp.Or(d.Limits.ItemsPerPage, 10)
	d.Limits.MaxItemsPerPage = cmp.Or(d.Limits.MaxItemsPerPage, 1000)
	d.Limits.Time = cmp.Or(d.Limits.Time, 30*time.Second)
	d.Limits.Events = cmp.Or(d.Limits.Events, 4<<20)
	d.Limits.CacheBytes = cmp.Or(d.Limits.CacheBytes, 56<<20)
	d.Limits.LoginFailures = cmp.Or(d.Limits.LoginFailures, 30)
	d.Limits.LoginWindow = cmp.Or(d.Limits.LoginWindow, time.Minute)
	d.Limits.LoginEntries = cmp.Or(d.Limits.LoginEntries, 10_000)
	return d
}

// vary is the value of the header Vary: the headers of requests on which responses depend.
func (o *Options) vary() string {
	names := "Accept, Authorization"
	if o.Compress {
		names += ", Accept-Encoding"
	}
	if len(o.AllowedOrigins) > 0 {
		names += ", Origin"
	}
	return names
}

// Validate reports all mistakes in the options at once: a negative limit where that has
// no meaning, an unknown edition or dialect, an invalid origin. It may be called on nil.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	var errs []error
	l := o.Limits
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"Limits.Body", l.Body}, {"Limits.Query", l.Query}, {"Limits.Response", l.Response}, {"Limits.Memory", l.Memory}, {"Limits.ItemsPerPage", int64(l.ItemsPerPage)}, {"Limits.MaxItemsPerPage", int64(l.MaxItemsPerPage)},
		{"Limits.Time", int64(l.Time)}, {"Limits.Events", l.Events}, {"Limits.LoginFailures", int64(l.LoginFailures)},
		{"Limits.LoginWindow", int64(l.LoginWindow)}, {"Limits.LoginEntries", int64(l.LoginEntries)}, {"DefaultCompany", o.DefaultCompany},
		{"RateLimit.Requests", int64(o.RateLimit.Requests)}, {"RateLimit.Seconds", int64(o.RateLimit.Seconds)},
	} {
		if limit.value < 0 {
			errs = append(errs, fmt.Errorf("shopapi: Options.%s must not be negative: it is %d", limit.name, limit.value))
		}
	}
	if o.Edition < SingleStore || o.Edition > MultiVendor {
		errs = append(errs, fmt.Errorf("shopapi: Options.Edition is no edition: it is %d", o.Edition))
	}
	if o.Dialect < Documented || o.Dialect > Live {
		errs = append(errs, fmt.Errorf("shopapi: Options.Dialect is no dialect: it is %d", o.Dialect))
	}
	if strings.Trim(o.ProxyHeader, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		errs = append(errs, fmt.Errorf("shopapi: Options.ProxyHeader is no name of a header: it is %q", o.ProxyHeader))
	}
	for name, code := range map[string]string{"BaseLanguage": o.BaseLanguage, "DefaultLanguage": o.DefaultLanguage} {
		if parsed, ok := ParseLanguage(code); code != "" && (!ok || parsed != code) {
			errs = append(errs, fmt.Errorf("shopapi: Options.%s must be two letters in lower case: it is %q", name, code))
		}
	}
	for name, origins := range map[string][]string{"TrustedOrigins": o.TrustedOrigins, "AllowedOrigins": o.AllowedOrigins} {
		for _, origin := range origins {
			if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
				errs = append(errs, fmt.Errorf("shopapi: Options.%s has an %w", name, err))
			}
		}
	}
	if o.RateLimit.Requests > 0 && o.RateLimit.Seconds == 0 {
		errs = append(errs, errors.New("shopapi: Options.RateLimit.Seconds is missing: within how many seconds the requests count"))
	}
	return errors.Join(errs...)
}

// Check reports what only shows once all entities are registered: names in
// [Options.Privileges] that are not registered, so that privileges which a host
// means to rename would stay as they are, and actions that are children of their
// entity too. The first request checks it too; when
// something is wrong, every request is answered 500 and logged.
func (a *API) Check() error {
	registered := map[string]bool{}
	for name := range a.registry.top {
		registered[name] = true
	}
	for key := range a.registry.under {
		registered[key[1]] = true
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(a.opts.Privileges)) {
		if !registered[name] {
			unknown = append(unknown, name)
		}
	}
	errs := []error{a.registry.checkActions()}
	if len(unknown) > 0 {
		errs = append(errs, fmt.Errorf("shopapi: Options.Privileges name entities that are not registered: %s", strings.Join(unknown, ", ")))
	}
	return errors.Join(errs...)
}
