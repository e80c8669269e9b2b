package configcheck_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/configcheck"
)

func TestMistakes(t *testing.T) {
	m := configcheck.Mistakes{Prefix: "Options."}
	m.Negative("Limits.", struct {
		Body, Cache int64
		Time        time.Duration
		Name        string
	}{-1, -1, -2, ""}, "Cache")
	m.Proxies("Proxies", []netip.Prefix{{}, netip.MustParsePrefix("10.0.0.0/8")})
	m.Header("Header", "X-Real-IP")
	m.Header("Header", "X Real")
	m.Origins("Origins", []string{"https://a.example"})
	m.Word("Brand", "a b")
	m.Word("Brand", "a")
	var got []string
	for _, err := range m.Found {
		got = append(got, err.Error())
	}
	want := []string{
		"Options.Limits.Body must not be negative: it is -1",
		"Options.Limits.Time must not be negative: it is -2",
		"Options.Proxies has invalid Prefix",
		`Options.Header is "X Real", which is not the name of a header`,
		`Options.Brand must be one word: it is "a b"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	m.Found = nil
	m.Origins("Origins", []string{"https://a.example/"})
	if errors.Unwrap(m.Found[0]) == nil {
		t.Error("the error of the origin is not wrapped")
	}
}

func TestUnknown(t *testing.T) {
	got := configcheck.Unknown([]string{"shelf", "products", "aisle", "shelf"}, configcheck.OfInterface...)
	if diff := cmp.Diff([]string{"aisle", "shelf"}, got); diff != "" {
		t.Error(diff)
	}
}
