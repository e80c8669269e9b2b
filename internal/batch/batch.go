// Package batch reads the bodies of batches, checks the form of their members, and fills
// their references (E6).
package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/plain"
)

// A Batch is a body of good form.
type Batch struct {
	Atomic  bool
	Members []Member
}

// A Member is a request of a batch.
type Member struct {
	ID      string // "" for none
	Method  string
	Address Address
	Header  http.Header
	Body    json.RawMessage // nil for none
	refs    bool            // texts may be references
}

// A Problem is an error in the form of a batch.
type Problem struct {
	Field string // such as requests[3].url
	Text  string
}

// An Error says why a batch is refused.
type Error struct {
	TooMany  bool      // members; Problems is empty
	Problems []Problem // in the order of the members
}

func (e *Error) Error() string {
	if e.TooMany {
		return "batch: too many members"
	}
	return fmt.Sprintf("batch: %s %s", e.Problems[0].Field, e.Problems[0].Text)
}

// maxProblems is how many problems an Error has.
const maxProblems = 20

func (e *Error) add(field, format string, args ...any) {
	if len(e.Problems) < maxProblems {
		e.Problems = append(e.Problems, Problem{field, fmt.Sprintf(format, args...)})
	}
}

func malformed(field, format string, args ...any) error {
	e := &Error{}
	e.add(field, format, args...)
	return e
}

// Parse reads a body. It returns an [*Error] for a batch of bad form: wrong types, methods,
// addresses, headers and ids, more members than most, and references that cannot be filled.
func Parse(body []byte, most int) (*Batch, error) {
	b, raw, err := split(body, most)
	if err != nil {
		return nil, err
	}
	problems := &Error{}
	ids := map[string]int{}
	for i, text := range raw {
		m := Member{refs: true}
		m.read(text, b.Atomic, func(name, format string, args ...any) {
			problems.add("requests["+strconv.Itoa(i)+"]"+name, format, args...)
		})
		if m.ID != "" {
			if first, taken := ids[m.ID]; taken {
				problems.add(field(i, "id"), "is that of requests[%d] too", first)
			} else {
				ids[m.ID] = i
			}
		}
		b.Members = append(b.Members, m)
	}
	if len(raw) == 0 {
		problems.add("requests", "is required: from 1 to %d requests", most)
	}
	for i := range b.Members {
		m := &b.Members[i]
		for _, ref := range m.references() {
			if text := ref.problem(ids, i); text != "" {
				problems.add(field(i, ref.where), "%s", text)
			}
		}
	}
	if len(problems.Problems) > 0 {
		return nil, problems
	}
	return b, nil
}

func field(i int, name string) string { return "requests[" + strconv.Itoa(i) + "]." + name }

// split reads the body but for the members. It stops at the first member too many.
func split(body []byte, most int) (b *Batch, members []json.RawMessage, err error) {
	if !plain.IsText(string(body)) {
		return nil, nil, malformed("body", "must be valid UTF-8 without NUL characters")
	}
	if err := depth(body); err != nil {
		return nil, nil, malformed("body", "%s", err)
	}
	b = &Batch{Atomic: true}
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, malformed("body", "must be a JSON object with the array requests")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, notJSON(err)
		}
		switch name {
		case "atomic":
			var atomic *bool
			if err := d.Decode(&atomic); err != nil || atomic == nil {
				return nil, nil, malformed("atomic", "must be true or false")
			}
			b.Atomic = *atomic
		case "requests":
			members = nil
			if t, err := d.Token(); err != nil || t != json.Delim('[') {
				return nil, nil, malformed("requests", "must be an array of requests")
			}
			for d.More() {
				if len(members) == most {
					return nil, nil, &Error{TooMany: true}
				}
				var m json.RawMessage
				if err := d.Decode(&m); err != nil {
					return nil, nil, notJSON(err)
				}
				members = append(members, m)
			}
			if _, err := d.Token(); err != nil {
				return nil, nil, notJSON(err)
			}
		default:
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return nil, nil, notJSON(err)
			}
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, notJSON(err)
	}
	if _, err := d.Token(); err == nil {
		return nil, nil, malformed("body", "must end after the JSON object")
	}
	return b, members, nil
}

func notJSON(err error) error { return malformed("body", "is not valid JSON: %s", err) }

// maxDepth is how deep a body may nest.
const maxDepth = 100

// depth refuses bodies that nest too deep for encoding/json to be asked.
func depth(body []byte) error {
	level, text := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			if level++; level > maxDepth {
				return fmt.Errorf("must nest at most %d levels deep", maxDepth)
			}
		case c == '}' || c == ']':
			level--
		}
	}
	return nil
}

var (
	idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	methods   = []string{"POST", "PUT", "DELETE", "GET"}
	headers   = []string{"If-Match", "If-None-Match", "Idempotency-Key", "Accept", "Content-Type"}
)

// read reads a member and notes its problems.
func (m *Member) read(text json.RawMessage, atomic bool, note func(name, format string, args ...any)) {
	var sent struct {
		ID      *string           `json:"id"`
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
		Refs    *bool             `json:"refs"`
	}
	if err := json.Unmarshal(text, &sent); err != nil {
		note("", "must be an object with the texts id, method and url, the object headers of texts, body, and refs, which is true or false")
		return
	}
	if sent.ID != nil {
		if m.ID = *sent.ID; !idPattern.MatchString(m.ID) {
			note(".id", "must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -")
			m.ID = ""
		}
	}
	if sent.Refs != nil {
		m.refs = *sent.Refs
	}
	if m.Method = sent.Method; !slices.Contains(methods, m.Method) {
		note(".method", "must be POST, PUT, DELETE or GET")
	} else if atomic && m.Method == "GET" {
		note(".method", "must be POST, PUT or DELETE where atomic is true")
	}
	var problem string
	if m.Address, problem = parseAddress(sent.URL, m.refs); problem != "" {
		note(".url", "%s", problem)
	}
	if !jsontext.IsEmpty(string(sent.Body)) || string(sent.Body) == "[]" {
		m.Body = sent.Body
	}
	m.Header = http.Header{}
	for name, value := range sent.Headers {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !slices.Contains(headers, canonical):
			note(".headers", "must be among %s, not %s", strings.Join(headers, ", "), plain.Quoted(name))
		case m.Header[canonical] != nil:
			note(".headers", "must have %s once, in whatever case", canonical)
		case canonical == "Content-Type" && !strings.EqualFold(strings.TrimSpace(value), "application/json"):
			note(".headers", "must have application/json as Content-Type")
		case strings.ContainsAny(value, "\r\n"):
			note(".headers", "must be without line ends")
		default:
			m.Header.Set(canonical, value)
		}
	}
	if m.Body != nil {
		m.Header.Set("Content-Type", "application/json")
	}
}
