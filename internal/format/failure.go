package format

import (
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/accept"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/response"
)

// A Failure is what the response to a refused request contains (§5).
type Failure struct {
	Status  int
	Message string
	Fields  map[string]string // the problem of each field by name; may be nil
	Members field.Map         // further members of the body

	Realm      string        // with 401
	Allow      []string      // methods, with 405
	RetryAfter time.Duration // 0 for none
	ID         string        // of the request in the log, "" for none
}

// Response returns the response to a request with the headers h: in the format that Accept
// chose or else in JSON.
func (e *Failure) Response(h http.Header) (*response.Response, Format) {
	f, _ := negotiate(h)
	body := field.Map{{Name: "message", Value: e.Message}, {Name: "status", Value: e.Status}}
	if len(e.Fields) > 0 {
		body = append(body, field.Member{Name: "errors", Value: e.Fields})
	}
	body = append(body, e.Members...)
	contentType := f.contentType()
	if accept.Problem(h) {
		f, contentType = JSON, isProblem
		body = append(field.Map{{Name: "type", Value: "about:blank"}, {Name: "title", Value: http.StatusText(e.Status)}, {Name: "detail", Value: e.Message}}, body...)
	}
	encoded, err := f.encode(body, jsonenc.Unlimited)
	if err != nil { // texts and a number always encode
		panic(err)
	}
	r := response.New(e.Status, contentType, encoded)
	e.addHeaders(r, h)
	return r, f
}

func (e *Failure) addHeaders(r *response.Response, h http.Header) {
	switch e.Status {
	case http.StatusUnauthorized:
		if dest := h.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
			break // a browser would open a password dialog for a script or an image (E12)
		}
		r.Add("Www-Authenticate", `Basic realm=`+strconv.Quote(e.Realm)+`, charset="UTF-8"`)
	case http.StatusMethodNotAllowed:
		r.Add("Allow", strings.Join(e.Allow, ", "))
	}
	if e.RetryAfter > 0 {
		seconds := (e.RetryAfter + time.Second - 1) / time.Second
		r.Add("Retry-After", strconv.Itoa(int(seconds)))
	}
	if e.ID != "" {
		r.Add("X-Request-Id", e.ID)
	}
}

// Banner returns the response of three words: brand, version and edition.
func Banner(brand, version, edition string) *response.Response {
	body := fmt.Appendf(nil, "%s <b>%s</b> %s", html.EscapeString(brand), html.EscapeString(version), html.EscapeString(edition))
	return response.New(http.StatusOK, isHTML, body)
}
