package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/console"
)

// headless is the Chromium without windows, which takes half of the processor time. The
// script that Debian has in PATH for it leaves it running when the script is killed.
const headless = "/usr/lib/chromium/chromium-headless-shell"

// chromium returns the path of the browser. Without one the test is skipped with a
// message, unless the environment requires it.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{headless, "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "there is no Chromium on this machine: install the Debian package chromium-headless-shell"
	if os.Getenv("SHOPAPI_REQUIRE_CHROMIUM") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// A browser is a tab with the pages of a shop.
type browser struct {
	t   testing.TB
	ctx context.Context
	url string

	profile cdp.BrowserContextID

	scheme string // of colours, light without one

	mu       sync.Mutex
	problems []string // errors in the browser's console
}

// open serves a shop with its pages, and opens a tab with a window of the size.
func open(t testing.TB, s *apitest.Shop, width, height int) *browser {
	t.Helper()
	return openOn(t, s, s.API, width, height)
}

// openSignedIn opens a tab at the desk, signs the administrator of the shop in and waits for a link of
// the navigation.
func openSignedIn(t testing.TB, s *apitest.Shop, link string) *browser {
	t.Helper()
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("nav a", link)
	return b
}

// openOn is open with another handler in front of the shop.
func openOn(t testing.TB, s *apitest.Shop, api http.Handler, width, height int) *browser {
	t.Helper()
	docs, err := apidoc.Handler(t.Context(), s.API, nil)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := console.Handler(t.Context(), s.API, nil)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/console/", http.StripPrefix("/console", pages))
	mux.Handle("/docs/", http.StripPrefix("/docs", docs))
	mux.Handle("/api/", api)
	mux.HandleFunc("/drawing.svg", serveDrawing)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return openURL(t, server.URL, width, height)
}

// openURL opens a tab for the pages of a server, with a profile of its own.
func openURL(t testing.TB, url string, width, height int) *browser {
	t.Helper()
	shared := sharedBrowser(t)
	command := cdp.WithExecutor(shared, chromedp.FromContext(shared).Browser)
	profile, err := target.CreateBrowserContext().Do(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.DisposeBrowserContext(profile).Do(command); err != nil {
			t.Error(err)
		}
	})
	tab, err := target.CreateTarget("about:blank").WithBrowserContextID(profile).WithNewWindow(true).Do(command)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(shared, chromedp.WithTargetID(tab))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, url: url, profile: profile}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.hear(e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			b.hear(e.Entry.Text)
		}
	})
	b.do(chromedp.EmulateViewport(int64(width), int64(height)))
	return b
}

// sharedBrowser returns the browser of all tests, since a start takes a second.
func sharedBrowser(t testing.TB) context.Context {
	t.Helper()
	path := chromium(t)
	started.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
		started.ctx, started.end = chromedp.NewExecAllocator(context.Background(), options...)
		started.ctx, _ = chromedp.NewContext(started.ctx, chromedp.WithErrorf(logError)) // ends with it
		started.err = chromedp.Run(started.ctx)
	})
	if started.err != nil {
		t.Fatal(started.err)
	}
	return started.ctx
}

// logError logs errors of chromedp, except about events of the browser that it does not know.
func logError(format string, args ...any) {
	if message := fmt.Sprintf(format, args...); !strings.HasPrefix(message, "unhandled node event") {
		fmt.Fprintln(os.Stderr, "chromedp:", message)
	}
}

var started struct {
	sync.Once
	ctx context.Context
	end func()
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if started.end != nil {
		started.end()
	}
	os.Exit(code)
}

// hear records script errors and violations of the pages' policy. Statuses of the API and
// hints on forms are not errors.
func (b *browser) hear(message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !strings.Contains(message, "the server responded with a status of 4") && !strings.HasPrefix(message, "[DOM]") {
		b.problems = append(b.problems, message)
	}
}

// heard returns the recorded errors.
func (b *browser) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.problems)
}

