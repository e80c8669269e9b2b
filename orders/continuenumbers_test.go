package orders

import "testing"

// A number is read as it is written. Texts of another form, or with other digits than a number
// is written with, are none.
func TestNumberForm_Parse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		form, text string
		year, n    int64
		ok         bool
	}{
		{"INV-{year}-{number}", "INV-2027-1500", 2027, 1500, true},
		{"{number}", "205", 0, 205, true},
		{"{number}/{year} (A)", "7/2026 (A)", 2026, 7, true},
		{"{year}{number}", "202612", 2026, 12, true},
		{"INV-{number}", "INV-007", 0, 0, false},
		{"INV-{number}", "INV-7b", 0, 0, false},
		{"INV-{number}", "RE-7", 0, 0, false},
		{"INV-{number}", "INV-99999999999999999999", 0, 0, false},
		{"INV-{number}", "", 0, 0, false},
	} {
		year, n, ok := numberForm(tc.form).parse(tc.text)
		if ok != tc.ok || ok && (year != tc.year || n != tc.n) {
			t.Errorf("%s in the form %s: %d, %d, %v, want %d, %d, %v", tc.text, tc.form, year, n, ok, tc.year, tc.n, tc.ok)
		}
	}
}
