package orders

import (
	"context"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/payments"
)

// A number is an amount that is a JSON number on the wire (decisions §14).
type number struct{ decimal.Decimal }

// MarshalJSON writes the amount without zeros at its end.
func (n number) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (n number) AppendJSON(dst []byte) ([]byte, error) { return n.Trim(0).AppendText(dst) }

// money is an amount with two places, as a text.
func money(d decimal.Decimal) decimal.Decimal { return d.Pad(2) }

// A detail is an order on its own, as the wire shows it.
type detail struct {
	Order
	Subtotal            number          `json:"subtotal"`
	DisplaySubtotal     number          `json:"display_subtotal"`
	DisplayShippingCost decimal.Decimal `json:"display_shipping_cost"`
	TaxSubtotal         number          `json:"tax_subtotal"`
	TaxIncluded         number          `json:"tax_included"` // taxes inside the prices
	TaxExempted         number          `json:"tax_exempted"` // included taxes that tax_exempt subtracts
	PromotionIDs        string          `json:"promotion_ids"`
	ShipmentIDs         []string        `json:"shipment_ids"`
	ProfileID           int64           `json:"profile_id,string"`
	LocalizationID      string          `json:"localization_id"`
	Repaid              string          `json:"repaid"` // the amount that was paid back
	ValidationCode      string          `json:"validation_code"`

	Billing     address.Address `json:"-" prefix:"b_"`
	Shipping    address.Address `json:"-" prefix:"s_"`
	AddressType string          `json:"s_address_type"`

	Promotions    []string `json:"promotions"`
	PaymentInfo   any      `json:"payment_info" types:"object array"` // texts on the payment, such as a transaction id
	DocIDs        []string `json:"doc_ids"`
	Fields        any      `json:"fields" types:"object array"`
	PaymentMethod any      `json:"payment_method" types:"object array"`
	Products      any      `json:"products" types:"object array"`
	TaxesShown    any      `json:"taxes" types:"object array"`
	Methods       []method `json:"shipping"`
	NeedShipping  bool     `json:"need_shipping"`
	NeedShipment  bool     `json:"need_shipment"`
	Groups        []group  `json:"product_groups"`
}

// answerOf is an order as GET shows it.
func answerOf(ctx context.Context, api *shopapi.API, o *Order) any {
	d := detail{
		Order: *o, Subtotal: number{o.Subtotal}, DisplaySubtotal: number{o.Subtotal}, DisplayShippingCost: o.ShippingCost,
		TaxSubtotal: number{o.TaxSubtotal}, TaxIncluded: number{o.taxIncluded()}, TaxExempted: number{o.TaxExempted}, ShipmentIDs: []string{}, ProfileID: o.UserID, LocalizationID: "0", Repaid: o.repaidText(),
		Billing:    o.Billing.Describe(ctx, api),
		Shipping:   o.Shipping.Describe(ctx, api),
		Promotions: []string{}, PaymentInfo: o.PaymentInfo.shownIn(ctx), DocIDs: []string{}, Fields: o.Custom.OfCustomer(api.CustomerFields()),
		PaymentMethod: paymentOf(o), Products: productsOf(o, o.Lines), TaxesShown: taxesOf(o), Methods: methodsOf(o),
		NeedShipping: o.ships(), NeedShipment: o.needShipment(), Groups: groupsOf(o),
	}
	for _, id := range o.ShipmentIDs {
		d.ShipmentIDs = append(d.ShipmentIDs, shopapi.FormatID(id))
	}
	return d
}

// needShipment reports whether pieces that are shipped are in no shipment yet.
func (o *Order) needShipment() bool {
	for i := range o.Lines {
		if l := &o.Lines[i]; l.Ships && o.Shipped[l.ItemID] < l.Amount {
			return true
		}
	}
	return false
}

// A paymentAnswer is a payment method as payments show it.
type paymentAnswer struct {
	payments.Payment
	TaxIDs          []string `json:"tax_ids"`
	Processor       *string  `json:"processor"`
	ProcessorType   *string  `json:"processor_type"`
	ProcessorStatus string   `json:"processor_status"`
	Image           []string `json:"image"`
}

