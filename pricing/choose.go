package pricing

// A Place is where an address lies, as far as taxes ask.
type Place struct{ Country, State, Zipcode string }

// An AreaRate is the rate of a tax in an area. Empty parts fit everywhere.
type AreaRate struct {
	Area     Place
	Shipping bool // it is for shipping, else for products
	TaxRate
}

// Choose returns the rate that fits a place best, nil when none does. A rate that names
// the zipcode beats a rate that does not; of rates alike in this the state decides, and then
// the country. Of equals the first counts.
func Choose(rates []AreaRate, at Place, shipping bool) *TaxRate {
	best, rank := -1, -1
	for i, r := range rates {
		fits := func(named, is string) bool { return named == "" || named == is }
		if r.Shipping != shipping || !fits(r.Area.Country, at.Country) || !fits(r.Area.State, at.State) || !fits(r.Area.Zipcode, at.Zipcode) {
			continue
		}
		named := 0
		for i, part := range []string{r.Area.Country, r.Area.State, r.Area.Zipcode} {
			if part != "" {
				named |= 1 << i
			}
		}
		if named > rank {
			best, rank = i, named
		}
	}
	if best < 0 {
		return nil
	}
	return &rates[best].TaxRate
}
