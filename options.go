package shopapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/configcheck"
	"github.com/shopapi/shopapi/internal/loginlimit"
)

// Options configure an [API]. The zero value, and a nil *Options, work.
type Options struct {
	// Authenticator finds the user of a request's credentials. Without one, every request
	// gets a 401.
	Authenticator Authenticator

	// Identify returns the user of a request if the host knows the user already, for
	// example from a session cookie. It is called first, for every request, cached
	// responses included. A request with a user needs no credentials; nil without an
	// error falls back to credentials. Customers are refused with 401 (§3).
	//
	// An [*Error] is the response, and an error of a store that cannot be reached is 503;
	// any other error gets a 500 and only logged. The request's context ends with its
	// time limit. Its body is not to be read.
	Identify func(*http.Request) (*User, error)

	// UserByID returns a user with the present privileges, for extensions that act for users
	// between requests, such as webhooks. It returns [ErrNotFound] for a deleted or disabled
	// user, and for a user without access to the API. It is called often and must not cache
	// for long. A host with an Authenticator of its own needs it for such an extension.
	UserByID func(ctx context.Context, id int64) (*User, error)

	// Completed is called for every request, including refused ones, after its response
	// is written: for metrics and access logs. It runs on the goroutine of the request
	// and should be quick: a short response may reach the client only after it returns. A
	// panic is logged.
	Completed func(*http.Request, Completion)

	// Edition is which of the three editions the shop is (§11).
	Edition Edition

	// Dialect is which of two readings the responses follow (§4).
	Dialect Dialect

	// Location is the time zone of periods and dates. It wins over the setting
	// [SettingTimeZone], which is UTC at first.
	Location *time.Location

	// Clock returns the time. The default is the system's.
	Clock func() time.Time

	// Logger logs errors, with request ids and never with a key. The default is
	// [slog.Default].
	Logger *slog.Logger

	// Observer receives each committed change once, one call at a time, from a goroutine
	// of the API, so that no request waits for it: in the order of the commits with
	// SQLite and memory, in the order of each object's commits with PostgreSQL. The
	// context acts for the user who made the change. [API.Shutdown] waits for it.
	//
	// If the observer is slower than the changes, they wait in a queue of up to
	// Limits.Events bytes. Beyond that, the waiting changes of one object are combined;
	// if that is not enough, the observer gets one event with the operation [OpLost] for
	// all of them, and must read its data again.
	Observer func(context.Context, Event)

	// DefaultCompany is the company of objects that name none. The default is 1.
	DefaultCompany int64

	// BaseLanguage is the language of the texts in the objects' own rows, "en" if it is
	// empty (§15). It is set when the database is created and never changes: registering
	// entities over a database with another base language fails.
	BaseLanguage string

	// DefaultLanguage is the language of requests that name none (§15). It fixes the
	// setting [SettingDefaultLanguage]. If it is empty and there are no settings, it is
	// the base language.
	DefaultLanguage string

	// Banner is the response to GET /api/?version in the live dialect. Without one the
	// response is 404.
	Banner Banner

	// Realm is shown with the status 401. The default is "Store administration".
	Realm string

	// PlaceName names a country, two letters in capitals, or with a state that is not
	// "" a state in it, for the fields of addresses that end in _descr (§23). "" leaves
	// it to the code, which is the default for all. It is to answer the same
	// whenever it is asked, since responses are cached.
	PlaceName func(ctx context.Context, country, state string) string

	// StoreImage stores an image that a POST or PUT of the entity refers to, and returns
	// the reference to store instead: a URL, http or https, or a path (§16). The client's
	// reference may name any file or host: check it before opening it. StoreImage is
	// called before the transaction, once for each reference that the object does not
	// have yet, also if the change is then refused. An [*Error] is the response. Without
	// StoreImage, references are stored as they are; the library opens none.
	StoreImage func(ctx context.Context, entity, reference string) (string, error)

	// StoreUpload stores an image that POST /images uploads for an entity (extensions E12), and
	// returns the reference to it, as StoreImage does. The content decides the type: image/png,
	// image/jpeg, image/gif or image/webp. A body that is cut short, or too large, ends with an
	// error; remove the stored part of it then. Serve uploaded files with the header
	// "Content-Security-Policy: sandbox" and "X-Content-Type-Options: nosniff". Without it there
	// is no such address.
	StoreUpload func(ctx context.Context, entity, contentType string, body io.Reader) (path string, err error)

	// CustomFields are the fields that the host adds to entities of the library, by entity
	// name (extensions E13). Registering the entity adds their columns to its table. A
	// declaration with a mistake fails at the start, as does a field whose type the
	// database has otherwise. Entities that share a table share the fields: products,
	// their variations and offers have the fields of "products".
	CustomFields map[string][]CustomField

	// CustomerFields are the fields that the host adds to the addresses of customers, with
	// names that begin with b_ (billing) and s_ (shipping): texts, or one of some values
	// (extensions E13). Payloads of users and the user_data of orders have them by name, and
	// objects in their member fields. An order keeps the fields of its addresses.
	CustomerFields []CustomField

	// Privileges replace the privilege names of entities, by entity name. A name
	// that is not registered when the first request comes is a mistake, see
	// [API.Check].
	Privileges map[string]Privileges

	// TrustedProxies are the addresses of proxies whose ProxyHeader is used. The default
	// is none.
	TrustedProxies []netip.Prefix

	// ProxyHeader is the header in which the trusted proxies write the address of the
	// client (§10): X-Forwarded-For, which is the default, Forwarded (RFC 7239), or one
	// with a single address such as X-Real-IP. Other headers, which clients may forge,
	// are ignored. If ProxyHeader is set, connections without an address, as over a Unix
	// socket, count as coming from a trusted proxy.
	ProxyHeader string

	// TrustedOrigins are origins of other sites whose pages may change data with the
	// credentials that a browser has for this site, such as "https://admin.example.com".
	// Requests that browsers send from any other site, including forms, get a 403 (§2).
	// Requests of programs and GET are not affected.
	TrustedOrigins []string

	// AllowedOrigins are the origins of other sites whose scripts may read responses
	// (CORS, E10), such as "https://admin.example.com". They count as TrustedOrigins too.
	// Scripts must send credentials themselves: responses do not allow the
	// browser's own credentials.
	AllowedOrigins []string

	// RateLimit is how many requests a user may make. The default is any number.
	RateLimit RateLimit

	// Compress compresses responses to GET and HEAD above 1 KiB with gzip or zstd if the
	// client accepts it (E10). Leave it off if a middleware or proxy of the host
	// compresses.
	Compress bool

	// Limits bound what a request may use.
	Limits Limits
}

