package exceptions

import (
	"context"

	"github.com/shopapi/shopapi"
)

// An entity answers for the exceptions over the wire (specification, Endpoints,
// exceptions).
type entity struct{ exceptions *Exceptions }

var (
	_ shopapi.Lister  = (*entity)(nil)
	_ shopapi.Getter  = (*entity)(nil)
	_ shopapi.Creator = (*entity)(nil)
	_ shopapi.Updater = (*entity)(nil)
	_ shopapi.Deleter = (*entity)(nil)
)

func (e *entity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "exceptions",
		IDField:    "exception_id",
		Parents:    []string{"products", "stores", "vendors"},
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Cacheable:  true,
	}
}

// List answers the exceptions of one product as a bare array. The product is the
// parent, or the parameter product_id.
func (e *entity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	only, err := productsOf(r)
	if err != nil {
		return nil, err
	}
	if len(only) == 0 {
		return nil, shopapi.Invalid("product_id", "is required: the id of the product whose exceptions are asked for")
	}
	if !only.hold(only[0]) {
		return shopapi.List{Items: []Exception{}, Bare: true}, nil
	}
	list, err := e.exceptions.Find(ctx, only[0])
	return shopapi.List{Items: list, Bare: true}, err
}

func (e *entity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	n, err := shopapi.ParseID("exception", id)
	if err != nil {
		return nil, err
	}
	exception, err := e.exceptions.Get(ctx, n)
	if err != nil {
		return nil, err
	}
	only, err := parentProducts(r)
	if err != nil {
		return nil, err
	}
	return exception, only.check(&exception)
}

// Create takes the product from the parent when the payload names none.
func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	only, err := parentProducts(r)
	if err != nil {
		return shopapi.Reply{}, err
	}
	created, err := e.exceptions.create(ctx, func(exception *Exception) error {
		if len(only) > 0 {
			exception.ProductID = only[0]
		}
		return only.bind(r, exception)
	})
	return shopapi.Reply{ID: shopapi.FormatID(created.ExceptionID)}, err
}

func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	n, err := shopapi.ParseID("exception", id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	only, err := parentProducts(r)
	if err != nil {
		return shopapi.Reply{}, err
	}
	err = e.exceptions.Update(ctx, n, func(exception *Exception) error {
		if err := only.check(exception); err != nil {
			return err
		}
		return only.bind(r, exception)
	})
	return shopapi.Reply{ID: id}, err
}

// Delete heeds the parameter product_id: another product's exception is 404
// (decisions §8).
func (e *entity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	n, err := shopapi.ParseID("exception", id)
	if err != nil {
		return err
	}
	only, err := productsOf(r)
	if err != nil {
		return err
	}
	return e.exceptions.remove(ctx, n, only.check)
}
