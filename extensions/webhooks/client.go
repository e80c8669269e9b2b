package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/publicaddr"
)

const (
	sendTime      = 15 * time.Second // of an attempt, from the look-up of the name to the end of the answer
	dialTime      = 5 * time.Second  // of one address
	readAnswer    = 64 << 10         // bytes
	keptAnswer    = 1 << 10          // bytes
	maxRetryAfter = 24 * time.Hour
	userAgent     = "shopapi-webhooks"
)

// A client sends messages to receivers that users named.
type client struct {
	http    *http.Client
	policy  publicaddr.Policy
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	timeout time.Duration
}

// newClient returns a client that connects to public addresses alone, follows no redirects,
// and uses no proxy of the environment and no cookies.
func newClient(opts Options) *client {
	c := &client{policy: publicaddr.Policy{Allow: opts.AllowNetworks}, timeout: sendTime}
	c.resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	dialer := &net.Dialer{Timeout: dialTime, Control: c.policy.Control}
	c.dial = dialer.DialContext
	c.http = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            c.connect,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    sendTime,
			MaxResponseHeaderBytes: readAnswer,
			MaxIdleConns:           1000,
			MaxIdleConnsPerHost:    parallel,
			IdleConnTimeout:        time.Minute,
			DisableCompression:     true, // an answer must not grow when it is read
			ForceAttemptHTTP2:      true,
		},
	}
	return c
}

// connect connects to an address of a host. If one of the addresses of a name is not public,
// it connects to none of them. The dialer checks again the address that it connects to.
func (c *client) connect(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses := []netip.Addr{}
	if literal, err := netip.ParseAddr(host); err == nil {
		addresses = append(addresses, literal)
	} else if addresses, err = c.resolve(ctx, host); err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if err := c.policy.Check(a); err != nil {
			return nil, err
		}
	}
	err = fmt.Errorf("%s has no address", host)
	for _, a := range addresses {
		var conn net.Conn
		if conn, err = c.dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// A result is how an attempt went.
type result struct {
	at           time.Time
	milliseconds int64
	code         int           // of the answer, 0 without one
	err          string        // why it failed, "" after a success
	answer       string        // the beginning of the body
	retryAfter   time.Duration // that the receiver asks for
	stopped      bool          // it was broken off by the end of the program, and counts as none
}

func (r *result) ok() bool { return r.err == "" }

// send makes one attempt to deliver a message.
func (c *client) send(ctx context.Context, hook *row, d *delivery, now time.Time) (r result) {
	r.at = now
	began := time.Now()
	attempt, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	err := c.post(attempt, hook, d, now, &r)
	r.milliseconds = time.Since(began).Milliseconds()
	switch {
	case err == nil:
	case ctx.Err() != nil:
		r.stopped = true
	case errors.Is(attempt.Err(), context.DeadlineExceeded):
		r.err = fmt.Sprintf("no complete answer came within %s", c.timeout)
	default:
		r.err = reason(err)
	}
	return r
}

// post sends the message and reads the answer.
func (c *client) post(ctx context.Context, hook *row, d *delivery, now time.Time, r *result) error {
	body, err := d.body()
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	id := d.messageID()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("webhook-id", id)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	req.Header.Set("webhook-signature", sign(hook.secrets(now), id, now, body))
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	r.code = resp.StatusCode
	r.retryAfter = retryAfter(resp, now)
	answer, err := io.ReadAll(io.LimitReader(resp.Body, readAnswer+1))
	r.answer = text(answer)
	switch {
	case r.code >= 300 && r.code < 400:
		return fmt.Errorf("the receiver answered %d: redirects are not followed", r.code)
	case r.code < 200 || r.code > 299:
		return fmt.Errorf("the receiver answered %d", r.code)
	case err != nil:
		return err
	case len(answer) > readAnswer:
		return fmt.Errorf("the answer is longer than %d KiB", readAnswer>>10)
	}
	return nil
}

// text returns the beginning of an answer as it can be stored.
func text(answer []byte) string {
	s := strings.ToValidUTF8(string(answer[:min(len(answer), keptAnswer)]), "")
	return strings.ReplaceAll(s, "\x00", "")
}

// reason returns an error without the address of the receiver, which may contain a secret.
func reason(err error) string {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	if errors.Is(err, publicaddr.ErrRefused) {
		err = fmt.Errorf("the address of the receiver is refused: %w", err)
	}
	return text([]byte(err.Error()))
}

// retryAfter returns how long a receiver that is busy asks to wait, a day at most.
func retryAfter(resp *http.Response, now time.Time) time.Duration {
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return 0
	}
	value := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), maxRetryAfter)
}