// Limits bound what a request may use. A zero field means its default; none but
// CacheBytes may be negative.
//
// A list longer than Response is 400, with the advice to request fewer items; an object
// is 406 as text/plain, with the advice to request application/json, and 400 as JSON. A
// query longer than Query is 400. Further limits are fixed: a path has at most 8 KiB
// (404), an e-mail address 254 bytes, and e-mail and key together 1 KiB (401). So are the
// limits of objects, such as the lines of an order: docs/embedding.md lists them.
//
// A client that does not read its response loses the connection after Time, unless the
// [http.Server] has a WriteTimeout, which then counts.
type Limits struct {
	Body            int64 // bytes of a body; default 1 MiB
	Query           int64 // bytes of a query; default 64 KiB
	Response        int64 // bytes of what a GET returns, as it is encoded; default 16 MiB
	ItemsPerPage    int   // items of a page when the client does not say, which wins over [SettingItemsPerPage]; default 10
	MaxItemsPerPage int   // items of a page at most; default 1,000
	// Memory is the memory that all requests together may use, in bytes: bodies, the rows
	// read for them, and their responses until they are sent. One user may use a quarter
	// of it, and runs only so many lists at once. A request waits some seconds for its
	// share and then gets a 429; a request that needs more than that quarter gets a 400.
	// The default is 512 MiB. Caches are not part of it.
	Memory    int64
	Batch     int           // requests in a batch; default 1,000
	BatchRows int           // objects in an array that PUT with match changes; default 10,000
	BatchBody int64         // bytes of the body of a batch or such an array; default 8 MiB
	BatchTime time.Duration // the transaction of an atomic batch or array; default one second

	Import int64 // bytes of a file that POST /jobs takes, unpacked; default 1 GiB

	// Streams are the responses that wait for changes or stream them, over all users, and
	// UserStreams the same of one user. [Limits.Time] does not end them. A request beyond
	// the limit gets a 429.
	Streams     int // default 1,024
	UserStreams int // default 16

	Time   time.Duration // a request, its body included, and then the writing of its response; default 30 seconds
	Events int64         // bytes of changes that wait for the observer; default 4 MiB
	// CacheBytes is the size of the caches for requests, in bytes: the response cache
	// (see [Description.Cacheable]), the users of credentials, and the login limiter
	// (LoginEntries), up to half of it. A ninth of the rest is for replaced responses
	// until the garbage collector frees them, and two thirds are outside of Go's heap, if
	// the system can map memory. The default is 56 MiB; a negative size disables the
	// caches. A store may have a cache of its own.
	CacheBytes int64

	// LoginFailures is the number of different wrong credentials within LoginWindow after
	// which an address (IPv6: a /64) or an e-mail is over its limit, and the number of times
	// that one address may send the same wrong ones. The limit of addresses is ten times as
	// high for a /48 (§3), and for an address that many clients may share: the address of
	// a proxy that names no client or, if TrustedProxies is set, that is not among them.
	LoginFailures int           // default 30
	LoginWindow   time.Duration // default one minute
	// LoginEntries is the number of addresses, of networks, of e-mails, of known good and of
	// wrong credentials that are told apart. Beyond it, some share a limit.
	LoginEntries int // default 10,000, which take 8 MB of CacheBytes at most; 16,777,216 at most
}

