package loginlimit

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// §3: the memory that guessing takes is bounded, and what is in use stays.
func TestLimiter_MemoryIsBounded(t *testing.T) {
	l := New(2, time.Minute, 10)
	now := time.Unix(0, 0)
	try := func(i int) Attempt {
		return Attempt{
			Address:     netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}),
			Email:       sha256.Sum256(fmt.Append(nil, "email", i)),
			Credentials: sha256.Sum256(fmt.Append(nil, "credentials", i)),
		}
	}
	l.Succeeded(try(0))
	for i := range 1000 {
		l.Failed(try(i+1), now)
		l.Succeeded(try(i + 1001))
		if _, blocked := l.Blocked(try(0), now); blocked {
			t.Fatal("known good credentials in use were evicted")
		}
	}
	for name, size := range map[string]int{
		"addresses": len(l.byAddress.items), "e-mails": len(l.byEmail.items), "known good": len(l.knownGood.items),
		"address order": l.byAddress.recent.Len(), "e-mail order": l.byEmail.recent.Len(), "known good order": l.knownGood.recent.Len(),
	} {
		if size != 10 {
			t.Errorf("%s: %d entries, want 10", name, size)
		}
	}
	l.Failed(try(1000), now)
	if wait, blocked := l.Blocked(try(1000), now.Add(time.Second)); !blocked || wait != 59*time.Second {
		t.Errorf("wait %s, blocked %v", wait, blocked)
	}
}
