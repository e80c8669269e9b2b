package shippings

import (
	"strings"

	"github.com/shopapi/shopapi/pricing"
)

// Limits of the parsed rates that are cached, whose stored form is short: some hundred
// KiB in all.
const (
	maxParsed      = 64
	maxParsedBytes = 2 << 10
)

// Pricing is [Shipping.Pricing] for a stored method, with the parsed rates cached.
func (s *Shippings) Pricing(method *Shipping, destinations ...int64) *pricing.Shipping {
	return &pricing.Shipping{Rates: s.parse(method.Rates), Destinations: destinations, TaxIDs: method.TaxIDs.IDs()}
}

func (s *Shippings) parse(stored Rates) []pricing.Rate {
	if len(stored) > maxParsedBytes {
		return stored.Pricing()
	}
	s.mu.Lock()
	rates, known := s.parsed[stored]
	s.mu.Unlock()
	if known {
		return rates
	}
	rates = stored.Pricing()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parsed == nil || len(s.parsed) >= maxParsed {
		s.parsed = make(map[Rates][]pricing.Rate)
	}
	s.parsed[Rates(strings.Clone(string(stored)))] = rates // stored may be a substring of a whole row
	return rates
}
