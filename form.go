package shopapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	maxFormLevels = 5
	maxFormPairs  = 10_000
)

// A formNode is a value of a form body: a text, or members in the order in which
// they came.
type formNode struct {
	isText  bool
	text    string
	names   []string
	members map[string]*formNode
	next    int // the number that [] gets
}

// parseForm reads name=value pairs joined by &, nested as a[b][c]=v, appended as
// a[]=v (§4). Of a repeated plain name the last one wins.
func parseForm(body []byte) (*Payload, error) {
	text := strings.TrimSpace(string(body))
	switch {
	case isEmptyPayload(text):
		return &Payload{}, nil
	case text[0] == '{' || text[0] == '[' && json.Valid(body):
		return nil, Errorf(http.StatusBadRequest, "The body is JSON but the Content-Type says it is a form. Send Content-Type: application/json.")
	case strings.Count(text, "&") >= maxFormPairs:
		return nil, Errorf(http.StatusBadRequest, "The body has more than %d pairs.", maxFormPairs)
	}
	root := &formNode{}
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
	p := &Payload{fields: make(map[string]json.RawMessage, len(root.names))}
	for _, name := range root.names {
		p.fields[name] = root.members[name].json()
	}
	return p, nil
}

func malformedPair(part string) error {
	return Errorf(http.StatusBadRequest, "The pair %s is malformed: it must be name=value, percent-encoded.", quoted(part))
}

// set puts a value at a path such as a[b][].
func (n *formNode) set(name, value string) error {
	if !isText(name) || !isText(value) {
		return Invalid(short(plainName(name)), "must be valid UTF-8 without NUL characters")
	}
	path, ok := formPath(name)
	if !ok {
		return Errorf(http.StatusBadRequest, "The name %s is malformed: it must be a name, or a name with keys as in name[key][].", quoted(name))
	}
	if len(path) > maxFormLevels {
		return Invalid(short(path[0]), "is nested more than %d levels deep", maxFormLevels)
	}
	for _, key := range path {
		if key == "" {
			key = strconv.Itoa(n.next)
		}
		if n.isText {
			return valueAndArray(short(path[0]))
		}
		n = n.member(key)
	}
	if n.members != nil {
		return valueAndArray(short(path[0]))
	}
	n.isText, n.text = true, value
	return nil
}

func valueAndArray(name string) error {
	return Invalid(name, "is given both as a value and as an array")
}

// member returns the member with the key, a new one when there is none.
func (n *formNode) member(key string) *formNode {
	if m, ok := n.members[key]; ok {
		return m
	}
	if n.members == nil {
		n.members = map[string]*formNode{}
	}
	m := &formNode{}
	n.members[key] = m
	n.names = append(n.names, key)
	if i, err := strconv.Atoi(key); err == nil && i >= n.next {
		n.next = i + 1
	}
	return m
}

// formPath splits a[b][] into a, b and the empty key. ok is false when brackets
// do not pair, or text stands between them.
func formPath(name string) (path []string, ok bool) {
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

// plainName is the name before the first bracket.
func plainName(name string) string {
	plain, _, _ := strings.Cut(name, "[")
	return plain
}

// json returns the node as JSON: a text as a string, members counted from 0 as
// an array, others as an object.
func (n *formNode) json() json.RawMessage {
	if n.members == nil {
		return jsonString(n.text)
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
			b.Write(jsonString(name))
			b.WriteByte(':')
		}
		b.Write(n.members[name].json())
	}
	b.WriteByte(shut)
	return b.Bytes()
}

// formFromJSON rewrites an encoded answer as pairs (§4): the same tree as
// name[key]=value joined by &, percent-encoded. Null and empty arrays are empty
// values.
func formFromJSON(doc []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var b bytes.Buffer
	err := writePairs(&b, d, "")
	return b.Bytes(), err
}

// writePairs writes the next value of d at the given path.
func writePairs(b *bytes.Buffer, d *json.Decoder, path string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, nested := token.(json.Delim)
	if !nested {
		writePair(b, path, token)
		return nil
	}
	if !d.More() && path != "" {
		writePair(b, path, nil)
	}
	for i := 0; d.More(); i++ {
		key := strconv.Itoa(i)
		if delim == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			key = fmt.Sprint(name)
		}
		key = percentEncode(key)
		if path != "" {
			key = path + "[" + key + "]"
		}
		if err := writePairs(b, d, key); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

func writePair(b *bytes.Buffer, path string, value any) {
	if b.Len() > 0 {
		b.WriteByte('&')
	}
	b.WriteString(path)
	b.WriteByte('=')
	if value != nil {
		b.WriteString(percentEncode(fmt.Sprint(value)))
	}
}

func percentEncode(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}
