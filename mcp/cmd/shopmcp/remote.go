package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// A remote is a shop that runs elsewhere.
type remote struct {
	api, document *url.URL
	email, key    string // empty where each caller brings credentials
	logger        *slog.Logger
}

// documentPath is where a shop has its document.
const documentPath = "/docs/openapi.json"

// newRemote returns the shop whose API is at an address; the document is at its usual
// place where document is empty.
func newRemote(api, document string) (*remote, error) {
	r := &remote{logger: slog.New(slog.DiscardHandler)}
	var err error
	if r.api, err = addressOf("-api", strings.TrimRight(api, "/")); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(r.api.Path, "/api") {
		return nil, fmt.Errorf("-api has to end in /api: it is %q", api)
	}
	if document == "" {
		r.document = &url.URL{Scheme: r.api.Scheme, Host: r.api.Host, Path: documentPath}
		return r, nil
	}
	r.document, err = addressOf("-document", document)
	return r, err
}

func addressOf(name, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s has to be an address that begins with https:// or http://", name)
	}
	if u.User != nil {
		return nil, fmt.Errorf("%s must not have credentials in it", name)
	}
	return u, nil
}

// maxDocument is how large the document may be, in bytes.
const maxDocument = 32 << 20

// readDocument reads the OpenAPI document. Credentials go along to the origin of the API
// alone.
func (r *remote) readDocument(ctx context.Context) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.document.String(), nil)
	if err != nil {
		return nil, err
	}
	if r.key != "" && r.document.Scheme == r.api.Scheme && r.document.Host == r.api.Host {
		req.SetBasicAuth(r.email, r.key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document cannot be read: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the OpenAPI document at %s is answered %s: name its address with -document", r.document, resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document cannot be read: %w", err)
	}
	if len(data) > maxDocument {
		return nil, errors.New("the OpenAPI document is larger than 32 MiB")
	}
	return data, nil
}

// handler sends requests below /api to the shop. Redirects are not followed.
func (r *remote) handler() http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			rest := strings.TrimPrefix(p.In.URL.EscapedPath(), "/api")
			target := *r.api
			target.RawPath = target.EscapedPath() + rest
			target.Path += strings.TrimPrefix(p.In.URL.Path, "/api")
			target.RawQuery = p.In.URL.RawQuery
			p.Out.URL, p.Out.Host = &target, r.api.Host
			p.SetXForwarded()
			if r.key != "" {
				p.Out.SetBasicAuth(r.email, r.key)
			}
		},
		ErrorLog: slog.NewLogLogger(r.logger.Handler(), slog.LevelWarn),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			r.logger.Warn("the API cannot be reached", slog.String("error", err.Error()))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, `{"message":"The API cannot be reached.","status":502}`)
		},
	}
}
