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
// The key stays in the open tabs, in sessionStorage; with [Options.SignIn] there is none.
// The pages load nothing from other sites except images of the origins that the host
// names, and run only their own scripts, whatever the data contains. Scripts on the same
// origin must be trusted: a new tab takes the session over from an open one. A program that
// does not import this package does not contain any of it.
package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/pageroot"
)

//go:embed assets
var assets embed.FS

// Options are optional settings of the pages.
type Options struct {
	// Document are the options of the OpenAPI document that the pages read. They must name
	// the server if the API is not mounted at /api/2.0.
	Document *apidoc.Options

	// ImageOrigins are origins such as "https://cdn.example.com" whose images the pages
	// show, besides their own. Other images appear as links.
	ImageOrigins []string

	// Words has the console's own words in further languages: a file for each, named after
	// its code, such as nl.json or pt-BR.json, with an object of all texts of [Words]. A file
	// de.json replaces the German words. A file such as nl.names.json has names of fields in
	// that language by their names in the API; the others have English ones. It may name fields
	// of the host's own entities, and de.names.json adds to the German names. A name with
	// ".note" is what the pages say of a field or an entity: "suppliers.note". A file such as
	// nl.errors.json has messages of the API, where {a} is the place of a value:
	// {"must be at most {a}": "mag hoogstens {a} zijn"}. The others are shown in English.
	Words fs.FS

	// SignIn is the path of the host's own sign-in page, such as "/login". With it the
	// pages keep no key: they send the cookies of their origin, and the host names the user
	// by [shopapi.Options.Identify]. Someone who is not signed in is sent to the page, with
	// the address of the console in the parameter "return". It must be a path of the same
	// origin.
	SignIn string
}

// Handler serves the pages, and the OpenAPI document that they read. Register all
// entities before: the document is built when it is first asked for. Mount the handler at
// an address that ends with a slash, with [http.StripPrefix].
//
// The pages and the document are public, see [apidoc.Handler]; the data of the shop is
// not. An option that is wrong is an error.
func Handler(ctx context.Context, api *shopapi.API, opts *Options) (http.Handler, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	origins, err := o.check()
	if err != nil {
		return nil, err
	}
	words, err := readAllWords(o.Words)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	return &pages{policy(origins), sync.OnceValues(func() (files, error) {
		return newFiles(words, apidoc.Document(ctx, api, o.Document), map[string]any{"imageOrigins": origins, "signIn": o.SignIn})
	})}, nil
}

// files are what the handler serves, by name.
type files map[string]*file

// newFiles makes the files. They are many, and large: a process does not make them until
// somebody opens the console.
func newFiles(words allWords, spec *openapi31.Spec, settings map[string]any) (files, error) {
	f := files{}
	if err := f.addJSON("openapi.json", spec); err != nil {
		return nil, err
	}
	for name, texts := range words.files {
		if err := f.addJSON("words/"+name+".json", texts); err != nil {
			return nil, err
		}
	}
	settings["title"], settings["server"], settings["languages"] = spec.Info.Title, spec.Servers[0].URL, words.languages
	encoded, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	return f, f.addAssets(encoded)
}

// addAssets adds the embedded files. The page has the settings, and few scripts all modules.
func (f files) addAssets(settings []byte) error {
	scripts, err := bundle("app.js", func(name string) (string, error) {
		content, err := assets.ReadFile("assets/" + name)
		return string(content), err
	})
	if err != nil {
		return err
	}
	for name, content := range scripts {
		f.add(name, []byte(content))
	}
	for _, pattern := range []string{"assets/*.*", "assets/vendor/*"} {
		names, err := fs.Glob(assets, pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			content, err := assets.ReadFile(name)
			if err != nil {
				return err
			}
			switch name = strings.TrimPrefix(name, "assets/"); {
			case name == "index.html":
				content = bytes.Replace(content, []byte("{settings}"), []byte(html.EscapeString(string(settings))), 1)
			case path.Dir(name) == "." && path.Ext(name) == ".js":
				continue // a module of a script
			}
			f.add(name, content)
		}
	}
	return nil
}

// check returns the origins of images, normalized.
func (o *Options) check() (origins []string, err error) {
	if o.SignIn != "" && (!strings.HasPrefix(o.SignIn, "/") || strings.HasPrefix(o.SignIn, "//") || strings.Contains(o.SignIn, `\`)) {
		return nil, fmt.Errorf("console: Options.SignIn is %q: it must be a path of the same origin, such as /login", o.SignIn)
	}
	for _, origin := range o.ImageOrigins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(u.Host, " ;,'*") || (*u != url.URL{Scheme: u.Scheme, Host: u.Host}) {
			return nil, fmt.Errorf("console: Options.ImageOrigins has %q: an origin is a scheme and a host, such as https://cdn.example.com", origin)
		}
		origins = append(origins, strings.ToLower(u.Scheme+"://"+u.Host))
	}
	return origins, nil
}

// policy lets the pages run only the scripts beside them, and show images of their own
// origin and of the given ones.
func policy(origins []string) string {
	images := strings.Join(append([]string{"'self'"}, origins...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src " + images +
		"; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

type pages struct {
	policy string
	files  func() (files, error)
}

// A file in each coding that clients take.
type file struct {
	kind    string
	etag    string
	content map[compress.Coding]func() []byte
}

func (f files) add(name string, content []byte) {
	sum := sha256.Sum256(content)
	codings := map[compress.Coding]func() []byte{compress.Identity: func() []byte { return content }}
	for _, coding := range []compress.Coding{compress.Gzip, compress.Zstd} {
		codings[coding] = sync.OnceValue(func() []byte { return coding.Compress(content) })
	}
	f[name] = &file{kind: mime.TypeByExtension(path.Ext(name)), etag: hex.EncodeToString(sum[:16]), content: codings}
}

func (f files) addJSON(name string, value any) error {
	content, err := json.Marshal(value)
	if err == nil {
		f.add(name, content)
	}
	return err
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The console is read with GET; its requests go to the API.", http.StatusMethodNotAllowed)
		return
	}
	if pageroot.Redirect(w, r) {
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	files, err := p.files()
	if err != nil {
		http.Error(w, "The console cannot be made.", http.StatusInternalServerError)
		return
	}
	f := files[name]
	if f == nil {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", p.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Type", f.kind)
	header.Add("Vary", "Accept-Encoding")
	etag, choice := f.etag, compress.Choice{}
	if c, ok := compress.Choose(r.Header.Values("Accept-Encoding")); ok {
		choice = c
	}
	if choice.Coding != compress.Identity {
		header.Set("Content-Encoding", string(choice.Coding))
		etag += "-" + string(choice.Coding)
	}
	header.Set("Etag", `"`+etag+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.content[choice.Coding]()))
}
