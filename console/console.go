// Package console is pages with which a browser looks at a shop's data and changes it:
// static files over the API that they are served beside. They ask the API and nothing
// else, as the user who signs in there with an e-mail address and an API key, and show
// the entities that the OpenAPI document of the API describes, a host's own among them.
//
//	pages, err := console.Handler(ctx, admin.API, nil)
//	…
//	mux.Handle("/console/", http.StripPrefix("/console", pages))
//
// The key stays in the tab, in sessionStorage. The pages load nothing from elsewhere but
// the images that the shop's objects name, and run no script but their own, whatever
// the data holds. A program that does not import this package carries none of it.
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

// policy runs no script but the files beside the page. Images come from where the
// shop's objects say.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' http: https:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the pages, and the document of the API that they read. All entities
// are registered before. Options are those of the document: where the API does not
// answer at /api/2.0, they say where. The address of the host's ends with a slash, below
// which [http.StripPrefix] leaves the rest.
//
// The pages and the document are for everybody who reaches them, see [apidoc.Handler];
// what is in the shop is not.
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
