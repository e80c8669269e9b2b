package images

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
)

// Storing returns a Prepare function for an entity's definition. It calls the host's
// [shopapi.Options.StoreImage] for the images of a payload before the transaction, once
// for each reference that the object does not have yet. sent returns the pairs of a
// payload, of the pairs of an object. Storing returns nil if the host stores no images.
func Storing[T any](
	api *shopapi.API, entity string, sent func(*shopapi.Payload) Pairs, of func(*T) []*Pair,
) func(context.Context, *shopapi.Request, *T) (func(*T) error, error) {
	if api.StoreImage() == nil {
		return nil
	}
	return func(ctx context.Context, r *shopapi.Request, before *T) (func(*T) error, error) {
		stored := map[string]string{"": ""}
		if before != nil {
			replaceEach(of(before), func(path string) string {
				stored[path] = path
				return path
			})
		}
		for _, p := range sent(r.Payload) {
			for _, image := range p.images() {
				if _, done := stored[image.Path]; done {
					continue
				}
				if bulk.InDryRun(ctx) {
					stored[image.Path] = image.Path
					continue
				}
				if bulk.InAtomicBatch(ctx) {
					return nil, shopapi.Errorf(400, "Images cannot be stored within a transaction of several changes: in an array, in a request with references, or of an object that the batch creates. Send them apart.")
				}
				path, err := api.StoreImage()(ctx, entity, image.Path)
				if err != nil {
					return nil, err
				}
				if path == "" || pathProblem(path) != "" {
					return nil, fmt.Errorf("images: StoreImage returned %q, which %s", path, wantPath)
				}
				stored[image.Path] = path
			}
		}
		return func(v *T) error {
			replaceEach(of(v), func(path string) string {
				if now, known := stored[path]; known {
					return now
				}
				return path
			})
			return nil
		}, nil
	}
}

// replaceEach replaces the reference of each image.
func replaceEach(pairs []*Pair, replace func(path string) string) {
	for _, p := range pairs {
		for _, image := range p.images() {
			image.Path = replace(image.Path)
		}
	}
}

// Sent are the pairs that fields of a payload write. Fields that hold none are left out.
func Sent(p *shopapi.Payload, fields ...string) (all Pairs) {
	for _, field := range fields {
		if ps, problem := parsePairs(p.Raw(field)); problem == "" {
			all = append(all, ps...)
		}
	}
	return all
}

// Each are pointers to pairs.
func (ps Pairs) Each() []*Pair {
	list := make([]*Pair, len(ps))
	for i := range ps {
		list[i] = &ps[i]
	}
	return list
}
