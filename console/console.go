// Package console has pages that show and change a shop's data in a browser: static
// files, served beside the API. The reference of the API is in package apidoc.
//
// The pages send requests to the API only, as the user who signs in with an e-mail
// address and an API key, and show the entities in the API's OpenAPI document, a host's
// own included.
//
//	pages, err := console.Handler(ctx, admin.API, nil)
//	…
//	mux.Handle("/console/", http.StripPrefix("/console", pages))
//
// The key stays in the tab, in sessionStorage. The pages load nothing from other sites
// except the images of the shop's objects, and run only their own scripts, whatever the
// data contains. A program that does not import this package does not contain any of it.
package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
)

//go:embed assets
var files embed.FS

// policy runs only the scripts beside the page. Images may come from any host.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' http: https:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the pages, and the OpenAPI document that they read. Register all
// entities before. Options are the document's; they must say if the API is not mounted
// at /api/2.0. Mount the handler at an address that ends with a slash, with
// [http.StripPrefix].
//
// The pages and the document are public, see [apidoc.Handler]; the data of the shop is
// not.
func Handler(ctx context.Context, api *shopapi.API, opts *apidoc.Options) (http.Handler, error) {
	document, err := json.Marshal(apidoc.Document(ctx, api, opts))
	if err != nil {
		return nil, err
	}
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		return nil, err
	}
	return &pages{document, assets}, nil
}

type pages struct {
	document []byte
	assets   fs.FS
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The console is read with GET; its requests go to the API.", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	content, kind := p.document, "application/json"
	if name == "" {
		name = "index.html"
	}
	if name != "openapi.json" {
		var err error
		if content, err = fs.ReadFile(p.assets, name); err != nil {
			http.NotFound(w, r)
			return
		}
		kind = mime.TypeByExtension(path.Ext(name))
	}
	sum := sha256.Sum256(content)
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Type", kind)
	header.Set("Etag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