// do runs actions, and ends the test if one fails.
func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatalf("%v; the page shows %q; the browser says %q", err, b.text(), b.heard())
	}
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](b *browser, expression string) T {
	b.t.Helper()
	var v T
	if err := chromedp.Run(b.ctx, chromedp.Evaluate(expression, &v)); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// text returns the text of the page.
func (b *browser) text() string { return evaluate[string](b, "document.body.innerText") }

// sees waits until an element shows a text.
func (b *browser) sees(selector, want string) {
	b.t.Helper()
	const shows = `(selector, text) => [...document.querySelectorAll(selector)].some(e => e.checkVisibility() && e.innerText.includes(text))`
	if err := chromedp.Run(b.ctx, chromedp.PollFunction(shows, nil, chromedp.WithPollingArgs(selector, want), chromedp.WithPollingTimeout(15*time.Second))); err != nil {
		b.t.Fatalf("%s never shows %q (%v); the page shows %q; the browser says %q", selector, want, err, b.text(), b.heard())
	}
}

// clearStatus empties the line that reports the last action, so that sees waits for the next action.
func (b *browser) clearStatus() {
	b.t.Helper()
	b.do(chromedp.Evaluate(`document.querySelector("#status").replaceChildren()`, nil))
}

// goTo opens a page of the console.
func (b *browser) goTo(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url + "/console/" + address))
}

// visit opens a page of the console and waits until it is loaded: each has an element of
// its own.
func (b *browser) visit(address string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(`document.querySelector("#page > div")?.toggleAttribute("data-left", true)`, nil))
	b.goTo(address)
	b.do(chromedp.Poll(`document.querySelector("#page > div:not([data-left])") !== null`, nil, chromedp.WithPollingTimeout(15*time.Second)))
}

// in returns the browser for a subtest.
func (b *browser) in(t *testing.T) *browser {
	return &browser{t: t, ctx: b.ctx, url: b.url}
}

// signIn signs in.
func (b *browser) signIn(email, key string) {
	b.t.Helper()
	b.goTo("")
	b.do(
		chromedp.WaitVisible("#email"),
		chromedp.SendKeys("#email", email),
		chromedp.SendKeys("#key", key+"\r"),
	)
}

// click clicks the first element that matches the selector and shows the text.
func (b *browser) click(selector, text string) {
	b.t.Helper()
	b.sees(selector, text)
	evaluate[bool](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].find(e => e.checkVisibility() && e.innerText.includes(%q)).click() === undefined`, selector, text))
}

// value returns the value of a control.
func (b *browser) value(selector string) string {
	b.t.Helper()
	return evaluate[string](b, fmt.Sprintf("document.querySelector(%q).value", selector))
}

// controls returns the buttons and forms of the page, except the form of the filters.
func (b *browser) controls() string {
	b.t.Helper()
	return evaluate[string](b, `[...new Set([...document.querySelectorAll("main button, main .button, main form")]
		.filter(e => e.checkVisibility() && !e.closest(".filters, .pager, .quick, .views, .list-tools, .neighbours, .reads, .drop, .twist, .tree-button, rich-text"))
		.map(e => e.closest("quick-edit") ? "quick edit" : e.matches("form") ? "form" : e.innerText))].join()`)
}

// passwords counts how often the browser would ask the user for a password, and cancels.
func (b *browser) passwords() (count func() int64) {
	b.t.Helper()
	var asked atomic.Int64
	chromedp.ListenTarget(b.ctx, func(event any) {
		switch e := event.(type) {
		case *fetch.EventRequestPaused:
			go func() { _ = chromedp.Run(b.ctx, fetch.ContinueRequest(e.RequestID)) }()
		case *fetch.EventAuthRequired:
			asked.Add(1)
			cancel := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
			go func() { _ = chromedp.Run(b.ctx, fetch.ContinueWithAuth(e.RequestID, cancel)) }()
		}
	})
	b.do(fetch.Enable().WithHandleAuthRequests(true))
	return asked.Load
}