func paymentOf(o *Order) any {
	if o.Payment.PaymentID == 0 {
		return []string{}
	}
	p := paymentAnswer{Payment: o.Payment.Payment, TaxIDs: []string{}, Image: []string{}}
	if ids := o.Payment.TaxIDs; ids != "" {
		p.TaxIDs = strings.Split(string(ids), ",")
	}
	return p
}

// A method is a shipping method of an order.
type method struct {
	ShippingID      int64           `json:"shipping_id,string"`
	Name            string          `json:"shipping"`
	DeliveryTime    string          `json:"delivery_time"`
	RateCalculation string          `json:"rate_calculation"`
	ServiceParams   []string        `json:"service_params"`
	Destination     string          `json:"destination"`
	MinWeight       decimal.Decimal `json:"min_weight"`
	MaxWeight       decimal.Decimal `json:"max_weight"`
	ServiceID       int64           `json:"service_id,string"`
	Module          *string         `json:"module"`
	ServiceCode     *string         `json:"service_code"`
	RateInfo        []string        `json:"rate_info"`
	GroupKey        int64           `json:"group_key"`
	Rate            number          `json:"rate"`
	GroupName       string          `json:"group_name"`
	NeedShipment    bool            `json:"need_shipment"`
}

func methodsOf(o *Order) []method {
	list := make([]method, len(o.Methods))
	for i := range o.Methods {
		m := &o.Methods[i]
		list[i] = method{
			ShippingID: m.ShippingID, Name: m.Name, DeliveryTime: m.DeliveryTime, RateCalculation: m.RateCalculation,
			ServiceParams: []string{}, Destination: m.Destination, MinWeight: money(m.MinWeight), MaxWeight: money(m.MaxWeight),
			ServiceID: m.ServiceID, RateInfo: []string{}, GroupKey: int64(i), Rate: number{m.Rate}, GroupName: m.GroupName,
			NeedShipment: o.needShipment(),
		}
	}
	return list
}

// A line is a product of an order.
type line struct {
	ItemID          int64           `json:"item_id,string"`
	OrderID         int64           `json:"order_id,string"`
	ProductID       int64           `json:"product_id,string"`
	Code            string          `json:"product_code"`
	Price           decimal.Decimal `json:"price"`
	Amount          int64           `json:"amount,string"`
	Product         string          `json:"product"`
	Status          string          `json:"product_status"`
	Deleted         bool            `json:"deleted_product"`
	Discount        number          `json:"discount"`
	CompanyID       int64           `json:"company_id,string"`
	BasePrice       number          `json:"base_price"`
	OriginalPrice   number          `json:"original_price"`
	CartID          int64           `json:"cart_id,string"`
	TaxValue        number          `json:"tax_value"`    // all taxes
	TaxIncluded     number          `json:"tax_included"` // those inside the price
	Taxes           any             `json:"taxes"`
	Subtotal        number          `json:"subtotal"`
	DisplaySubtotal number          `json:"display_subtotal"`
	ShippedAmount   int64           `json:"shipped_amount"`
	ShipmentAmount  int64           `json:"shipment_amount,string"` // in no shipment yet
	IsAccessible    bool            `json:"is_accessible"`
	SharedProduct   bool            `json:"shared_product"`
	Extra           extra           `json:"extra"`
}

type extra struct {
	ProductOptions any `json:"product_options"`
	// the choices with their names at the time of the order
	ProductOptionsValue []options.Choice `json:"product_options_value"`
	UnlimitedDownload   shopapi.Flag     `json:"unlimited_download"`
	Product             string           `json:"product"`
	CompanyID           int64            `json:"company_id,string"`
	IsEDP               shopapi.Flag     `json:"is_edp"`
	EDPShipping         shopapi.Flag     `json:"edp_shipping"`
	Discount            number           `json:"discount"`
	BasePrice           number           `json:"base_price"`
	StoredPrice         shopapi.Flag     `json:"stored_price"`
}

// productsOf are lines of an order by their ids.
func productsOf(o *Order, lines []Line) any {
	by := make(shopapi.Map, len(lines))
	for i := range lines {
		by[i] = shopapi.Member{Name: shopapi.FormatID(lines[i].ItemID), Value: o.lineOf(&lines[i])}
	}
	return by
}

