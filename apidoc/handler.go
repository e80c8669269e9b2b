package apidoc

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/swaggest/swgui/v5/static"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/pageroot"
)

//go:embed reference
var pages embed.FS

// policy lets the pages load only files of this handler and send requests only to this
// host. Swagger UI writes styles into elements and shows images from data URLs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the OpenAPI document of an API at openapi.json, and at its root a
// reference that sends requests. At openapi-3.0.json it serves the document for generators
// of clients: OpenAPI 3.0 with JSON alone. Register all entities before: each document is
// built once, when it is first asked for, so that the shop starts sooner. Mount it at an
// address that ends with a slash, with [http.StripPrefix]:
//
//	mux.Handle("/docs/", http.StripPrefix("/docs", docs))
//
// It needs no credentials: it shows the entities, fields and privileges of the API, but
// no data of the shop. To restrict it, wrap it in a handler that authenticates.
func Handler(ctx context.Context, api *shopapi.API, opts *Options) (http.Handler, error) {
	own, err := fs.Sub(pages, "reference")
	if err != nil {
		return nil, err
	}
	var older Options
	if opts != nil {
		older = *opts
	}
	older.JSONOnly, older.OpenAPI30 = true, true
	ctx = context.WithoutCancel(ctx)
	return &reference{own: own, documents: map[string]func() ([]byte, error){
		"openapi.json":     sync.OnceValues(func() ([]byte, error) { return JSON(ctx, api, opts) }),
		"openapi-3.0.json": sync.OnceValues(func() ([]byte, error) { return JSON(ctx, api, &older) }),
	}}, nil
}

type reference struct {
	documents map[string]func() ([]byte, error)
	own       fs.FS
}

func etagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

func (h *reference) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The reference is read with GET.", http.StatusMethodNotAllowed)
		return
	}
	if pageroot.Redirect(w, r) {
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	content, err := h.file(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		http.NotFound(w, r)
		return
	case err != nil:
		http.Error(w, "The reference cannot be made.", http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	header.Set("Etag", etagOf(content))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// file returns a document, a page of this package, or a file of Swagger UI.
func (h *reference) file(name string) ([]byte, error) {
	if document := h.documents[name]; document != nil {
		return document()
	}
	if content, err := fs.ReadFile(h.own, name); err == nil {
		return content, nil
	}
	return bundled(name)
}

// bundled returns a file of Swagger UI, which is stored compressed.
func bundled(name string) ([]byte, error) {
	if content, err := static.FS.ReadFile(name); err == nil {
		return content, nil
	}
	compressed, err := static.FS.Open(name + ".gz")
	if err != nil {
		return nil, err
	}
	defer compressed.Close()
	reader, err := gzip.NewReader(compressed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
