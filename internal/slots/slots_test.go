package slots_test

import (
	"testing"

	"github.com/shopapi/shopapi/internal/slots"
)

func TestSlots_Enter(t *testing.T) {
	s := slots.New[string](3, 2)
	first, ok := s.Enter("ann")
	if !ok {
		t.Fatal("the first slot is taken")
	}
	if _, ok := s.Enter("ann"); !ok {
		t.Fatal("the second slot of a client is taken")
	}
	if _, ok := s.Enter("ann"); ok {
		t.Error("a client has a slot more than each may have")
	}
	if _, ok := s.Enter("bob"); !ok {
		t.Fatal("another client has no slot")
	}
	none, ok := s.Enter("cid")
	if ok {
		t.Error("there is a slot more than all may have")
	}
	none()
	first()
	first()
	if _, ok := s.Enter("cid"); !ok {
		t.Error("a slot that was left is taken")
	}
	if _, ok := s.Enter("ann"); ok {
		t.Error("leaving twice freed two slots")
	}
}
