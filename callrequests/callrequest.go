package callrequests

import (
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/store"
)

// A CallRequest is a customer's request to be called back.
type CallRequest struct {
	RequestID    int64        `json:"request_id,string" store:"key" bind:"-"`
	CompanyID    int64        `json:"company_id,string"`                                                   // storefront or vendor
	OrderID      int64        `json:"order_id,string" store:"index" rule:"min=0"`                          // 0 for none
	UserID       int64        `json:"user_id,string" rule:"min=0"`                                         // the administrator in charge, 0 for none
	ProductID    int64        `json:"product_id,string" rule:"min=0"`                                      // 0 for none
	Timestamp    int64        `json:"timestamp,string" store:"index" rule:"time,default=now"`              // seconds since 1970
	Status       string       `json:"status" rule:"oneof=new in_progress completed no_answer,default=new"` // new, in_progress, completed or no_answer
	Name         string       `json:"name" store:"fold,index,search" rule:"len=255"`
	Phone        string       `json:"phone" store:"fold,index,search" rule:"len=255"`
	Email        string       `json:"email,omitempty" rule:"len=255"`
	TimeFrom     string       `json:"time_from" rule:"len=16"` // when to call, as the customer wrote it
	TimeTo       string       `json:"time_to" rule:"len=16"`
	Notes        *string      `json:"notes" rule:"bytes=65536"`                              // of the staff, at most 65536 bytes
	CartProducts CartProducts `json:"cart_products" types:"string array" rule:"bytes=65536"` // the products in question; as JSON at most 65536 bytes

	// Read from the linked objects with the request, nil without one.
	OrderStatus *string `json:"order_status" store:"-" bind:"-"`
	Product     *string `json:"product" store:"-" bind:"-"` // the product's name

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// A reference is the columns of a call request that link to other objects.
type reference struct {
	RequestID int64 `json:"request_id" store:"key"`
	OrderID   int64 `json:"order_id"`
	UserID    int64 `json:"user_id"`
}

// Each sort order has an index. The indexes of filters by an equal value contain the
// time as well, because such lists come newest first.
var (
	table = store.MustTable[CallRequest]("call_requests",
		store.Index{Columns: []string{"company_id", "timestamp"}},
		store.Index{Columns: []string{"status", "timestamp"}},
		store.Index{Columns: []string{"user_id", "timestamp"}})
	references = store.Project[reference](table)
)

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return []*store.Schema{table.Schema()} }

// The statuses of a call request (specification, call_requests).
const (
	StatusNew        = "new"
	StatusInProgress = "in_progress"
	StatusCompleted  = "completed"
	StatusNoAnswer   = "no_answer"
)

var statuses = []string{StatusNew, StatusInProgress, StatusCompleted, StatusNoAnswer}

// validate checks the cart, and that a phone or e-mail is given to call back.
func (c *CallRequest) validate(problems *shopapi.Problems) {
	passed := problems.Has("phone") || problems.Has("email") || problems.Skips("phone") && problems.Skips("email")
	if !passed && strings.TrimSpace(c.Phone) == "" && strings.TrimSpace(c.Email) == "" {
		problems.Add("phone", "is required, unless email is given")
		problems.Add("email", "is required, unless phone is given")
	}
	address.CheckEmail(problems, "email", c.Email)
	if c.CartProducts != "" && !problems.Skips("cart_products") { // Go code may convert any text
		if err := c.CartProducts.UnmarshalJSON([]byte(c.CartProducts)); err != nil {
			problems.Add("cart_products", "%s", err)
		}
	}
}
