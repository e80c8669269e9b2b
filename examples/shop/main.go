// Command shop is a whole shop behind the API, with demo data, in one command. To add
// the API to a program of your own, see examples/embed.
//
//	go run ./examples/shop
//
// It prints the addresses of the console and of the reference, the API key of the first
// administrator on the first start, and requests to try. The data stays in shop.db,
// which only the user who started it can read; remove the file to begin again. Several
// processes may start at once on one database. SIGINT and SIGTERM end it after requests
// in flight are completed and their events delivered, or after -grace; a second signal ends
// it at once.
//
// The flag -admin-file or the environment variable SHOPAPI_ADMIN sets the administrator
// without showing the key to other users of the machine. They can see the flag -admin,
// as all of the command line.
//
// It serves HTTP without TLS. Outside of the machine put it behind a proxy with HTTPS,
// because each request contains the key.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/extensions/access"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// settings are the values of the flags.
type settings struct {
	addr, db         string
	replicas         []string
	admin, adminFile string
	dialect, edition string
	banner, url      string
	webhook          string
	origins          []string
	rate             shopapi.RateLimit
	demo             bool
	grace            time.Duration
	scale            int
	size             demoSize // of the demo
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("shop", flag.ContinueOnError)
	flags.StringVar(&s.addr, "addr", "127.0.0.1:8080", "where to listen")
	flags.StringVar(&s.db, "db", "shop.db", "an SQLite file, a URL of PostgreSQL such as postgres://user@host/database, or memory")
	flags.Func("replica", "the URL of a standby of the PostgreSQL of -db that reads may use (several times)", func(dsn string) error {
		s.replicas = append(s.replicas, dsn)
		return nil
	})
	flags.StringVar(&s.admin, "admin", "", "EMAIL:KEY of a root administrator that is to exist; without it one is made at the first start.\nOther users of the machine see the command line: prefer -admin-file, or the environment variable "+adminVariable)
	flags.StringVar(&s.adminFile, "admin-file", "", "a file that holds the EMAIL:KEY of -admin")
	flags.StringVar(&s.dialect, "dialect", "documented", "documented or live")
	flags.StringVar(&s.edition, "edition", "single", "single, multi-storefront or multi-vendor")
	flags.StringVar(&s.banner, "banner", "", "BRAND:VERSION:EDITION that the live dialect tells clients; by default shopapi:"+bannerVersion+" and the edition.\nPublished clients read brand and version, and refuse calls of their own below 4.3.5")
	flags.StringVar(&s.url, "url", "", "where browsers reach the shop, for one-time links; by default http:// and the address that it listens on")
	flags.StringVar(&s.webhook, "webhook", "", "an address such as https://erp.example.com/orders that orders are sent to when they change (docs/changes.md)")
	flags.Func("origin", "an origin such as https://admin.example.com whose scripts may read answers and change things (several times)", func(origin string) error {
		s.origins = append(s.origins, origin)
		return (&shopapi.Options{AllowedOrigins: []string{origin}}).Validate()
	})
	flags.Func("rate", "how many requests a user may make in how many seconds, such as 20/3s; any number by default", s.parseRate)
	flags.DurationVar(&s.grace, "grace", 20*time.Second, "how long requests in flight may take after a signal, before their clients are disconnected")
	flags.BoolVar(&s.demo, "demo", true, "fill an empty database with a shop to try")
	flags.IntVar(&s.scale, "demo-scale", 1, "how many times the products, customers, orders, reviews and callback requests of the demo")
	flags.IntVar(&s.size.products, "demo-products", 0, fmt.Sprintf("how many products the demo has, %d or more; by default %d by -demo-scale", productsPerPart, sizeOf(1, ordersPerPart).products))
	flags.IntVar(&s.size.orders, "demo-orders", 0, fmt.Sprintf("how many orders the demo has; by default %d by -demo-scale", sizeOf(1, ordersPerPart).orders))
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if len(s.replicas) > 0 && !isPostgres(s.db) {
		return s, fmt.Errorf("-replica is for a PostgreSQL database in -db")
	}
	if s.grace < 0 {
		return s, fmt.Errorf("-grace must be 0s or more")
	}
	if s.scale < 1 {
		return s, fmt.Errorf("-demo-scale must be 1 or more")
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	bySize := sizeOf(s.scale, ordersPerPart)
	if !given["demo-products"] {
		s.size.products = bySize.products
	}
	if !given["demo-orders"] {
		s.size.orders = bySize.orders
	}
	if s.size.products < productsPerPart {
		return s, fmt.Errorf("-demo-products must be %d or more", productsPerPart)
	}
	if s.size.orders < 0 {
		return s, fmt.Errorf("-demo-orders must be 0 or more")
	}
	return s, nil
}

// parseRate reads a number of requests and seconds, such as 20/3s.
func (s *settings) parseRate(text string) error {
	requests, seconds, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(requests)
	d, errOfTime := time.ParseDuration(seconds)
	if err != nil || errOfTime != nil || n < 1 || d < time.Second || d%time.Second != 0 {
		return fmt.Errorf("it must be a number of requests and whole seconds, such as 20/3s")
	}
	s.rate = shopapi.RateLimit{Requests: n, Seconds: int(d / time.Second)}
	return nil
}

// bannerVersion is a version that published clients accept: they refuse to work below
// 4.3.5. It is not the version of this library.
const bannerVersion = "4.3.5"

// parseBanner reads the brand, version and edition that clients see.
func (s settings) parseBanner() (shopapi.Banner, error) {
	words := strings.Split(cmp.Or(s.banner, "shopapi:"+bannerVersion+":"+s.edition), ":")
	if len(words) != 3 || slices.Contains(words, "") || strings.ContainsAny(s.banner, " \t\r\n") {
		return shopapi.Banner{}, fmt.Errorf("-banner must be BRAND:VERSION:EDITION, three words, not %q", s.banner)
	}
	return shopapi.Banner{Brand: words[0], Version: words[1], Edition: words[2]}, nil
}

// options returns the options of the shop, which listens on the address listens.
func (s settings) options(logger *slog.Logger, listens string) (*shop.Options, error) {
	banner, err := s.parseBanner()
	if err != nil {
		return nil, err
	}
	page := strings.TrimSuffix(cmp.Or(s.url, "http://"+listens), "/") + signInPath
	o := &shop.Options{
		Options: shopapi.Options{Logger: logger, Banner: banner, Compress: true, AllowedOrigins: s.origins, RateLimit: s.rate},
		Access:  access.Options{On: true, Document: apidoc.RegisterCaller},
		Keys:    users.KeyOptions{On: true},
		Reports: orders.ReportOptions{On: true},
		Batch:   true,
		Export:  true,
		Changes: changes.Options{Mode: changes.On},
		Links:   users.LinkOptions{StorefrontURL: page, AdministrationURL: page},
	}
	var ok bool
	if o.Dialect, ok = map[string]shopapi.Dialect{"documented": shopapi.DialectDocumented, "live": shopapi.DialectLive}[s.dialect]; !ok {
		return nil, fmt.Errorf("-dialect must be documented or live, not %q", s.dialect)
	}
	if o.Edition, ok = map[string]shopapi.Edition{
		"single": shopapi.SingleStore, "multi-storefront": shopapi.MultiStorefront, "multi-vendor": shopapi.MultiVendor,
	}[s.edition]; !ok {
		return nil, fmt.Errorf("-edition must be single, multi-storefront or multi-vendor, not %q", s.edition)
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	s, err := parse(args)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	defer func() { // the server has closed it, unless it never served
		if closing := listener.Close(); !errors.Is(closing, net.ErrClosed) {
			err = errors.Join(err, closing)
		}
	}()
	opts, err := s.options(logger, listener.Addr().String())
	if err != nil {
		return err
	}
	stored, err := uploadsBeside(s.db)
	if err != nil {
		return err
	}
	if s.db == "memory" {
		defer func() { err = errors.Join(err, os.RemoveAll(stored.dir), os.RemoveAll(jobsBeside(stored.dir))) }()
	}
	opts.StoreUpload = stored.store
	opts.Jobs.Dir = jobsBeside(stored.dir)
	if opts.Webhooks, err = s.webhookOptions(ctx); err != nil {
		return err
	}
	admin, err := s.administrator(logger)
	if err != nil {
		return err
	}
	st, err := openStore(ctx, s.db, s.replicas, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	sh, err := shop.New(ctx, st, opts)
	if err != nil {
		return err
	}
	login, err := ensureAdmin(ctx, sh, admin, out)
	if err != nil {
		return err
	}
	if s.demo {
		if err := fill(ctx, sh, s.size, out); err != nil {
			return fmt.Errorf("demo data: %w", err)
		}
	}
	if err := s.sendOrders(ctx, sh, out); err != nil {
		return err
	}
	handler, err := withPages(ctx, sh, stored)
	if err != nil {
		return err
	}
	if err := sh.Start(); err != nil {
		return err
	}
	greet(out, listener.Addr().String(), login)
	return serve(ctx, sh, handler, listener, s.grace, logger)
}

// greet prints the addresses of the pages, and example requests in the three address
// forms. Curl asks for the key if login lacks it.
func greet(out io.Writer, addr, login string) {
	fmt.Fprintf(out, "The console: http://%[1]s/console/\nThe reference: http://%[1]s/docs/\n\n", addr)
	fmt.Fprintf(out, "The shop listens on http://%s. Try:\n\n", addr)
	for _, address := range []string{
		"/api/2.0/categories/1",
		"/api/products?cid=1&subcats=Y&items_per_page=3",
		"/api.php?_d=discussions&status=A&items_per_page=3",
		"/api/2.0/orders?status=C&period=M&items_per_page=3",
		"/api/2.0/orders/1",
	} {
		fmt.Fprintf(out, "\tcurl -u '%s' 'http://%s%s'\n", login, addr, address)
	}
	if !strings.Contains(login, ":") {
		fmt.Fprintf(out, "\ncurl asks for the password: it is the API key of %s.\n", login)
	}
	fmt.Fprintln(out)
}
