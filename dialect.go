package shopapi

import (
	"fmt"
	"html"
	"net/http"
	"strconv"
)

// replyBody is the body of the response to POST and PUT. An action may have no id. The documented dialect
// writes every id as a string; the live one writes as numbers the ids of new
// objects, and product_id always (§4).
func (a *API) replyBody(t *target, reply Reply) Map {
	if t.op == OpAction && reply.ID == "" {
		return append(Map{}, reply.More...)
	}
	var id any = reply.ID
	if a.Dialect() == Live && (t.op == OpCreate && !t.entry.StringIDs || t.entry.IDField == "product_id") {
		if n, err := strconv.ParseInt(reply.ID, 10, 64); err == nil {
			id = n
		}
	}
	return append(Map{{t.entry.IDField, id}}, reply.More...)
}

// asksBanner reports whether the request is the one that the live dialect answers
// without credentials: GET on the entry point with the parameter version (§4).
func (a *API) asksBanner(req *http.Request) bool {
	if a.opts.Dialect != Live || req.Method != http.MethodGet && req.Method != http.MethodHead || len(req.URL.RawQuery) > maxPath {
		return false
	}
	query := req.URL.Query()
	if !query.Has("version") {
		return false
	}
	segments, ok := segmentsOf(req.URL, query)
	if !ok {
		return false
	}
	segments, err := cutVersion(segments)
	return err == nil && len(segments) == 0
}

// banner answers three words: brand, version and edition. It is 404 where the host
// set none.
func (a *API) banner() (*response, error) {
	b := a.opts.Banner
	if b == (Banner{}) {
		return nil, Errorf(http.StatusNotFound, "There is nothing at this address.")
	}
	body := fmt.Appendf(nil, "%s <b>%s</b> %s", html.EscapeString(b.Brand), html.EscapeString(b.Version), html.EscapeString(b.Edition))
	return newResponse(http.StatusOK, isHTML, body), nil
}
