package products

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Part is an extension of products by another package: values of features, options,
// groups of variations, or fields of a host. It implements any of [Loader], [Binder],
// [Deriver], [Checker], [Writer] and [Filterer]; [Products.Use] adds it. Parts run in the
// order in which they were added. The methods run in the transaction of the read or the
// change, and return its errors unchanged.
type Part interface {
	// PartName is the name of the part, such as that of its entity. Names are unique.
	PartName() string
}

// A Loader is a [Part] that fills in fields of products that are read.
type Loader interface {
	Part

	// LoadProducts fills in fields of products, in a number of reads that does not depend
	// on the number of products.
	LoadProducts(ctx context.Context, tx store.Tx, r Reading, list ...*Summary) error
}

// A Fielder is a [Loader] that fills in these fields of answers alone: it is not called for
// answers without them.
type Fielder interface {
	Part

	// ProductFields returns the names of the fields on the wire.
	ProductFields() []string
}

// A Binder is a [Part] that reads fields of payloads.
type Binder interface {
	Part

	// BindProduct sets the fields of a product that the payload has. It returns a 400
	// [*shopapi.Error] that names the field with an invalid value.
	BindProduct(ctx context.Context, payload *shopapi.Payload, p *Summary) error
}

// A Deriver is a [Part] with fields that follow from others.
type Deriver interface {
	Part

	// DeriveProduct sets the fields of after that follow from others, before the checks.
	// The ProductID of before is 0 for a new product.
	DeriveProduct(tx store.Tx, before, after *Product) error
}

// A Checker is a [Part] with rules on products.
type Checker interface {
	Part

	// CheckProduct adds a problem for each invalid field of after, unless the field is
	// as in before. The ProductID of before is 0 for a new product.
	CheckProduct(ctx context.Context, tx store.Tx, before, after *Summary, problems *shopapi.Problems) error
}

// A Writer is a [Part] with rows of its own.
type Writer interface {
	Part

	// WriteProduct stores the part of a product after the product's own row. The ProductID
	// of before is 0 for a new product; after has its id.
	WriteProduct(ctx context.Context, tx store.Tx, before, after *Product) error
}

// A Filterer is a [Part] with filter parameters.
type Filterer interface {
	Part

	// FilterProducts adds the conditions of the part's parameters to w.
	FilterProducts(w *resource.Where, f *Filter)
}

// A Reading is the purpose for which a [Loader] is called. Each read calls it with Values
// first; answers then call it with Listed or Single.
type Reading struct {
	Purpose   Purpose
	Variation VariationDetails // requested details of groups of variations
	Options   bool             // a list asks for the options of its products
}

// A Purpose is a step of a read.
type Purpose int

// The purposes of a [Reading].
const (
	Values Purpose = iota // fields that a change may set
	Listed                // further fields of products in lists
	Single                // further fields of one product
)

// parts are the parts of products, listed by the interfaces that they implement, in the order of Use.
type parts struct {
	names     []string
	loaders   []Loader
	binders   []Binder
	derivers  []Deriver
	checkers  []Checker
	writers   []Writer
	filterers []Filterer
}

// Use adds a part to products. It is called before the first request is served, and returns
// an error if there is a part with the same name.
func (p *Products) Use(part Part) error {
	if p.uses(part.PartName()) {
		return fmt.Errorf("products: there is a part named %s already", part.PartName())
	}
	p.names = append(p.names, part.PartName())
	add(&p.loaders, part)
	add(&p.binders, part)
	add(&p.derivers, part)
	add(&p.checkers, part)
	add(&p.writers, part)
	add(&p.filterers, part)
	return nil
}

// add appends a part to a list if it implements the interface of the list.
func add[P Part](list *[]P, part Part) {
	if p, ok := part.(P); ok {
		*list = append(*list, p)
	}
}

// uses reports whether there is a part with the name.
func (p *Products) uses(name string) bool { return slices.Contains(p.names, name) }

// The library's own parts that products ask for. Without one of them its filters find
// nothing (decisions §5).
const (
	featuresPart   = "features"
	optionsPart    = "options"
	variationsPart = "product_variations"
	ordersPart     = "orders"
)

// bindParts has the parts read their fields of a payload.
func (p *Products) bindParts(ctx context.Context, payload *shopapi.Payload, s *Summary) error {
	var problems shopapi.Problems
	if !p.uses(featuresPart) {
		problems.Merge(bindDocuments(payload, s))
	}
	for _, part := range p.binders {
		problems.Merge(part.BindProduct(ctx, payload, s))
	}
	return problems.Err()
}

// filterParts adds the conditions of the parts' parameters. A parameter whose part is
// missing matches no product.
func (p *Products) filterParts(w *resource.Where, f *Filter) {
	for _, part := range p.filterers {
		part.FilterProducts(w, f)
	}
	if f.FeaturesHash != "" && !p.uses(featuresPart) {
		w.Add(store.Any())
	}
	if !p.uses(variationsPart) {
		f.VariationFilter.withoutGroups(w)
	}
	if f.OrderIDs != nil && !p.uses(ordersPart) && w.For("order_ids").FitsList(len(f.OrderIDs)) {
		w.Add(store.Any())
	}
}
