package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// FromJSON rewrites an encoded response as pairs (§4): the same tree as
// name[key]=value joined by &, percent-encoded. Null and empty arrays are empty
// values.
func FromJSON(doc []byte) ([]byte, error) {
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
