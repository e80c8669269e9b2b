package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// resolve finds out whether the write without a response was carried out, completely or
// not at all, and repeats it, which must give the matching response. It returns the
// problems.
func (w *worker) resolve(ctx context.Context, shop model) (carriedOut bool, problems []string, err error) {
	o := w.pending
	if o == nil {
		problems = w.model.differences(shop)
	} else {
		carriedOut, problems = w.outcome(o, shop)
	}
	if len(problems) > 0 {
		return carriedOut, problems, nil
	}
	if o != nil {
		if problems, err = w.again(ctx, o, carriedOut); err != nil || len(problems) > 0 {
			return carriedOut, problems, err
		}
	}
	problems, err = w.replayCreated(ctx)
	return carriedOut, problems, err
}

// outcome reports whether the shop is in the state before the operation or after it.
func (w *worker) outcome(o *operation, shop model) (carriedOut bool, problems []string) {
	before := w.model.differences(shop)
	if len(before) == 0 {
		return false, nil
	}
	after := w.model.clone()
	if o.status == http.StatusCreated {
		for k, s := range shop {
			if k.entity == o.key.entity && s.name == o.name {
				if o.key.id != 0 {
					return true, []string{fmt.Sprintf("twins: %s and %s, %s", k.path(), o.key.path(), o.name)}
				}
				o.key.id = k.id
			}
		}
	}
	if o.status == http.StatusCreated && o.key.id == 0 {
		return false, before
	}
	o.apply(after, o.key.id)
	if problems = after.differences(shop); len(problems) == 0 {
		return true, nil
	}
	return false, append(problems, before...)
}

// again repeats the operation.
func (w *worker) again(ctx context.Context, o *operation, carriedOut bool) (problems []string, err error) {
	if !carriedOut {
		o.sent = time.Now()
	}
	r, err := w.do(ctx, o.request)
	if err != nil {
		return nil, err
	}
	want, known := o.status, o.key.id
	if carriedOut {
		switch o.method {
		case "PUT":
			want = http.StatusPreconditionFailed
		case "DELETE":
			want = http.StatusNotFound
		}
	}
	if r.status != want {
		return []string{fmt.Sprintf("%s again, carried out before: %v: answered %d %.300s, want %d",
			o.method+" "+o.path, carriedOut, r.status, r.body, want)}, nil
	}
	if err := w.done(o, r); err != nil {
		return nil, err
	}
	if known != 0 && o.key.id != known {
		problems = append(problems, fmt.Sprintf("POST %s again: answered the id %d, and made %d", o.path, o.key.id, known))
	}
	return problems, nil
}

// replayCreated repeats the last acknowledged create: the response must be the first
// one, even if the object has changed since.
func (w *worker) replayCreated(ctx context.Context) (problems []string, err error) {
	o := w.created
	if o == nil {
		return nil, nil
	}
	r, err := w.do(ctx, o.request)
	if err != nil {
		return nil, err
	}
	if r.status != http.StatusCreated {
		return []string{r.unexpected("POST " + o.path + " again").Error()}, nil
	}
	if id, err := createdID(r); err != nil || id != o.key.id {
		problems = append(problems, fmt.Sprintf("POST %s again: answered %s, the first answer was %d", o.path, r.body, o.key.id))
	}
	return problems, nil
}

// ascending returns a sorted copy.
func ascending(ids []int64) []int64 { return slices.Sorted(slices.Values(ids)) }
