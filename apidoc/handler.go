package apidoc

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
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
// built once. Mount it at an address that ends with a slash, with [http.StripPrefix]:
//
//	mux.Handle("/docs/", http.StripPrefix("/docs", docs))
//
// It needs no credentials: it shows the entities, fields and privileges of the API, but
// no data of the shop. To restrict it, wrap it in a handler that authenticates.
func Handler(ctx context.Context, api *shopapi.API, opts *Options) (http.Handler, error) {
	document, err := JSON(ctx, api, opts)
	if err != nil {
		return nil, err
	}
	var o Options
	if opts != nil {
		o = *opts
	}
	o.JSONOnly, o.OpenAPI30 = true, true
	older := sync.OnceValues(func() ([]byte, error) { return JSON(context.WithoutCancel(ctx), api, &o) })
	own, err := fs.Sub(pages, "reference")
	if err != nil {
		return nil, err
	}
	return &reference{document: document, etag: etagOf(document), older: older, own: own}, nil
}

type reference struct {
	document []byte
	etag     string
	older    func() ([]byte, error) // in OpenAPI 3.0
	own      fs.FS
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
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	switch name {
	case "openapi.json":
		header.Set("Content-Type", "application/json")
		header.Set("Etag", h.etag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(h.document))
		return
	case "openapi-3.0.json":
		document, err := h.older()
		if err != nil {
			http.Error(w, "The document cannot be made now.", http.StatusServiceUnavailable)
			return
		}
		header.Set("Content-Type", "application/json")
		header.Set("Etag", etagOf(document))
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(document))
		return
	case "":
		name = "index.html"
	}
	content, err := fs.ReadFile(h.own, name)
	if err != nil {
		content, err = bundled(name)
	}
	if err != nil {
		http.NotFound(w, r)
		return
	}
	header.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	header.Set("Etag", etagOf(content))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
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
