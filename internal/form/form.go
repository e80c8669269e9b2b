// Package form reads and writes trees as pairs: name=value joined by &, nested as
// a[b][c]=v (§4).
package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/plain"
)

const (
	maxLevels = 5 // pairs of brackets
	maxPairs  = 10_000
)

// WrongBytes is the problem of a field if its name or value has bytes that are not text.
const WrongBytes = "must be valid UTF-8 without NUL characters"

// An Error is a problem of a form, with a message for the client.
type Error struct {
	OfField bool // one field is at fault
	Field   string
	Message string // about the field, or a whole sentence
}

func (e *Error) Error() string { return strings.TrimSpace(e.Field + " " + e.Message) }

func errorf(format string, args ...any) error {
	return &Error{Message: fmt.Sprintf(format, args...)}
}

func invalid(field, format string, args ...any) error {
	return &Error{OfField: true, Field: plain.Short(field), Message: fmt.Sprintf(format, args...)}
}

// A node is a value of a form body: a text, or members in the order in which
// they came.
type node struct {
	isText  bool
	text    string
	names   []string
	members map[string]*node
	next    int // the number that [] gets
}

// Parse reads pairs into the fields of an object, each a JSON text: a string, or
// an object or array of them. a[]=v appends; of a repeated plain name the last one
// wins. No fields are nil. The error is an [*Error].
func Parse(body []byte) (map[string]json.RawMessage, error) {
	text := strings.TrimSpace(string(body))
	switch {
	case jsontext.IsEmpty(text):
		return nil, nil
	case text[0] == '{' || text[0] == '[' && json.Valid(body):
		return nil, errorf("The body is JSON but the Content-Type says it is a form. Send Content-Type: application/json.")
	case strings.Count(text, "&") >= maxPairs:
		return nil, errorf("The body has more than %d pairs.", maxPairs)
	}
	root := &node{}
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		rawName, rawValue, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(rawName)
		if err != nil {
			return nil, malformedPair(part)
		}
		value, err := url.QueryUnescape(rawValue)
		if err != nil {
			return nil, malformedPair(part)
		}
		if err := root.set(name, value); err != nil {
			return nil, err
		}
	}
	fields := make(map[string]json.RawMessage, len(root.names))
	for _, name := range root.names {
		fields[name] = root.members[name].json()
	}
	return fields, nil
}

func malformedPair(part string) error {
	return errorf("The pair %s is malformed: it must be name=value, percent-encoded.", plain.Quoted(part))
}

// set puts a value at a path such as a[b][].
func (n *node) set(name, value string) error {
	if !plain.IsText(name) || !plain.IsText(value) {
		return invalid(PlainName(name), WrongBytes)
	}
	path, ok := pathOf(name)
	if !ok {
		return errorf("The name %s is malformed: it must be a name, or a name with keys as in name[key][].", plain.Quoted(name))
	}
	if len(path)-1 > maxLevels {
		return invalid(path[0], "is nested more than %d levels deep", maxLevels)
	}
	for _, key := range path {
		if key == "" {
			key = strconv.Itoa(n.next)
		}
		if n.isText {
			return valueAndArray(path[0])
		}
		n = n.member(key)
	}
	if n.members != nil {
		return valueAndArray(path[0])
	}
	n.isText, n.text = true, value
	return nil
}

func valueAndArray(name string) error {
	return invalid(name, "is given both as a value and as an array")
}

// member returns the member with the key, a new one when there is none.
func (n *node) member(key string) *node {
	if m, ok := n.members[key]; ok {
		return m
	}
	if n.members == nil {
		n.members = map[string]*node{}
	}
	m := &node{}
	n.members[key] = m
	n.names = append(n.names, key)
	if i, err := strconv.Atoi(key); err == nil && i >= n.next {
		n.next = i + 1
	}
	return m
}

// pathOf splits a[b][] into a, b and the empty key. ok is false if brackets do not pair,
// or if text follows a closing bracket.
func pathOf(name string) (path []string, ok bool) {
	head, rest, nested := strings.Cut(name, "[")
	if head == "" || strings.Contains(head, "]") {
		return nil, false
	}
	path = []string{head}
	for nested {
		key, after, closed := strings.Cut(rest, "]")
		if !closed || strings.Contains(key, "[") {
			return nil, false
		}
		path = append(path, key)
		if after == "" {
			return path, true
		}
		if after[0] != '[' {
			return nil, false
		}
		rest = after[1:]
	}
	return path, true
}

// PlainName is the name before the first bracket.
func PlainName(name string) string {
	plain, _, _ := strings.Cut(name, "[")
	return plain
}

// json returns the node as JSON: a text as a string, members counted from 0 as
// an array, others as an object.
func (n *node) json() json.RawMessage {
	if n.members == nil {
		return jsonenc.AppendString(nil, n.text)
	}
	isArray := true
	for i, name := range n.names {
		isArray = isArray && name == strconv.Itoa(i)
	}
	var b bytes.Buffer
	open, shut := byte('{'), byte('}')
	if isArray {
		open, shut = '[', ']'
	}
	b.WriteByte(open)
	for i, name := range n.names {
		if i > 0 {
			b.WriteByte(',')
		}
		if !isArray {
			b.Write(jsonenc.AppendString(nil, name))
			b.WriteByte(':')
		}
		b.Write(n.members[name].json())
	}
	b.WriteByte(shut)
	return b.Bytes()
}
