package respcache

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"slices"
)

// A responseKey is a hash of everything in a request that its response can depend on.
type responseKey [16]byte

// maxKey is how many bytes path, escaped path, query and Accept of a cached request have together.
const maxKey = 2 << 10

// responseKeyOf returns the key of a request. Ok is false for longer requests, and for several
// Accept headers: both are rare.
func responseKeyOf(req *http.Request, user UserKey, coding string) (k responseKey, ok bool) {
	accept := ""
	switch values := req.Header["Accept"]; len(values) {
	case 0:
	case 1:
		accept = values[0]
	default:
		return k, false
	}
	texts := [...]string{req.URL.Path, req.URL.RawPath, canonicalQuery(req.URL.RawQuery), accept, coding}
	length := -len(coding)
	for _, text := range texts {
		length += len(text)
	}
	if length > maxKey {
		return k, false
	}
	hash := sha256.Sum256(appendTexts(append(make([]byte, 0, 512), user[:]...), texts[:]))
	return responseKey(hash[:len(k)]), true
}

// A UserKey identifies a user with its privileges in the cache.
type UserKey [sha256.Size]byte

// KeyOf returns the key of a user: a hash of everything that responses can depend on, in a
// fixed order.
func KeyOf(attributes ...string) UserKey {
	return sha256.Sum256(appendTexts(make([]byte, 0, 512), attributes))
}

// appendTexts appends texts so that different ones are never equal.
func appendTexts(b []byte, texts []string) []byte {
	for _, text := range texts {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return b
}

// UserKeyOf returns the key of a user with these attributes and privileges.
func UserKeyOf(privileges map[string]bool, attributes ...string) UserKey {
	names := make([]string, 0, len(privileges))
	for name, has := range privileges {
		if has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return KeyOf(append(attributes, names...)...)
}

// SizeOfUser is the number of bytes that a cached user with these privileges and texts takes.
func SizeOfUser(privileges map[string]bool, texts ...string) int64 {
	const perUser, perPrivilege = 512, 64
	size := perUser
	for _, text := range texts {
		size += len(text)
	}
	for name := range privileges {
		size += perPrivilege + len(name)
	}
	return int64(size)
}
