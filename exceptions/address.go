package exceptions

import "github.com/shopapi/shopapi"

// products are those that an address names: its parent, and the parameter
// product_id. An exception is within when it belongs to each of them.
type products []int64

// parentProducts returns the product above the request, if there is one.
func parentProducts(r *shopapi.Request) (products, error) {
	parent, nested := r.Parent()
	if !nested || parent.Entity != "products" {
		return nil, nil
	}
	id, err := shopapi.ParseID("product", parent.ID)
	if err != nil {
		return nil, err
	}
	return products{id}, nil
}

// productsOf also heeds the parameter product_id. It returns a 400 when that is
// no number.
func productsOf(r *shopapi.Request) (products, error) {
	only, err := parentProducts(r)
	if err != nil {
		return nil, err
	}
	var filter struct {
		ProductID *int64 `json:"product_id"`
	}
	if err := r.BindFilter(&filter); err != nil {
		return nil, err
	}
	if filter.ProductID != nil {
		only = append(only, *filter.ProductID)
	}
	return only, nil
}

// hold reports whether the product is each of those named.
func (p products) hold(id int64) bool {
	for _, named := range p {
		if named != id {
			return false
		}
	}
	return true
}

// check returns a 404 for an exception of another product.
func (p products) check(e *Exception) error {
	if !p.hold(e.ProductID) {
		return notFound(e.ExceptionID)
	}
	return nil
}

// bind lays the payload over an exception. Naming another product than the address
// is a problem.
func (p products) bind(r *shopapi.Request, e *Exception) error {
	var problems shopapi.Problems
	problems.Merge(r.Bind(e))
	if !p.hold(e.ProductID) {
		problems.Add("product_id", "must be that of the address, %d, not %d", p[0], e.ProductID)
	}
	return problems.Err()
}
