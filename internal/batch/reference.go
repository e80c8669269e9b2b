package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A Reference names a field of the answer to an earlier member.
type Reference struct{ ID, Field string }

func (r Reference) String() string { return "{{" + r.ID + "." + r.Field + "}}" }

var referencePattern = regexp.MustCompile(`^\{\{([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_]+)\}\}$`)

// parseReference reads a text that is wholly a reference.
func parseReference(text string) (r Reference, ok bool) {
	if !strings.HasPrefix(text, "{{") {
		return r, false
	}
	parts := referencePattern.FindStringSubmatch(text)
	if parts == nil {
		return r, false
	}
	return Reference{parts[1], parts[2]}, true
}

// secrets are fields that cannot be referred to.
var secrets = []string{"secret", "key", "api_key", "password", "link", "payment_info"}

// A place is a reference and its position.
type place struct {
	Reference
	where string
}

// problem returns why the member i cannot have the reference, "" where it can.
func (p place) problem(ids map[string]int, i int) string {
	of, known := ids[p.ID]
	switch {
	case !known:
		return fmt.Sprintf("has the reference %s, and no request has the id %s", p.Reference, p.ID)
	case of >= i:
		return fmt.Sprintf("has the reference %s, which is not to an earlier request", p.Reference)
	case slices.Contains(secrets, p.Field):
		return fmt.Sprintf("has the reference %s: the field is secret", p.Reference)
	}
	return ""
}

// references returns the references of a member, in its url and body.
func (m *Member) references() (list []place) {
	for _, i := range slices.Sorted(maps.Keys(m.Address.refs)) {
		list = append(list, place{m.Address.refs[i], "url"})
	}
	for _, q := range m.Address.queryRefs {
		list = append(list, place{q.Reference, "url"})
	}
	if m.refs {
		_ = eachReference(m.Body, func(_, _ int, ref Reference) error {
			list = append(list, place{ref, "body"})
			return nil
		})
	}
	return list
}

// Refers reports whether the member has references.
func (m *Member) Refers() bool { return len(m.references()) > 0 }

// Fields are the fields of the member with the id that members refer to.
func (b *Batch) Fields() map[string]map[string]bool {
	fields := map[string]map[string]bool{}
	for i := range b.Members {
		for _, ref := range b.Members[i].references() {
			if fields[ref.ID] == nil {
				fields[ref.ID] = map[string]bool{}
			}
			fields[ref.ID][ref.Field] = true
		}
	}
	return fields
}

// A sentence is an error for the client.
type sentence string

func (s sentence) Error() string { return string(s) }

func sentencef(format string, args ...any) error { return sentence(fmt.Sprintf(format, args...)) }

// A Lookup returns the field of an answer that a reference names, as JSON. ok is false
// where there is none that is a text or a number.
type Lookup func(Reference) (value json.RawMessage, ok bool)

// ErrTooLarge is the error of a member that is too large with its references filled in.
var ErrTooLarge = errors.New("batch: the filled member is too large")

// Fill returns the member with its references filled in, and the bytes of its body and of the values in
// its url. The error is [ErrTooLarge] where they are more than most, else a sentence for the client.
func (m *Member) Fill(lookup Lookup, most int64) (filled Member, size int64, err error) {
	filled = *m
	a := &filled.Address
	fill := func(ref Reference) (string, error) {
		text, err := ref.text(lookup)
		if size += int64(len(text)); err == nil && size > most {
			err = ErrTooLarge
		}
		return text, err
	}
	if len(m.Address.refs) > 0 {
		a.Segments, a.Literal = slices.Clone(a.Segments), slices.Clone(a.Literal)
		for i, ref := range m.Address.refs {
			text, err := fill(ref)
			if err != nil {
				return filled, size, err
			}
			if problem := badSegment(text); problem != "" {
				return filled, size, sentencef("The reference %s cannot be filled into the url, which %s.", ref, problem)
			}
			a.Segments[i], a.Literal[i] = text, true
		}
		if problem := a.refused(); problem != "" {
			return filled, size, sentencef("The url %s.", problem)
		}
	}
	if len(m.Address.queryRefs) > 0 {
		query := url.Values{}
		for name, values := range a.Query {
			query[name] = slices.Clone(values)
		}
		for _, q := range m.Address.queryRefs {
			text, err := fill(q.Reference)
			if err != nil {
				return filled, size, err
			}
			query[q.name][q.index] = text
		}
		a.Query = query
	}
	if m.refs && bytes.Contains(m.Body, []byte(`"`)) {
		if filled.Body, err = m.fillBody(lookup, most-size); err != nil {
			return filled, size, err
		}
	}
	if size += int64(len(filled.Body)); size > most {
		err = ErrTooLarge
	}
	return filled, size, err
}

// fillBody returns the body with its references filled in, or [ErrTooLarge] where it is longer than most.
func (m *Member) fillBody(lookup Lookup, most int64) (json.RawMessage, error) {
	var body []byte
	last := 0
	err := eachReference(m.Body, func(start, end int, ref Reference) error {
		value, ok := lookup(ref)
		if !ok {
			return ref.missing()
		}
		if int64(len(body)+start-last+len(value)) > most {
			return ErrTooLarge
		}
		body = append(append(body, m.Body[last:start]...), value...)
		last = end
		return nil
	})
	if err != nil || last == 0 {
		return m.Body, err
	}
	return append(body, m.Body[last:]...), nil
}

func (r Reference) missing() error {
	return sentencef("The answer to %s has no field %s that is a text or a number.", r.ID, r.Field)
}

// text is the value of the reference as a text.
func (r Reference) text(lookup Lookup) (string, error) {
	value, ok := lookup(r)
	if !ok {
		return "", r.missing()
	}
	if value[0] != '"' {
		return string(value), nil
	}
	var text string
	err := json.Unmarshal(value, &text)
	return text, err
}

// eachReference calls fn for each text in a JSON value that is wholly a reference, with its
// place in the bytes. Names of members are not among them.
func eachReference(body json.RawMessage, fn func(start, end int, ref Reference) error) error {
	for i := 0; i < len(body); i++ {
		if body[i] != '"' {
			continue
		}
		start := i
		for i++; i < len(body) && body[i] != '"'; i++ {
			if body[i] == '\\' {
				i++
			}
		}
		end := min(i+1, len(body))
		literal := body[start:end]
		if !bytes.ContainsAny(literal, `{\`) || isName(body[end:]) {
			continue
		}
		var text string
		if json.Unmarshal(literal, &text) != nil {
			continue
		}
		if ref, ok := parseReference(text); ok {
			if err := fn(start, end, ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// isName reports whether the text before the rest of a JSON value is the name of a member.
func isName(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}
