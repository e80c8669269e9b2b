package shop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/configcheck"
)

// ofInterface are the entities of the interface except usergroups, which users include.
// Options.Without may name entities that the library does not have yet, so that a host's
// own ones keep working later.
var ofInterface = slices.DeleteFunc(slices.Clone(configcheck.OfInterface), func(name string) bool { return name == "usergroups" })

// EntityNames returns the names that [Options.Without] accepts, sorted. A host that wants
// few of the entities passes it without these.
func EntityNames() []string {
	names := slices.Clone(ofInterface)
	for _, e := range entities() {
		if !slices.Contains(names, e.name) {
			names = append(names, e.name)
		}
	}
	slices.Sort(names)
	return names
}

// checkWithout refuses unknown names.
func checkWithout(names []string) error {
	known := EntityNames()
	if slices.Contains(names, "users") {
		known = append(known, "usergroups") // users include them
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			slices.Sort(known)
			return fmt.Errorf("shop: Options.Without names %q, which is none of the entities that can be left out: %q", name, known)
		}
	}
	return nil
}

// needs are the entities without which an entity of the library is left out too.
var needs = map[string][]string{
	"product_variations": {"products", "features"},
	"orders":             {"products"},
}

// leavesOut reports whether an entity is not registered: it is in Without, or needs an entity that
// is, or is the company of another edition.
func (o *Options) leavesOut(name string) bool {
	ofVendors := o.Edition == shopapi.MultiVendor
	if name == "stores" && ofVendors || name == "vendors" && !ofVendors {
		return true
	}
	return slices.ContainsFunc(o.Without, func(without string) bool {
		return without == name || slices.Contains(needs[name], without)
	})
}

// checkPrivileges refuses to rename the privileges of an unknown entity.
func (s *Shop) checkPrivileges(o *Options) error {
	for _, name := range slices.Sorted(maps.Keys(o.Privileges)) {
		left := slices.Contains(o.Without, name) || name == "usergroups" && slices.Contains(o.Without, "users") ||
			name == "combinations" && slices.Contains(o.Without, "options") ||
			strings.HasPrefix(name, "product_variations") && (slices.Contains(o.Without, "products") || slices.Contains(o.Without, "features"))
		if !left && !s.Registered(name) {
			return fmt.Errorf("shop: Options.Privileges names %q, which is not an entity of the library. An entity of your own describes its privileges itself, unless it is named in Without", name)
		}
	}
	return nil
}
