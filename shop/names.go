package shop

import (
	"fmt"
	"maps"
	"slices"
)

// further are the entities of the interface that the library does not have yet.
// Options.Without may name them, so that a host's own ones stay when it does.
var further = []string{
	"features", "options", "combinations", "product_variations", "product_variations_groups",
	"master_products", "master_product_offers", "orders", "carts", "shipments", "pages", "blocks",
	"payments", "shippings", "taxes", "statuses", "settings", "stores", "vendors", "languages",
	"langvars", "auth",
}

// checkWithout refuses names that leave nothing out.
func checkWithout(names []string) error {
	known := slices.Clone(further)
	for _, e := range new(Shop).entities() {
		known = append(known, e.name)
	}
	if slices.Contains(names, "users") {
		known = append(known, "usergroups") // which go with them
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			slices.Sort(known)
			return fmt.Errorf("shop: Options.Without names %q, which is none of the entities that can be left out: %q", name, known)
		}
	}
	return nil
}

// checkPrivileges refuses to rename the privileges of an entity that is neither
// registered nor left to the host.
func (s *Shop) checkPrivileges(o *Options) error {
	for _, name := range slices.Sorted(maps.Keys(o.Privileges)) {
		left := slices.Contains(o.Without, name) || name == "usergroups" && slices.Contains(o.Without, "users")
		if !left && !s.Registered(name) {
			return fmt.Errorf("shop: Options.Privileges names %q, which is no entity of the library. An entity of your own describes its privileges itself, unless it is named in Without", name)
		}
	}
	return nil
}
