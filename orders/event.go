package orders

// A StatusChange is the Detail of the events of orders: the former and the new status of
// an order, and whom to notify. The library sends no mail; a host's mailer needs this.
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
