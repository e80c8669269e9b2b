package texts

import (
	"slices"
	"testing"
)

// A text is looked for in the named language, then in the default one, then in the base
// language, and in each once (§15).
func TestLanguage_Chain(t *testing.T) {
	for _, tt := range []struct {
		l             Language
		chain, others []string
		isBase        bool
	}{
		{Language{"en", "en", "en"}, []string{"en"}, nil, true},
		{Language{"de", "en", "en"}, []string{"de", "en"}, []string{"de"}, false},
		{Language{"en", "de", "en"}, []string{"en", "de"}, []string{"de"}, false},
		{Language{"de", "de", "en"}, []string{"de", "en"}, []string{"de"}, false},
		{Language{"fr", "de", "en"}, []string{"fr", "de", "en"}, []string{"fr", "de"}, false},
	} {
		if got := tt.l.Chain(); !slices.Equal(got, tt.chain) {
			t.Errorf("%v: the chain is %v, want %v", tt.l, got, tt.chain)
		}
		if got := tt.l.Others(); !slices.Equal(got, tt.others) {
			t.Errorf("%v: the translations are in %v, want %v", tt.l, got, tt.others)
		}
		if got := tt.l.IsBase(); got != tt.isBase {
			t.Errorf("%v: IsBase is %v", tt.l, got)
		}
	}
}
