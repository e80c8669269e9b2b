package resource

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// DropIDs returns a function for [shopapi.API.BeforeDelete] that takes the ids of
// deleted objects out of the lists of ids that rows of a table hold in a column
// (decisions §14). The rows are objects of the named entity.
func DropIDs[T any](api *shopapi.API, st store.Store, entity string, table *store.Table[T], column string, list func(*T) *shopapi.IDList) shopapi.DeleteFunc {
	return dropIDs(api, st, entity, table, column, func(ctx context.Context, tx store.Tx, ids []int64) ([]int64, error) {
		return DropFromLists(ctx, tx, table, column, list, ids)
	})
}

// DropUsergroups is DropIDs for the column usergroup_ids and deleted user groups, whose lists
// are never empty: see [DropUsergroupsFromLists].
func DropUsergroups[T any](api *shopapi.API, st store.Store, entity string, table *store.Table[T], list func(*T) *shopapi.IDList) shopapi.DeleteFunc {
	return dropIDs(api, st, entity, table, usergroups, func(ctx context.Context, tx store.Tx, ids []int64) ([]int64, error) {
		return DropUsergroupsFromLists(ctx, tx, table, list, ids)
	})
}

func dropIDs[T any](api *shopapi.API, st store.Store, entity string, table *store.Table[T], column string, drop func(ctx context.Context, tx store.Tx, ids []int64) ([]int64, error)) shopapi.DeleteFunc {
	return func(ctx context.Context, ids []int64) error {
		return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			changed, err := drop(ctx, tx, ids)
			if err != nil || len(changed) == 0 {
				return err
			}
			api.RecordEach(ctx, entity, shopapi.OpUpdate, changed, column)
			if table.Schema().Index("updated_at") < 0 {
				return nil
			}
			return table.Set(tx, "updated_at", api.Now(ctx).Unix(), store.InInts(table.Schema().Key(), changed...))
		})
	}
}

// DropFromLists takes ids out of the lists of ids that rows of a table hold in a column, and
// returns the keys of the rows that had them. It reads no other column, and writes all rows
// with equal lists by one statement: thousands of rows may name an object, at most [MaxDependents].
func DropFromLists[T any](ctx context.Context, tx store.Tx, table *store.Table[T], column string, list func(*T) *shopapi.IDList, ids []int64) (changed []int64, err error) {
	return dropFromLists(ctx, tx, table, column, list, ids, "")
}

// The column of groups of users, and its list that means everybody, as an empty one does when
// it is written.
const (
	usergroups = "usergroup_ids"
	everybody  = "0"
)

// DropUsergroupsFromLists is DropFromLists for the column usergroup_ids. A list of which no
// group is left becomes 0, everybody.
func DropUsergroupsFromLists[T any](ctx context.Context, tx store.Tx, table *store.Table[T], list func(*T) *shopapi.IDList, ids []int64) (changed []int64, err error) {
	return dropFromLists(ctx, tx, table, usergroups, list, ids, everybody)
}

// dropFromLists is DropFromLists where a list without ids is written as empty.
func dropFromLists[T any](ctx context.Context, tx store.Tx, table *store.Table[T], column string, list func(*T) *shopapi.IDList, ids []int64, empty shopapi.IDList) (changed []int64, err error) {
	rows, gone := map[shopapi.IDList][]int64{}, map[int64]bool{} // rows by the list that is left
	for _, id := range ids {
		gone[id] = true
	}
	err = table.Subset(column).Each(tx, store.Query{Where: []store.Cond{
		store.NotEqual(column, store.String("")), store.NotEqual(column, store.String(string(empty))),
	}}, func(row *T) error {
		had := list(row).IDs()
		left := slices.DeleteFunc(slices.Clone(had), func(id int64) bool { return gone[id] })
		if len(left) == len(had) {
			return nil
		}
		rest := cmp.Or(idListOf(left), empty)
		rows[rest] = append(rows[rest], table.Key(row))
		changed = append(changed, table.Key(row))
		return nil
	})
	if err == nil {
		err = CheckDependents(ctx, int64(len(changed)), MaxDependents, "objects of "+table.Schema().Name)
	}
	if err != nil {
		return nil, err
	}
	for _, left := range slices.Sorted(maps.Keys(rows)) {
		if err := table.SetText(tx, column, string(left), store.InInts(table.Schema().Key(), rows[left]...)); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

func idListOf(ids []int64) shopapi.IDList {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = shopapi.FormatID(id)
	}
	return shopapi.IDList(strings.Join(texts, ","))
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
