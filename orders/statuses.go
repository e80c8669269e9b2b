package orders

import (
	"context"
	"errors"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Statuses are the statuses that the orders of a store can have.
//
// Create gives a status the first free capital letter, else the first free digit. Update
// does not change the letter, does not remove parameters and moves no stock. Delete
// returns a 400 for a default status and for a status that orders have.
type Statuses struct {
	resource.Objects[Status]             // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[StatusFilter, Status] // Find, All

	api  *shopapi.API
	rows resource.Collection[Status, Status]
}

func newStatuses(ctx context.Context, api *shopapi.API, st store.Store) (_ *Statuses, err error) {
	s := &Statuses{api: api}
	if s.rows, err = resource.New(api, st, statusesDefinition(s)); err != nil {
		return nil, err
	}
	s.Objects = s.rows
	s.Lists = resource.ListsOf[StatusFilter](s.rows)
	if err := s.rows.Migrate(ctx); err != nil {
		return nil, err
	}
	return s, addStockStatuses(ctx, st)
}

// addStockStatuses adds the default statuses that are missing. It tries again once if
// another process does so at the same moment.
func addStockStatuses(ctx context.Context, st store.Store) error {
	add := func() error {
		return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			known := map[string]bool{}
			err := statuses.Each(tx, store.Query{}, func(s *Status) error {
				known[s.Status] = true
				return nil
			})
			for i := 0; i < len(stock) && err == nil; i++ {
				if s := stock[i]; !known[s.Status] {
					err = statuses.Insert(tx, &s)
				}
			}
			return err
		})
	}
	err := add()
	if errors.Is(err, store.ErrConflict) {
		err = add()
	}
	return err
}

func statusesDefinition(s *Statuses) resource.Definition[Status, Status] {
	return resource.Definition[Status, Status]{
		Name:       "statuses",
		Object:     "status",
		Summary:    "The states that orders can be in, and what each does.",
		Privileges: shopapi.Privileges{View: "view_statuses", Manage: "manage_statuses"},
		Display:    shopapi.Display{Label: "description"},
		Table:      statuses,
		Filter:     func() resource.Filter { return new(StatusFilter) },
		Sorts:      statusSorts,
		Wire:       resource.Wire[Status, Status]{StringIDs: true},
		Scope: resource.Scope[Status]{
			AuthorizeRequest: s.authorize,
			Authorize:        mayDelete,
		},
		Rules: resource.Rules[Status]{
			RestoreImmutable: keepStatus,
			Check:            checkStatus,
		},
	}
}

// authorize returns a 403 where only administrators of the whole shop may write.
func (s *Statuses) authorize(user *shopapi.User, op shopapi.Operation, parents []string) error {
	reads := op == shopapi.OpList || op == shopapi.OpGet
	if !reads && s.api.Edition() == shopapi.MultiStorefront && user != nil && !user.Root && user.CompanyID != 0 {
		return shopapi.Errorf(http.StatusForbidden, "Statuses are those of all storefronts: only administrators of all of them may change them.")
	}
	return resource.ReadOnlyForVendors(user, op, parents)
}

// mayDelete returns a 400 for a status that is there to stay, or that orders have.
func mayDelete(_ context.Context, tx store.Tx, op shopapi.Operation, s *Status) error {
	if op != shopapi.OpDelete {
		return nil
	}
	if s.isStock() || bool(s.IsDefault) {
		return shopapi.Errorf(http.StatusBadRequest, "The status %s (%s) is a default one: it can be changed, and not deleted.", s.Status, s.Description)
	}
	n, err := table.Count(tx, store.Equal("status", store.String(s.Status)))
	if err == nil && n > 0 {
		return shopapi.Errorf(http.StatusBadRequest, "The status %s (%s) cannot be deleted: %d orders have it. Give them another one first.", s.Status, s.Description, n)
	}
	return err
}

// newStatusCache returns the cache of [Orders.statusOf].
func newStatusCache(st store.Store) tablecache.Cache[string, Status] {
	const perStatus = 512
	size := func(s Status) int64 {
		return perStatus*int64(1+len(s.Params)) + int64(len(s.Description)+len(s.EmailSubj)+len(s.EmailHeader))
	}
	return tablecache.New[string](st, 2<<20, size, statuses.Schema())
}

// statusOf returns the status with a letter, which the caller must not alter; a deleted
// status takes no stock.
func (o *Orders) statusOf(ctx context.Context, tx store.Tx, letter string) (Status, error) {
	return o.statusCache.InUpdate(ctx, tx, letter, func(tx store.Tx) (Status, error) {
		s, err := statuses.First(tx, store.Query{Where: []store.Cond{store.Equal("status", store.String(letter))}})
		if errors.Is(err, store.ErrNotFound) {
			return Status{Status: letter}, nil
		}
		return s, err
	})
}

// checkLetter reports on a field that no status has the letter in it.
func checkLetter(tx store.Tx, field, letter string, problems *shopapi.Problems) error {
	return checkLetters(tx, field, []string{letter}, problems)
}

// checkLetters notes on a field the first letter that no status has.
func checkLetters(tx store.Tx, field string, letters []string, problems *shopapi.Problems) error {
	if len(letters) == 0 {
		return nil
	}
	values := make([]store.Value, len(letters))
	for i, letter := range letters {
		values[i] = store.String(letter)
	}
	known := map[string]bool{}
	err := statuses.Each(tx, store.Query{Where: []store.Cond{store.In("status", values...)}}, func(s *Status) error {
		known[s.Status] = true
		return nil
	})
	for _, letter := range letters {
		if err == nil && !known[letter] {
			problems.Add(field, "must be the letter of a status, not %s", plain.Quoted(letter))
			return nil
		}
	}
	return err
}
