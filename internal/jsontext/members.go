package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Members calls fn for each member of an object, which is valid JSON and begins with its brace:
// with the name as it is in the text, and the value.
func Members(object []byte, fn func(name, value []byte)) {
	for at := skipSpace(object, 1); at < len(object) && object[at] == '"'; {
		start := at + 1
		at = endOfText(object, at)
		name := object[start : at-1]
		start = skipSpace(object, skipSpace(object, at)+1) // the colon
		at = endOfValue(object, start)
		fn(name, object[start:trimSpace(object, at)])
		at = skipSpace(object, at+1) // the comma
	}
}

// Elements calls fn for each value of an array, which is valid JSON and begins with its bracket.
func Elements(array []byte, fn func(value []byte)) {
	for at := skipSpace(array, 1); at < len(array) && array[at] != ']'; {
		end := endOfValue(array, at)
		fn(array[at:trimSpace(array, end)])
		at = skipSpace(array, end+1) // the comma
	}
}

// Name decodes the name of a member.
func Name(inside []byte) string {
	if isPlain(inside) {
		return string(inside)
	}
	var name string
	_ = json.Unmarshal(slices.Concat([]byte{'"'}, inside, []byte{'"'}), &name) // it is valid
	return name
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipSpace is where the white space ends that begins there, if any does.
func skipSpace(b []byte, at int) int {
	for at < len(b) && isSpace(b[at]) {
		at++
	}
	return at
}

// trimSpace is where the white space begins that ends there, if any does.
func trimSpace(b []byte, end int) int {
	for end > 0 && isSpace(b[end-1]) {
		end--
	}
	return end
}

// endOfText is where a text ends that begins at a quotation mark.
func endOfText(b []byte, at int) int {
	for at++; at < len(b); {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			break
		}
		escapes := 0
		for i := at + n - 1; b[i] == '\\'; i-- {
			escapes++
		}
		if at += n + 1; escapes%2 == 0 {
			return at
		}
	}
	return len(b)
}

// endOfValue is where a value ends that begins there.
func endOfValue(b []byte, at int) int {
	for depth := 0; at < len(b); at++ {
		switch b[at] {
		case '"':
			at = endOfText(b, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return at
			}
		case ',':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}
