package bulk

import (
	"slices"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/jsontext"
)

// customerFields returns the names of the fields of addresses that objects of the entity have.
func (x *exporter) customerFields() (names []string) {
	if x.path.Name != "users" && x.path.Name != "orders" {
		return nil
	}
	for _, f := range x.api.CustomerFields() {
		names = append(names, f.Name)
	}
	return names
}

// splitCustomers returns the names among the chosen fields that objects have, and notes the fields of
// addresses that are written: the named ones, or all.
func (x *exporter) splitCustomers(chosen []string) (names []string) {
	all := x.customerFields()
	if all == nil {
		return chosen
	}
	for _, name := range chosen {
		if slices.Contains(all, name) {
			x.customers = append(x.customers, name)
			name = field.CustomerMember
		}
		names = append(names, name)
	}
	if x.customers == nil || slices.Contains(chosen, field.CustomerMember) || slices.Contains(chosen, "*") {
		x.customers = all
	}
	return names
}

// spreadCustomers writes an object with the fields of addresses by their own names, null where there is
// none.
func (x *exporter) spreadCustomers(dst, object []byte) []byte {
	dst = append(dst, '{')
	add := func(name, value []byte) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(append(append(dst, '"'), name...), `":`...), value...)
	}
	var fields []byte
	jsontext.Members(object, func(name, value []byte) {
		if string(name) == field.CustomerMember {
			fields = value
			return
		}
		add(name, value)
	})
	if fields != nil {
		values := map[string][]byte{}
		jsontext.Members(fields, func(name, value []byte) { values[string(name)] = value })
		for _, name := range x.customers {
			value, ok := values[name]
			if !ok {
				value = []byte("null")
			}
			add([]byte(name), value)
		}
	}
	return append(dst, '}')
}

// customerColumns replaces the member of the fields of addresses by their names.
func (x *exporter) customerColumns(names []string) []string {
	at := slices.Index(names, field.CustomerMember)
	if at < 0 || x.customers == nil {
		return names
	}
	return slices.Replace(names, at, at+1, x.customers...)
}
