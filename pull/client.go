package pull

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Limits of the other server's responses, and of retries.
const (
	maxAnswer     = 64 << 20 // bytes
	attempts      = 7
	firstAttempts = 4 // at the start, when the address may be wrong
	firstPause    = 500 * time.Millisecond
	longestPause  = 30 * time.Second
	longestRetry  = 10 * time.Minute // of a Retry-After
	failuresToEnd = 8                // objects in a row that no attempt could read
)

// A source responds to GET with what other programs' servers would.
type source interface {
	get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
}

// A client reads from the other server.
type client struct {
	http     *http.Client
	at       address
	email    string
	key      string
	timeout  time.Duration
	pause    time.Duration // before the second attempt
	slots    chan struct{} // one for each connection
	requests atomic.Int64
	found    string       // the entity that answered find, "" before
	failures atomic.Int64 // in a row
	spent    atomic.Int64 // nanoseconds that the other server took
}

// A refusal is why an object or a list could not be read, which does not end the run.
type refusal struct {
	status int // 0 where there was no answer
	text   string
	cause  error // where there was no answer
}

func (r *refusal) Unwrap() error { return r.cause }

// A noAnswer is why a request got no answer, not even a wrong one.
type noAnswer struct{ error }

func (n *noAnswer) Unwrap() error { return n.error }

func (r *refusal) Error() string {
	if r.status == 0 {
		return "the old shop does not answer: " + r.text
	}
	if r.text == "" {
		return fmt.Sprintf("the old shop answers %d", r.status)
	}
	return fmt.Sprintf("the old shop answers %d: %s", r.status, r.text)
}

// isStatus reports whether an error is an answer with the status.
func isStatus(err error, status int) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == status
}

// isLasting reports whether an error is an answer that further attempts do not change.
func isLasting(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.status < 500 && r.status != http.StatusTooManyRequests
}

// errEnds is in the errors that end a run.
var errEnds = errors.New("pull: the run ends")

func newClient(o *Options) (*client, error) {
	at, err := parseAddress(o.From, o.Insecure)
	if err != nil {
		return nil, err
	}
	if o.Email == "" || o.Key == "" {
		return nil, errors.New("pull: an e-mail address and an API key of an administrator of the old shop are needed")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost, transport.MaxIdleConnsPerHost = o.connections(), o.connections()
	if len(o.CA) > 0 {
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		if !roots.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("pull: the file of -ca has no certificate in PEM form")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	c := &client{
		at: at, email: o.Email, key: o.Key, timeout: o.timeout(), pause: o.pause(),
		slots: make(chan struct{}, o.connections()),
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: c.redirect}
	return c, nil
}

// redirect follows redirects within the origin alone, so that the key stays there.
func (c *client) redirect(next *http.Request, via []*http.Request) error {
	if !sameOrigin(next.URL, via[0].URL) {
		return &refusal{status: http.StatusFound, text: fmt.Sprintf("it leads on to %s://%s, where the key is not sent; name that address by -from if it is yours", next.URL.Scheme, next.URL.Host)}
	}
	if len(via) > 5 {
		return &refusal{status: http.StatusFound, text: "its redirects do not end"}
	}
	return nil
}

// find looks for the address at which the entities are, and checks the credentials.
func (c *client) find(ctx context.Context) error {
	var last error
	for _, at := range c.at.candidates() {
		c.at = at
		for _, entity := range []string{"categories", "products", "settings"} {
			_, err := c.get(ctx, entity, url.Values{"items_per_page": {"1"}})
			switch {
			case err == nil, isStatus(err, http.StatusForbidden):
				c.found = entity
				return nil
			case errors.Is(err, errEnds), ctx.Err() != nil:
				return err
			case errors.As(err, new(*noAnswer)):
				return fmt.Errorf("%w: %w. Check the address, and that the old shop runs", errEnds, err)
			}
			last = err
		}
	}
	return fmt.Errorf("%w: at %s no entity answers: %w", errEnds, c.at, last)
}

// get reads one answer. It returns a [*refusal] where the server refuses, and errEnds
// where there is no use in going on.
func (c *client) get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	pause := c.pause
	var err error
	for attempt := range c.attempts() {
		if attempt > 0 {
			if err := sleep(ctx, pause+rand.N(pause/4+1)); err != nil {
				return nil, err
			}
			pause = min(2*pause, longestPause)
		}
		var answer json.RawMessage
		var wait time.Duration
		answer, wait, err = c.try(ctx, path, query)
		switch {
		case err == nil:
			c.failures.Store(0)
			return answer, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case isStatus(err, http.StatusUnauthorized):
			return nil, fmt.Errorf("%w: %s. Check the e-mail address and the key", errEnds, strings.TrimSuffix(err.Error(), ".")) // no refusal: those are reported, and the run goes on
		case isCertificate(err):
			return nil, fmt.Errorf("%w: the certificate of the old shop is wrong, so the key is not sent: %w. A certificate of your own authority is added by -ca", errEnds, err)
		case isLasting(err):
			c.failures.Store(0)
			return nil, err
		}
		pause = max(pause, wait)
	}
	if c.failures.Add(1) >= failuresToEnd && c.isDown(ctx) {
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("%w: no request succeeds any more: %s. The same command goes on where this one ended", errEnds, strings.TrimSuffix(err.Error(), ".")))
	}
	if isRefusal(err) {
		return nil, err
	}
	return nil, &refusal{text: err.Error(), cause: err}
}

