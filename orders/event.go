package orders

// A StatusChange is the Detail of the events of orders: which status an order had and
// has, and whom the change asks to tell of it. The library sends no mail; this is what
// a host's mailer needs to know.
type StatusChange struct {
	OrderID int64
	From    string // "" of an order that was placed
	To      string // what it was, where something else changed
	Notify  Notify
}

func detailOf(before, after *Order) any {
	return StatusChange{OrderID: after.OrderID, From: before.Status, To: after.Status, Notify: after.Notify}
}

// Statuses are the statuses that the change log names.
func (c StatusChange) Statuses() (from, to string) { return c.From, c.To }