// responseCache is the share of CacheBytes for responses and users: what the login limiter leaves.
func (l *Limits) responseCache() int64 {
	return l.CacheBytes - max(0, min(loginlimit.Size(l.LoginEntries), l.CacheBytes/2))
}

// A RateLimit is a number of requests in a number of seconds, counted for each user by
// each process (E10). Cached responses count. Further requests get a 429; the response
// headers RateLimit and RateLimit-Policy give the number of remaining requests. Zero
// requests set no limit.
type RateLimit struct{ Requests, Seconds int }

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
	DialectDocumented Dialect = iota // the published pages
	DialectLive                      // the servers that published clients were written for
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
	d.CustomerFields = slices.Clone(d.CustomerFields)
	for i := range d.CustomerFields {
		d.CustomerFields[i].Personal = true
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.Authenticator == nil {
		d.Authenticator = AuthenticatorFunc(refuseAll)
	}
	d.DefaultCompany = cmp.Or(d.DefaultCompany, 1)
	d.Realm = cmp.Or(d.Realm, "Store administration")
	d.Limits.Body = cmp.Or(d.Limits.Body, 1<<20)
	d.Limits.Query = cmp.Or(d.Limits.Query, 64<<10)
	d.Limits.Response = cmp.Or(d.Limits.Response, 16<<20)
	d.Limits.Memory = cmp.Or(d.Limits.Memory, 512<<20)
	d.Limits.ItemsPerPage = cmp.Or(d.Limits.ItemsPerPage, 10)
	d.Limits.MaxItemsPerPage = cmp.Or(d.Limits.MaxItemsPerPage, 1000)
	d.Limits.Batch = cmp.Or(d.Limits.Batch, 1000)
	d.Limits.BatchRows = cmp.Or(d.Limits.BatchRows, 10_000)
	d.Limits.BatchBody = cmp.Or(d.Limits.BatchBody, 8<<20)
	d.Limits.Import = cmp.Or(d.Limits.Import, 1<<30)
	d.Limits.BatchTime = cmp.Or(d.Limits.BatchTime, time.Second)
	d.Limits.Time = cmp.Or(d.Limits.Time, 30*time.Second)
	d.Limits.Streams = cmp.Or(d.Limits.Streams, 1024)
	d.Limits.UserStreams = cmp.Or(d.Limits.UserStreams, 16)
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

const (
	maxLoginEntries = 1 << 24   // which take 8 GB
	maxRateSeconds  = 1<<31 - 1 // 68 years
)

// Validate reports all mistakes in the options at once: a negative limit where that has
// no meaning, an unknown edition or dialect, an invalid origin. It may be called on nil.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	m := configcheck.Mistakes{Prefix: "shopapi: Options."}
	m.Negative("Limits.", o.Limits, "CacheBytes")
	m.Negative("RateLimit.", o.RateLimit)
	if o.DefaultCompany < 0 {
		m.Add("DefaultCompany must not be negative: it is %d", o.DefaultCompany)
	}
	if n := o.Limits.LoginEntries; n > maxLoginEntries {
		m.Add("Limits.LoginEntries must be at most %d: it is %d", maxLoginEntries, n)
	}
	if int64(o.RateLimit.Seconds) > maxRateSeconds {
		m.Add("RateLimit.Seconds must be at most %d: it is %d", maxRateSeconds, o.RateLimit.Seconds)
	}
	if o.RateLimit.Requests > 0 && o.RateLimit.Seconds == 0 {
		m.Add("RateLimit.Seconds is missing: within how many seconds the requests count")
	}
	if o.Edition < SingleStore || o.Edition > MultiVendor {
		m.Add("Edition is %d, which is not an edition", o.Edition)
	}
	if o.Dialect < DialectDocumented || o.Dialect > DialectLive {
		m.Add("Dialect is %d, which is not a dialect", o.Dialect)
	}
	m.Proxies("TrustedProxies", o.TrustedProxies)
	m.Header("ProxyHeader", o.ProxyHeader)
	for name, code := range map[string]string{"BaseLanguage": o.BaseLanguage, "DefaultLanguage": o.DefaultLanguage} {
		if parsed, ok := ParseLanguage(code); code != "" && (!ok || parsed != code) {
			m.Add("%s must be two letters in lower case: it is %q", name, code)
		}
	}
	m.Origins("TrustedOrigins", o.TrustedOrigins)
	m.Origins("AllowedOrigins", o.AllowedOrigins)
	if b := o.Banner; b != (Banner{}) {
		m.Word("Banner.Brand", b.Brand)
		m.Word("Banner.Version", b.Version)
		m.Word("Banner.Edition", b.Edition)
	}
	m.Found = append(m.Found, field.CheckCustom("CustomerFields", "customers", true, o.CustomerFields)...)
	for _, entity := range slices.Sorted(maps.Keys(o.CustomFields)) {
		m.Found = append(m.Found, field.CheckCustom("CustomFields", entity, false, o.CustomFields[entity])...)
	}
	return errors.Join(m.Found...)
}

// Check reports problems that only show once all entities are registered: names in
// [Options.Privileges] that are not registered, whose privileges would not be renamed,
// custom fields of entities that take none, and actions that are children of their entity
// too. The first request runs it too; if it fails, every request gets a 500, which is logged.
func (a *API) Check() error {
	registered := partsOf(a).registry.Names()
	errs := []error{partsOf(a).registry.CheckActions(), a.CheckCustomFields()}
	if unknown := configcheck.Unknown(slices.Collect(maps.Keys(a.opts.Privileges)), registered...); len(unknown) > 0 {
		errs = append(errs, fmt.Errorf("shopapi: Options.Privileges name entities that are not registered: %s", strings.Join(unknown, ", ")))
	}
	known := slices.Concat(registered, configcheck.OfInterface)
	if unknown := configcheck.Unknown(a.hooks.Entities(), known...); len(unknown) > 0 {
		errs = append(errs, fmt.Errorf("shopapi: RefuseDelete, BeforeDelete or AfterMove name entities that are not registered: %s", strings.Join(unknown, ", ")))
	}
	return errors.Join(errs...)
}
