package carts

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Summary is a cart as lists show it.
type Summary struct {
	UserID       int64           `json:"user_id,string" store:"key" bind:"-"` // of the owner, from 2147483648 on for guests
	FirstName    *string         `json:"firstname" bind:"-"`                  // of the owner, nil if unknown
	LastName     *string         `json:"lastname" bind:"-"`
	Date         int64           `json:"date,string" store:"index" bind:"-"` // of the last change, seconds since 1970
	IPAddress    string          `json:"ip_address" bind:"-"`                // of the owner, as set by the host
	CompanyID    int64           `json:"company_id,string" store:"index" bind:"-"`
	CartProducts int64           `json:"cart_products,string" store:"-" bind:"-"`           // pieces
	Total        decimal.Decimal `json:"total" store:"-" bind:"-"`                          // of the lines, at today's prices
	OrderID      *string         `json:"order_id" store:"-" bind:"-"`                       // always nil: the server stores no unfinished orders
	UserData     UserData        `json:"user_data" types:"object array" store:"-" bind:"-"` // the owner, unless it is a guest
}

// A Cart is a cart as GET of one returns it.
type Cart struct {
	Summary
	Products []Line `json:"products" store:"-"` // in the order in which they were added
}

// A row is a cart with the columns that no response contains. The names of registered
// users are copies, for filters and sorting; [Carts.follow] keeps them up to date.
type row struct {
	Cart
	Email    string `json:"-" store:"name=email,fold"`
	Phone    string `json:"-" store:"name=phone"`
	Name     string `json:"-" store:"name=name,fold"`            // first and last, for searching
	SortName string `json:"-" store:"name=sort_name,fold,index"` // last and first
	Owner    int64  `json:"-" store:"-"`                         // id of a new cart
}

// LastChange implements [resource.Stamped].
func (s *Summary) LastChange() int64 { return s.Date }

// SetLastChange implements [resource.Stamped].
func (s *Summary) SetLastChange(at int64) { s.Date = at }

// A lineRow is the row of a line.
type lineRow struct {
	LineID    int64        `json:"line_id" store:"key"`
	UserID    int64        `json:"user_id"`
	ItemID    int64        `json:"item_id"`
	ProductID int64        `json:"product_id" store:"index"`
	Amount    int64        `json:"amount"`
	Options   shopapi.JSON `json:"product_options"` // an object
}

var (
	table     = store.MustTable[row]("carts")
	summaries = store.Project[Summary](table)
	lineTable = store.MustTable[lineRow]("cart_products", store.Index{Columns: []string{"user_id", "item_id"}, Unique: true})
)

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return []*store.Schema{table.Schema(), lineTable.Schema()} }
