package address_test

import (
	"testing"

	"github.com/shopapi/shopapi/address"
)

// TestAddress_StoredAsText: the text lacks empty fields, and a field that was never written is the
// empty address.
func TestAddress_StoredAsText(t *testing.T) {
	for want, a := range map[string]address.Address{
		`{"city":"Oslo","country":"NO"}`: {City: "Oslo", Country: "NO"},
		`{}`:                             {},
	} {
		text, err := a.MarshalText()
		if err != nil || string(text) != want {
			t.Errorf("%+v is stored as %s, %v, want %s", a, text, err, want)
		}
		again := address.Address{Phone: "1"}
		if err := again.UnmarshalText(text); err != nil || again != a {
			t.Errorf("%s is read as %+v, %v", text, again, err)
		}
	}
	for _, text := range []string{"", "[]"} {
		a := address.Address{City: "Oslo"}
		if err := a.UnmarshalText([]byte(text)); err != nil || a != (address.Address{}) {
			t.Errorf("%q is read as %+v, %v", text, a, err)
		}
	}
	if err := new(address.Address).UnmarshalText([]byte(`{"city"`)); err == nil {
		t.Error("half a document is an address")
	}
}
