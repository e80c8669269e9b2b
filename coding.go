package shopapi

import (
	"net/http"
	"strconv"

	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/conditional"
)

// compressed returns a response to GET or HEAD in the coding that was chosen (E10).
func (r *response) compressed(c compress.Choice) *response {
	if c.Coding == compress.Identity || r.status != http.StatusOK || r.stream != nil || len(r.body) <= compress.MinSize && !c.Required {
		return r
	}
	body := c.Coding.Compress(r.body)
	if len(body) >= len(r.body) && !c.Required {
		return r
	}
	coded := &response{status: r.status, body: body}
	coded.fields = append(make([]header, 0, len(r.fields)+1), newHeader("Content-Encoding", string(c.Coding)))
	for _, f := range r.fields {
		switch f.Name {
		case "Content-Length":
			f = newHeader(f.Name, strconv.Itoa(len(body)))
		case "Etag":
			coded.etag = conditional.WithCoding(r.etag, string(c.Coding))
			f = newHeader(f.Name, coded.etag)
		}
		coded.fields = append(coded.fields, f)
	}
	return coded
}

// variant distinguishes responses in the cache by how they are coded.
func variant(c compress.Choice) string {
	if c.Required { // short responses are compressed too
		return string(c.Coding) + "!"
	}
	return string(c.Coding)
}

// chooseCoding chooses the coding of the response to GET or HEAD by Accept-Encoding.
func (p *pipeline) chooseCoding() {
	if p.api.opts.Compress && (p.req.Method == http.MethodGet || p.req.Method == http.MethodHead) {
		var ok bool
		p.coding, ok = compress.Choose(p.req.Header["Accept-Encoding"])
		p.uncodable = !ok
	}
}
