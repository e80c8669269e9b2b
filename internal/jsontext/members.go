package jsontext

import "bytes"

// Members calls fn for each member of an object, which is valid JSON without white space
// between its parts: with the name as it is in the text, and the value.
func Members(object []byte, fn func(name, value []byte)) {
	for at := 1; at < len(object) && object[at] == '"'; at++ { // the comma
		start := at + 1
		at = endOfText(object, at)
		name := object[start : at-1]
		start = at + 1 // the colon
		at = endOfValue(object, start)
		fn(name, object[start:at])
	}
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
