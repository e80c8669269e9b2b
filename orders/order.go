package orders

import (
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Summary is an order as lists show it.
type Summary struct {
	OrderID       int64           `json:"order_id,string" store:"key" bind:"-"`
	IssuerID      *int64          `json:"issuer_id,string" bind:"-"`                           // the administrator who placed it for the customer
	UserID        int64           `json:"user_id,string" rule:"min=0,max=4611686018427387904"` // 0 for a guest
	IsParent      shopapi.Flag    `json:"is_parent_order" bind:"-"`                            // the summary of orders of several vendors
	ParentOrderID int64           `json:"parent_order_id,string" bind:"-"`
	CompanyID     int64           `json:"company_id,string"`
	Timestamp     int64           `json:"timestamp,string" bind:"-"` // when it was placed, seconds since 1970
	FirstName     string          `json:"firstname" bind:"-"`
	LastName      string          `json:"lastname" bind:"-"`
	Email         string          `json:"email" store:"fold" bind:"-"`
	Phone         string          `json:"phone" store:"fold" bind:"-"`
	Status        string          `json:"status"` // letter of a status
	Total         decimal.Decimal `json:"total" store:"scale=2" rule:"-"`
	InvoiceID     *string         `json:"invoice_id" rule:"len=255"`     // its number, or the text that was written
	CreditMemoID  *string         `json:"credit_memo_id" rule:"len=255"` // the number of the last one, or the text that was written
	UpdatedTime   int64           `json:"updated_at,string" bind:"-"`    // of the last change, seconds since 1970

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// An Order is an order on its own. The amounts are of the shop's currency, with two
// places.
type Order struct {
	Summary
	PaymentID        int64           `json:"payment_id,string" rule:"required"`
	ShippingIDs      shopapi.IDList  `json:"shipping_ids" bind:"-"`
	Discount         decimal.Decimal `json:"discount" store:"scale=2" bind:"-"` // of the lines, inside Subtotal
	SubtotalDiscount decimal.Decimal `json:"subtotal_discount" store:"scale=2" rule:"-"`
	PaymentSurcharge decimal.Decimal `json:"payment_surcharge" store:"scale=2" bind:"-"`
	ShippingCost     decimal.Decimal `json:"shipping_cost" store:"scale=2" bind:"-"`
	Subtotal         decimal.Decimal `json:"-" store:"name=subtotal,scale=2" log:"subtotal"`
	TaxSubtotal      decimal.Decimal `json:"-" store:"name=tax_subtotal,scale=2"` // of the taxes that prices do not include
	TaxExempted      decimal.Decimal `json:"-" store:"name=tax_exempted,scale=2"` // of the included taxes that TaxExempt subtracts

	// Written amounts count in place of computed ones.
	ShippingCostSet     shopapi.Flag    `json:"shipping_cost_set" bind:"-"`                // Y where the shipping cost was written, until its method changes
	PaymentSurchargeSet shopapi.Flag    `json:"payment_surcharge_set" bind:"-"`            // Y where the surcharge was written, until its method changes
	TotalSet            shopapi.Flag    `json:"total_set" bind:"-"`                        // Y where the total was written, until the next computation
	TotalAdjustment     decimal.Decimal `json:"total_adjustment" store:"scale=2" bind:"-"` // the total less the sum of the order's content

	// InvoiceDate is when an invoice was issued: from then on the content and the amounts
	// of the order do not change. An InvoiceID that a client wrote has no date.
	InvoiceDate    *int64 `json:"invoice_date,string" bind:"-"`     // when the invoice was issued, seconds since 1970
	CreditMemoDate *int64 `json:"credit_memo_date,string" bind:"-"` // when the last credit memo was issued, seconds since 1970

	Repaid      *decimal.Decimal `json:"-" store:"name=repaid,scale=2" log:"repaid"` // nil until it is written
	PaymentInfo PaymentInfo      `json:"-" store:"name=payment_info" log:"payment_info"`

	Company   string       `json:"company" bind:"-"` // the customer's, free text
	Fax       string       `json:"fax" bind:"-"`
	URL       string       `json:"url" bind:"-"`
	Notes     string       `json:"notes" rule:"bytes=65536"`   // of the customer
	Details   string       `json:"details" rule:"bytes=65536"` // of the staff
	IPAddress string       `json:"ip_address" bind:"-" rule:"len=255"`
	LangCode  string       `json:"lang_code" bind:"-"`
	Currency  string       `json:"secondary_currency" bind:"-"`
	TaxExempt shopapi.Flag `json:"tax_exempt"`                   // added taxes are left out, included ones subtracted
	NoStock   bool         `json:"-" store:"name=no_stock"`      // it takes and holds nothing, in whatever status
	Customer  string       `json:"-" store:"name=customer,fold"` // last and first name, for sorting
	Name      string       `json:"-" store:"name=cname,fold"`    // first and last name, for searching

	Pieces  int64 `json:"-" store:"name=pieces"`  // of all lines, for reports
	Counted bool  `json:"-" store:"name=counted"` // sales_amount of its products has its pieces

	Billing  Address       `json:"-" store:"name=billing" log:"*"`
	Shipping Address       `json:"-" store:"name=shipping" log:"*"`
	Lines    Lines         `json:"-" store:"name=products" log:"products"`
	Taxes    Taxes         `json:"-" store:"name=taxes" log:"taxes"`
	Methods  Methods       `json:"-" store:"name=shipping_methods" log:"shipping"`
	Payment  PaymentMethod `json:"-" store:"name=payment_method" log:"payment_method"`
	Rules    Rules         `json:"-" store:"name=rules"`

	// Shipped is how many pieces of each line, by its id, are shipped, and
	// ShipmentIDs are the shipments, in ascending order.
	Shipped     map[int64]int64 `json:"-" store:"-" bind:"-"`
	ShipmentIDs []int64         `json:"-" store:"-" bind:"-"`

	// Gone are the products of the order that exist no more.
	Gone map[int64]bool `json:"-" store:"-" bind:"-"`

	// Change asks [Orders.Update] for other lines, another shipping method or another
	// customer. It is nil in orders that are read.
	Change *Change `json:"-" store:"-"`

	// Notify is passed to the observer: whom to notify of the change.
	Notify Notify `json:"-" store:"-" bind:"-"`

	moves        []move  // of the stock, to be made when the order is written
	placed       *Status // of a new order, as its stock was planned
	parts        []Order // of a parent that is to be written
	spread       bool    // the status of a parent is to be given to its parts
	prepared     *Order  // a part as its parent prepared it
	asked        *Change // the change when the order was checked
	shippedLines int     // lines of all shipments
	fresh        bool    // placed in this transaction: nothing is shipped or gone

	book       *ruleBook     // that is to be stored, nil where the rules stay
	entry      *HistoryEntry // of the change that is to be written
	unrecorded bool          // another entry has this change
}

// A Change asks for other lines, another shipping method or another customer.
type Change struct {
	// Lines are all lines that the order is to have; nil leaves them as they are.
	// The package comment says which line a key means.
	Lines []PurchaseLine

	// ShippingIDs are the shipping methods by company, ShippingID that of all
	// others; 0 leaves it as it is.
	ShippingID  int64
	ShippingIDs map[int64]int64

	// Customer changes the order's copy of who ordered.
	Customer func(*Customer)

	// Reprice takes today's tables of the methods and taxes, and ends written amounts.
	Reprice bool

	// KeepAmounts keeps the sums and taxes of the order as they are (recalculate=N).
	KeepAmounts bool

	// Status has a parent give its status to the parts that have another one, even if
	// the parent has it already.
	Status bool

	issued     *Document // shows its number, and changes nothing else
	taxExempt  *bool     // of a new order, nil for what the customer has
	past       *past     // nil for an order of now
	storefront bool      // the checks of a storefront apply
	draft      bool      // nothing is placed: fields not chosen yet may be left out
}

// with returns the change c with the fields that set has.
func (c *Change) with(set *Change) *Change {
	if c == nil {
		return set
	}
	both := *c
	if set.Lines != nil {
		both.Lines = set.Lines
	}
	if set.ShippingID != 0 || set.ShippingIDs != nil {
		both.ShippingID, both.ShippingIDs = set.ShippingID, set.ShippingIDs
	}
	both.Status, both.Reprice, both.KeepAmounts = c.Status || set.Status, c.Reprice || set.Reprice, c.KeepAmounts || set.KeepAmounts
	if set.Customer != nil {
		both.Customer = func(customer *Customer) {
			if c.Customer != nil {
				c.Customer(customer)
			}
			set.Customer(customer)
		}
	}
	return &both
}

// A Notify is whom to notify of a change. The library sends no mail: the observer gets it
// in a [StatusChange].
type Notify struct{ User, Department, Vendor bool }

var (
	table = store.MustTable[Order]("orders",
		store.Index{Columns: []string{"is_parent_order", "timestamp", "order_id", "status", "company_id", "total", "pieces"}}, // covers reports
		store.Index{Columns: []string{"status", "is_parent_order", "timestamp"}},
		store.Index{Columns: []string{"user_id", "is_parent_order", "timestamp"}},
		store.Index{Columns: []string{"company_id", "is_parent_order", "timestamp"}},
		store.Index{Columns: []string{"parent_order_id"}, Sparse: true},
		store.Index{Columns: []string{"email"}},
		store.Index{Columns: []string{"total"}},
		store.Index{Columns: []string{"customer"}},
		store.Index{Columns: []string{"cname"}, Sparse: true},
		store.Index{Columns: []string{"phone"}, Sparse: true},
		store.Index{Columns: []string{"invoice_id"}, Sparse: true},
		store.Index{Columns: []string{"credit_memo_id"}, Sparse: true},
		store.Index{Columns: []string{"updated_at"}},
		store.Index{Columns: []string{"is_parent_order", "timestamp"}, Former: true},
		store.Index{Columns: []string{"is_parent_order", "timestamp", "status", "company_id", "total", "pieces"}, Former: true})
	summaries = store.Project[Summary](table)
)

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema {
	return store.WithTexts(table.Schema(), statuses.Schema(), shipments.Schema(), history.Schema(), keptTables.Schema(), documents.Schema(), counters.Schema(), sales.Schema())
}

// LastChange implements [resource.Stamped].
func (s *Summary) LastChange() int64 { return s.UpdatedTime }

// SetLastChange implements [resource.Stamped].
func (s *Summary) SetLastChange(at int64) { s.UpdatedTime = at }

// customer is the order's copy of who ordered.
func (o *Order) customer() Customer {
	return Customer{
		FirstName: o.FirstName, LastName: o.LastName, Email: o.Email, Phone: o.Phone,
		Company: o.Company, Fax: o.Fax, URL: o.URL, LangCode: o.LangCode, TaxExempt: bool(o.TaxExempt),
		Billing: o.Billing, Shipping: o.Shipping,
	}
}

func (o *Order) setCustomer(c *Customer) {
	o.FirstName, o.LastName, o.Email, o.Phone = c.FirstName, c.LastName, c.Email, c.Phone
	o.Company, o.Fax, o.URL, o.LangCode, o.TaxExempt = c.Company, c.Fax, c.URL, c.LangCode, shopapi.Flag(c.TaxExempt)
	o.Billing, o.Shipping = c.Billing, c.Shipping
	o.Customer = strings.TrimSpace(c.LastName + " " + c.FirstName)
	o.Name = strings.TrimSpace(c.FirstName + " " + c.LastName)
}
