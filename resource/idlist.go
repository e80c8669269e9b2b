package resource

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// DropIDs returns a function for [shopapi.API.BeforeDelete] that takes the ids of
// deleted objects out of the lists of ids that rows of a table hold in a column
// (decisions §14). The rows are objects of the named entity.
func DropIDs[T any](api *shopapi.API, st store.Store, entity string, table *store.Table[T], column string, list func(*T) *shopapi.IDList) shopapi.DeleteFunc {
	return func(ctx context.Context, ids []int64) error {
		return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			var changed []*T
			err := table.Each(tx, store.Query{Where: []store.Cond{store.NotEqual(column, store.String(""))}}, func(row *T) error {
				if l := list(row); l.Without(ids...) != *l {
					*l = l.Without(ids...)
					changed = append(changed, row)
				}
				return nil
			})
			if err != nil {
				return err
			}
			changedIDs := make([]int64, len(changed))
			for i, row := range changed {
				SetStamp(ctx, api, row)
				if err := table.Update(tx, row); err != nil {
					return err
				}
				changedIDs[i] = table.Key(row)
			}
			api.RecordEach(ctx, entity, shopapi.OpUpdate, changedIDs, column)
			return nil
		})
	}
}

// CheckIDs notes on a field the first id of a list that names no object of an
// entity, unless the list is as it was.
func CheckIDs(ctx context.Context, api *shopapi.API, problems *shopapi.Problems, field, entity string, list shopapi.IDList) error {
	if problems.Skips(field) {
		return nil
	}
	ids := list.IDs()
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if err := api.CheckReference(ctx, problems, field, entity, id); err != nil || problems.Has(field) {
			return err
		}
	}
	return nil
}

// CheckUsergroups reports the first id in usergroup_ids that is not a user group, unless
// the list is unchanged. 0 is everybody.
func CheckUsergroups(ctx context.Context, api *shopapi.API, problems *shopapi.Problems, list shopapi.IDList) error {
	return CheckIDs(ctx, api, problems, "usergroup_ids", "usergroups", list.Without(0))
}

// NormalizeIDs brings a list of ids into its normal form, and reports invalid ids.
func NormalizeIDs(problems *shopapi.Problems, field string, list *shopapi.IDList) {
	if err := list.UnmarshalText([]byte(*list)); err != nil {
		problems.Add(field, "%s", err)
	}
}
