package respcache

import (
	"crypto/sha256"
	"encoding/binary"
)

// A UserKey identifies a user with its privileges in the cache.
type UserKey [sha256.Size]byte

// KeyOf returns the key of a user: a hash of everything that responses can depend on, in a
// fixed order.
func KeyOf(attributes ...string) UserKey {
	b := make([]byte, 0, 512)
	for _, text := range attributes {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return sha256.Sum256(b)
}