// isDown reports whether the entity that answered at the start fails too: the whole shop is down then, and
// not only some objects.
func (c *client) isDown(ctx context.Context) bool {
	_, _, err := c.try(ctx, c.found, url.Values{"items_per_page": {"1"}})
	if err != nil && !isLasting(err) {
		return true
	}
	c.failures.Store(0)
	return false
}

// attempts is how often a request is made at most.
func (c *client) attempts() int {
	if c.found != "" {
		return attempts
	}
	return firstAttempts
}

// try makes one request. wait is how long the server asks to be left alone.
func (c *client) try(ctx context.Context, path string, query url.Values) (answer json.RawMessage, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.at.of(path, query), nil)
	if err != nil {
		return nil, 0, err
	}
	request.SetBasicAuth(c.email, c.key)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "shopctl-pull")
	begun := time.Now()
	defer func() { c.spent.Add(int64(time.Since(begun))) }()
	c.requests.Add(1)
	response, err := c.http.Do(request)
	if err = withoutURL(err); isRefusal(err) { // of a redirect
		return nil, 0, err
	} else if err != nil {
		return nil, 0, &noAnswer{err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500:
		return nil, retryAfter(response.Header.Get("Retry-After"), time.Now()), &refusal{status: response.StatusCode, text: message(body)}
	case err != nil:
		return nil, 0, fmt.Errorf("the answer was cut: %w", err)
	case len(body) > maxAnswer:
		return nil, 0, &refusal{status: http.StatusRequestEntityTooLarge, text: "its answer is longer than 64 MiB"}
	case response.StatusCode < 200 || response.StatusCode > 299:
		return nil, 0, &refusal{status: response.StatusCode, text: message(body)}
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if len(body) == 0 && response.StatusCode == http.StatusNoContent {
		return json.RawMessage("[]"), 0, nil
	}
	if !json.Valid(body) {
		return nil, 0, errors.New("the answer is no JSON, or was cut")
	}
	return body, 0, nil
}

// message returns the text of an error.
func message(body []byte) string {
	var said struct{ Message string }
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	return short(said.Message)
}

// short cuts a text to a length fit for messages.
func short(text string) string {
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// withoutURL removes the URL from an error, which repeats it in each message.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

func isCertificate(err error) bool {
	var invalid *tls.CertificateVerificationError
	return errors.As(err, &invalid)
}

// retryAfter reads the header: seconds or a date.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return min(max(0, time.Duration(min(seconds, 1<<20))*time.Second), longestRetry)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(0, at.Sub(now)), longestRetry)
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
