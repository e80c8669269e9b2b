package engine

import (
	"bytes"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SearchFunction is the name of a function of two texts that every Conn has: 1 where
// the first holds the second, 0 where it does not, null where one is null.
//
// The engine's own instr takes time proportional to the product of their lengths, and
// no notice of an interrupt. This one takes time proportional to the first, and looks
// at the context.
const SearchFunction = "shop_contains"

// searchChunk is how many bytes are searched between two checks of the context: some
// tens of microseconds.
const searchChunk = 64 << 10

func (c *Conn) createSearch(self uintptr) error {
	name, err := libc.CString(SearchFunction)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	const flags = sqlite3.SQLITE_UTF8 | sqlite3.SQLITE_DETERMINISTIC | sqlite3.SQLITE_INNOCUOUS
	rc := sqlite3.Xsqlite3_create_function_v2(c.tls, c.db, name, 2, flags, self, functionPointer(onSearch), 0, 0, 0)
	if rc != sqlite3.SQLITE_OK {
		return c.failure(rc)
	}
	return nil
}

// onSearch is called by the engine for the function.
func onSearch(tls *libc.TLS, call uintptr, _ int32, arguments uintptr) {
	c := at[Conn](sqlite3.Xsqlite3_user_data(tls, call))
	values := unsafe.Slice(at[uintptr](arguments), 2)
	var texts [2][]byte
	for i, v := range values {
		if sqlite3.Xsqlite3_value_type(tls, v) == sqlite3.SQLITE_NULL {
			return // the result is null
		}
		p := sqlite3.Xsqlite3_value_blob(tls, v)
		if n := int(sqlite3.Xsqlite3_value_bytes(tls, v)); n > 0 {
			texts[i] = bytesAt(p, n)
		}
	}
	found, done := c.search(texts[0], texts[1])
	if !done {
		sqlite3.Xsqlite3_result_error_code(tls, call, sqlite3.SQLITE_INTERRUPT)
		return
	}
	sqlite3.Xsqlite3_result_int(tls, call, libc.Bool32(found))
}

// search reports whether text holds part. It is not done when the context has ended.
func (c *Conn) search(text, part []byte) (found, done bool) {
	chunk := max(searchChunk, len(part))
	for {
		end := min(len(text), chunk+len(part))
		if bytes.Contains(text[:end], part) {
			return true, true
		}
		if c.searched += end; c.searched >= searchChunk {
			c.searched = 0
			if c.interrupted() {
				return false, false
			}
		}
		if end == len(text) {
			return false, true
		}
		text = text[chunk:]
	}
}
