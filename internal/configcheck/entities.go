package configcheck

import "slices"

// OfInterface are the names of the entities of the interface, whether or not an API has them.
var OfInterface = []string{
	"auth", "blocks", "call_requests", "carts", "categories", "combinations", "discussions", "exceptions", "features",
	"languages", "langvars", "master_product_offers", "master_products", "options", "orders", "pages", "payments",
	"product_variations", "product_variations_groups", "products", "settings", "shipments", "shippings", "statuses",
	"stores", "taxes", "usergroups", "users", "vendors",
}

// Unknown returns the names that are not among the known ones, sorted, each once.
func Unknown(names []string, known ...string) []string {
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) })
	slices.Sort(unknown)
	return slices.Compact(unknown)
}
