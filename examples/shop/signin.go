package main

import (
	"errors"
	"html/template"
	"net/http"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

// signInPath is the page of one-time links.
const signInPath = "/sign-in"

// A signIn is the page that redeems a one-time link (decisions §23). A GET shows a
// button and changes nothing, so that a mail program that opens links does not redeem
// them.
type signIn struct{ shop *shop.Shop }

// A signInView is the data of signInPage.
type signInView struct {
	Key   string // of the link
	Email string // of the signed-in user
	Error string
}

var signInPage = template.Must(template.New("sign-in").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in</title>
{{with .Error}}<p role="alert">{{.}}</p>{{end}}
{{with .Email}}<p>{{.}} is signed in.</p>{{end}}
{{with .Key}}<form method="post"><input type="hidden" name="ekey" value="{{.}}"><button>Sign in</button></form>{{end}}
</html>
`))

func (s signIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer") // the address contains the key
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "text/html; charset=utf-8")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.show(w, http.StatusOK, signInView{Key: r.URL.Query().Get("ekey")})
	case http.MethodPost:
		s.redeem(w, r)
	default:
		header.Set("Allow", "GET, HEAD, POST")
		s.show(w, http.StatusMethodNotAllowed, signInView{Error: "This page is opened by a link."})
	}
}

// redeem signs in the user of the key. A storefront would begin a session and set its
// cookie here; the example shows the user's e-mail address.
func (s signIn) redeem(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	user, redirect, err := s.shop.Users.RedeemLink(r.Context(), r.PostFormValue("ekey"))
	switch {
	case errors.Is(err, users.ErrLink):
		s.show(w, http.StatusForbidden, signInView{Error: "This link was used before, or is older than ten minutes. Ask for a new one."})
	case err != nil:
		s.show(w, http.StatusServiceUnavailable, signInView{Error: "Please try again in a moment."})
	case redirect != "": // checked when the link was created, whatever the address contains
		http.Redirect(w, r, redirect, http.StatusSeeOther)
	default:
		s.show(w, http.StatusOK, signInView{Email: user.Email})
	}
}

func (s signIn) show(w http.ResponseWriter, status int, v signInView) {
	w.WriteHeader(status)
	_ = signInPage.Execute(w, v) // the client may be gone
}