func (o *Order) lineOf(l *Line) line {
	shipped := o.Shipped[l.ItemID]
	a := line{
		ItemID: l.ItemID, OrderID: o.OrderID, ProductID: l.ProductID, Code: l.Code, Price: money(l.Price), Amount: l.Amount,
		Product: l.Name, Status: l.Status, Deleted: o.Gone[l.ProductID], Discount: number{l.Discount}, CompanyID: l.CompanyID,
		BasePrice: number{l.BasePrice}, OriginalPrice: number{l.BasePrice}, CartID: l.ItemID, TaxValue: number{l.Tax}, TaxIncluded: number{o.taxIncludedIn(l)}, Taxes: o.taxesOfLine(l),
		Subtotal: number{l.Subtotal}, DisplaySubtotal: number{l.Subtotal},
		ShippedAmount: shipped, ShipmentAmount: max(l.Amount-shipped, 0), IsAccessible: !o.Gone[l.ProductID],
		Extra: extra{
			ProductOptions: []string{}, ProductOptionsValue: l.Choices, UnlimitedDownload: shopapi.Flag(l.UnlimitedDownload),
			Product: l.Name, CompanyID: l.CompanyID, IsEDP: shopapi.Flag(l.IsEDP), EDPShipping: shopapi.Flag(l.EDPShipping),
			Discount: number{l.Discount}, BasePrice: number{l.BasePrice},
		},
	}
	if a.Extra.ProductOptionsValue == nil {
		a.Extra.ProductOptionsValue = []options.Choice{}
	}
	if len(l.Choices) > 0 {
		chosen := make(shopapi.Map, len(l.Choices))
		for i, c := range l.Choices {
			chosen[i] = shopapi.Member{Name: shopapi.FormatID(c.OptionID), Value: c.Value}
		}
		a.Extra.ProductOptions = chosen
	}
	return a
}

// A group is the lines of an order that one company ships.
type group struct {
	Name            string      `json:"name"`
	CompanyID       int64       `json:"company_id"`
	Products        any         `json:"products" types:"object array"`
	PackageInfo     packageInfo `json:"package_info"`
	Shippings       any         `json:"shippings" types:"object array"`
	ChosenShippings []method    `json:"chosen_shippings"`
	AllEDP          bool        `json:"all_edp_free_shipping"`
	AllFree         bool        `json:"all_free_shipping"`
	FreeShipping    bool        `json:"free_shipping"`
	NotRequired     bool        `json:"shipping_no_required"`
}

// packageInfo is the input of shipping rates: cost, weight and pieces.
type packageInfo struct {
	Cost   number `json:"C"`
	Weight number `json:"W"`
	Pieces int64  `json:"I"`
}

func groupsOf(o *Order) []group {
	list := []group{}
	chosen := methodsOf(o)
	var companies []int64
	by := map[int64][]Line{}
	for _, l := range o.Lines {
		company := o.CompanyID
		if o.IsParent {
			company = l.CompanyID
		}
		if by[company] == nil {
			companies = append(companies, company)
		}
		by[company] = append(by[company], l)
	}
	for _, company := range companies {
		g := group{CompanyID: company, Products: productsOf(o, by[company]), ChosenShippings: []method{}, Shippings: []string{}, AllEDP: true, AllFree: true}
		part := Order{Lines: by[company]}
		g.PackageInfo = part.packageInfo()
		for _, l := range by[company] {
			g.AllEDP = g.AllEDP && l.IsEDP && !l.EDPShipping
			g.AllFree = g.AllFree && l.FreeShipping
		}
		g.FreeShipping, g.NotRequired = g.AllFree, !part.ships()
		offered := shopapi.Map{}
		for i := range o.Methods {
			if o.Methods[i].CompanyID == company {
				g.Name = o.Methods[i].GroupName
				g.ChosenShippings = append(g.ChosenShippings, chosen[i])
				offered = append(offered, shopapi.Member{Name: shopapi.FormatID(o.Methods[i].ShippingID), Value: chosen[i]})
			}
		}
		if len(offered) > 0 {
			g.Shippings = offered
		}
		list = append(list, g)
	}
	return list
}

func (o *Order) packageInfo() packageInfo {
	info := packageInfo{Cost: number{zero}, Weight: number{o.weight()}}
	for i := range o.Lines {
		if l := &o.Lines[i]; l.Ships {
			info.Cost.Decimal = plus(info.Cost.Decimal, l.Subtotal)
			info.Pieces += l.Amount
		}
	}
	return info
}
