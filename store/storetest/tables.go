package storetest

import (
	"github.com/govalues/decimal"
	"github.com/shopapi/shopapi/store"
)

// An item has a column of every kind, with and without null. The names of
// tables and columns are words that mean something in SQL.
type item struct {
	ItemID   int64            `json:"item_id,string" store:"key"`
	GroupID  int64            `json:"group_id" store:"index"`
	ParentID *int64           `json:"parent_id"`
	Order    int64            `json:"order"`
	Rank     *int64           `json:"rank"`
	Name     string           `json:"name" store:"fold,index"`
	Nick     *string          `json:"nick" store:"fold"`
	Code     string           `json:"code"`
	Note     *string          `json:"note"`
	Active   bool             `json:"active"`
	Shown    *bool            `json:"shown"`
	Price    decimal.Decimal  `json:"price" store:"scale=2"`
	Discount *decimal.Decimal `json:"discount" store:"scale=4"`
	Options  jsonText         `json:"options"`
	Extra    *jsonText        `json:"extra"`
}

type jsonText []byte

// A group is what an item refers to.
type group struct {
	GroupID int64  `json:"group_id,string" store:"key"`
	Title   string `json:"title" store:"fold"`
	Select  *int64 `json:"select"`
}

// A counter is a number that transactions add to.
type counter struct {
	CounterID int64 `json:"counter_id,string" store:"key"`
	N         int64 `json:"n"`
}

// An account has unique values: one alone, one folded, one of two columns.
type account struct {
	AccountID int64   `json:"account_id,string" store:"key"`
	Email     string  `json:"email" store:"fold"`
	Login     *string `json:"login"`
	Shop      int64   `json:"shop"`
	Number    *int64  `json:"number"`
}

// A file has columns that are paths.
type file struct {
	FileID int64   `json:"file_id,string" store:"key"`
	Path   string  `json:"path" store:"index"`
	Sorts  string  `json:"sorts"`
	Note   *string `json:"note"`
	Title  string  `json:"title" store:"fold"`
	Code   string  `json:"code"`
}

var (
	files = store.MustTable[file]("files", store.Index{Columns: []string{"code", "file_id"}, Unique: true})
	items = store.MustTable[item]("items",
		store.Index{Columns: []string{"parent_id"}, Sparse: true},
		store.Index{Columns: []string{"code"}, Sparse: true},
		store.Index{Columns: []string{"nick"}, Sparse: true})
	table    = store.MustTable[group]("table", store.Index{Columns: []string{"title"}, Sparse: true})
	counters = store.MustTable[counter]("counters")
	accounts = store.MustTable[account]("accounts",
		store.Index{Columns: []string{"email"}, Unique: true},
		store.Index{Columns: []string{"login"}, Unique: true},
		store.Index{Columns: []string{"shop", "number"}, Unique: true},
		store.Index{Columns: []string{"number", "email"}})
)

// viaGroup leads an order through the reference of an item to its group.
func viaGroup(column string, desc bool) store.Order {
	return store.Order{Column: column, Desc: desc, Via: &store.Via{Column: "group_id", Schema: table.Schema()}}
}

// viaParent leads an order through the reference of an item to another item.
func viaParent(column string, desc bool) store.Order {
	return store.Order{Column: column, Desc: desc, Via: &store.Via{Column: "parent_id", Schema: items.Schema()}}
}

func keys(rows []item) []int64 {
	list := make([]int64, len(rows))
	for i, r := range rows {
		list[i] = r.ItemID
	}
	return list
}

func amount(s string) decimal.Decimal { return decimal.MustParse(s) }
