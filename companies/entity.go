package companies

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// An entity is stores or vendors on the wire. Responses contain the id as store_id; the
// kind may add members to the response of POST, because clients read either (decisions
// §14).
type entity struct {
	resource.Entity
	c *Companies
}

// Describe implements [shopapi.Entity].
func (e *entity) Describe() shopapi.Description {
	d := e.Entity.Describe()
	d.IDField, d.ItemIDField, d.Payload = "store_id", "company_id", e.c.kind.payload
	d.Rules = slices.DeleteFunc(d.Rules, func(r shopapi.Rule) bool { return !e.c.kind.has(r.Field) })
	d.More = e.c.kind.created(e.c.api, "1")
	return d
}

// Create implements [shopapi.Creator].
func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	reply, err := e.Entity.Create(ctx, r)
	if err == nil {
		reply.More = e.c.kind.created(r.API(), reply.ID)
	}
	return reply, err
}

// bindBut binds a payload, and ignores problems of the fields of foreign.
func bindBut(r *shopapi.Request, v *Company, foreign any) error {
	err := r.Bind(v)
	theirs := r.Bind(foreign)
	var all, ignored *shopapi.Error
	if !errors.As(err, &all) || !errors.As(theirs, &ignored) {
		return err
	}
	var problems shopapi.Problems
	for _, name := range slices.Sorted(maps.Keys(all.Fields)) {
		if _, ok := ignored.Fields[name]; !ok {
			problems.Add(name, "%s", all.Fields[name])
		}
	}
	return problems.Err()
}

// thread is the id of the company and that of its thread of reviews, of which it has
// none.
func thread(v *Company) string { return shopapi.FormatID(v.CompanyID) + "_0" }

func each[T any](list []Company, of func(*Company) T) []T {
	items := make([]T, len(list))
	for i := range list {
		items[i] = of(&list[i])
	}
	return items
}
