package shopapi

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// §3: the memory that guessing takes is bounded, and what is in use stays.
func TestGuessing_MemoryIsBounded(t *testing.T) {
	g := newGuard(Limits{Guesses: 2, GuessWindow: time.Minute, GuessMemory: 10})
	now := time.Unix(0, 0)
	try := func(i int) attempt {
		return attempt{
			address: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}),
			email:   sha256.Sum256(fmt.Append(nil, "email", i)),
			proof:   sha256.Sum256(fmt.Append(nil, "proof", i)),
		}
	}
	g.proved(try(0))
	for i := range 1000 {
		g.failed(try(i+1), now)
		g.proved(try(i + 1001))
		if _, blocked := g.blocked(try(0), now); blocked {
			t.Fatal("proven credentials in use were forgotten")
		}
	}
	for name, size := range map[string]int{
		"addresses": len(g.byAddress.items), "e-mails": len(g.byEmail.items), "proven": len(g.proven.items),
		"address order": g.byAddress.order.Len(), "e-mail order": g.byEmail.order.Len(), "proven order": g.proven.order.Len(),
	} {
		if size != 10 {
			t.Errorf("%s: %d remembered, want 10", name, size)
		}
	}
	g.failed(try(1000), now)
	if wait, blocked := g.blocked(try(1000), now.Add(time.Second)); !blocked || wait != 59*time.Second {
		t.Errorf("wait %s, blocked %v", wait, blocked)
	}
}
