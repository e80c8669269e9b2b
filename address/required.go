package address

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/plain"
)

// fieldNames are the fields of an address that are written, without b_ and s_.
var fieldNames = []string{"firstname", "lastname", "address", "address_2", "city", "county", "state", "country", "zipcode", "phone"}

// DefaultRequired is the value of the setting order_required_fields of a shop that sets none
// (decisions §18, §27).
const DefaultRequired = "firstname,lastname,address,city,country,zipcode"

// ParseRequired returns the names that the setting order_required_fields contains, separated
// by commas: the fields, without b_ and s_, that both addresses of an order need. The empty
// text has none. It returns an error for the name of another field.
func ParseRequired(text string) ([]string, error) {
	var names []string
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(fieldNames, name) {
			return nil, fmt.Errorf("must be names separated by commas, of %s; not %s", strings.Join(fieldNames, ", "), plain.Quoted(name))
		}
		names = append(names, name)
	}
	return names, nil
}
