package pages

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi/internal/tree"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter selects and sorts the pages of a list. Its zero value selects all that the
// user may see, by position.
type Filter struct {
	resource.ListOptions

	ParentID  *int64  `json:"parent_id" match:"equal"` // children of this page, 0 for the top
	Type      string  `json:"page_type" bind:"codes" rule:"oneof=T L F B" match:"equal"`
	Status    string  `json:"status" bind:"codes" rule:"oneof=A H D" match:"equal"`
	CompanyID *int64  `json:"company_id" match:"equal"`
	Text      string  `json:"q"` // part of the name or of the description, in either case
	IDs       []int64 `json:"item_ids"`

	UpdatedFrom string `json:"updated_at_from"` // seconds since 1970, or a date
	UpdatedTo   string `json:"updated_at_to"`

	// Simple leaves out the descriptions, whatever its value.
	Simple string `json:"simple"`

	// Tree is [Nested] for pages that contain their children as Subpages, or [Plain] for
	// tree order.
	Tree string `json:"get_tree" rule:"oneof=true plain"`
}

// The values of get_tree.
const (
	Nested = "true"
	Plain  = "plain"
)

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	if w.Export {
		f.Tree = "" // exports have no tree
	}
	w.AnyOf(func() {
		w.For("q").Contains("page", f.Text)
		w.For("q").Contains("description", f.Text)
	})
	w.Times("updated_at", "updated_at_from", f.UpdatedFrom, "updated_at_to", f.UpdatedTo)
	w.For("item_ids").Ints("page_id", f.IDs)
	if f.Tree != "" {
		f.SortBy, f.Order = "multi_level", resource.Ascending
	}
}

// selectItems reads a page of the list.
func selectItems(_ context.Context, tx store.Tx, filter resource.Filter, q store.Query) (list []Item, total int64, err error) {
	if filter.(*Filter).Tree == Nested {
		list, total, err = selectTree(tx, q)
	} else {
		list, total, err = items.Page(tx, q)
	}
	for i := range list {
		list[i].Level = int64(tree.Level(list[i].IDPath) - 1)
	}
	return list, total, err
}

// selectTree reads the matching pages in tree order. Paging and the total count the pages
// at the top: their parents do not match. The matching pages below come with them. Where a
// parent does not match and its own parent does, tree order puts a page at the top between
// pages of another tree.
func selectTree(tx store.Tx, q store.Query) ([]Item, int64, error) {
	limit, offset := q.Limit, q.Offset
	q.Limit, q.Offset = 0, 0
	all, err := items.Select(tx, q)
	if err != nil {
		return nil, 0, err
	}
	total := 0
	numbers := make(map[int64]int, len(all)) // key: page; the number of its tree, from 0
	for i := range all {
		number, matches := numbers[all[i].ParentID]
		if !matches {
			number = total
			total++
		}
		numbers[all[i].PageID] = number
	}
	all = slices.DeleteFunc(all, func(item Item) bool {
		number := numbers[item.PageID]
		return number < offset || limit > 0 && number-offset >= limit
	})
	return all, int64(total), nil
}

func idsOf(list []Item) map[int64]bool {
	ids := make(map[int64]bool, len(list))
	for i := range list {
		ids[list[i].PageID] = true
	}
	return ids
}

// arrange leaves out the descriptions of a simple list, and moves the pages of a nested
// list into their parents.
func arrange(filter resource.Filter, list []Item) []Item {
	f := filter.(*Filter)
	if f.Simple != "" {
		for i := range list {
			list[i].Description = ""
		}
	}
	if f.Tree != Nested {
		return list
	}
	matches := idsOf(list)
	top := []Item{}
	below := map[int64][]Item{}
	for _, item := range slices.Backward(list) { // children before their parents
		item.Subpages = below[item.PageID]
		slices.Reverse(item.Subpages)
		if matches[item.ParentID] {
			below[item.ParentID] = append(below[item.ParentID], item)
		} else {
			top = append(top, item)
		}
	}
	slices.Reverse(top)
	return top
}
