package webhooks

import (
	"errors"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/store"
)

// A delivery is a message that is to be sent, or was.
type delivery struct {
	DeliveryID int64  `json:"delivery_id" store:"key"`
	WebhookID  int64  `json:"webhook_id"`
	Open       bool   `json:"open"` // it is to be sent, for the first time or again
	Once       bool   `json:"once"` // a ping or a redelivery: it is tried once
	Due        int64  `json:"due"`  // when it is to be sent, in milliseconds since 1970
	Hurry      int64  `json:"hurry"`
	Sight      string `json:"sight"` // what its user was when it was made

	Seq            string `json:"seq"` // "" of a ping
	Changed        int64  `json:"changed"`
	Entity         string `json:"entity"` // "" of a ping
	Object         string `json:"object"`
	ParentEntity   string `json:"parent_entity"`
	Parent         string `json:"parent"`
	Op             string `json:"op"`
	Fields         string `json:"fields"`
	Path           string `json:"path"`
	Status         string `json:"status"`
	PreviousStatus string `json:"previous_status"`

	// Of the last attempt.
	State        string `json:"state"`
	Attempt      int64  `json:"attempt"`
	Time         int64  `json:"time"` // seconds since 1970
	Milliseconds int64  `json:"milliseconds"`
	Code         int64  `json:"code"`
	Error        string `json:"error"`
	Answer       string `json:"answer"`
}

var deliveries = store.MustTable[delivery]("webhook_deliveries", store.Index{Columns: []string{"webhook_id", "open"}})

// The states of a delivery.
const (
	Waiting   = "waiting"
	Delivered = "delivered"
	Failed    = "failed" // it will be repeated
	GivenUp   = "given_up"
)

// The values of Hurry. A success makes everything that waits due at once. So that one message
// that its receiver always refuses does not use up its attempts in a moment, an attempt that
// was brought forward is followed by an attempt on schedule.
const (
	onSchedule     int64 = iota
	broughtForward       // the next attempt is
	wasForward           // the last attempt was
)

// An outline is what decides which delivery is next.
type outline struct {
	DeliveryID   int64  `json:"delivery_id" store:"key"`
	Once         bool   `json:"once"`
	Due          int64  `json:"due"`
	Hurry        int64  `json:"hurry"`
	Entity       string `json:"entity"`
	Object       string `json:"object"`
	ParentEntity string `json:"parent_entity"`
	Parent       string `json:"parent"`
	Op           string `json:"op"`
	State        string `json:"state"`
}

var outlines = store.Project[outline](deliveries)

// object names the object of a change. Its messages are sent in their order.
type object struct{ entity, id, parentEntity, parent string }

func (d *delivery) object() object { return object{d.Entity, d.Object, d.ParentEntity, d.Parent} }
func (o *outline) object() object  { return object{o.Entity, o.Object, o.ParentEntity, o.Parent} }

// A progress is how far a webhook has come.
type progress struct {
	WebhookID    int64  `json:"webhook_id" store:"key"`
	Position     string `json:"position"`      // of the change log up to which there are deliveries
	FailingSince int64  `json:"failing_since"` // the first failure since the last success in seconds since 1970, 0 for none
	Pinged       int64  `json:"pinged"`        // the last ping in seconds since 1970
	Once         bool   `json:"once"`          // there are pings or redeliveries to send
}

var progresses = store.MustTable[progress]("webhook_progress")

// begin makes a webhook send the changes after a position.
func begin(tx store.Tx, id int64, position string) error {
	p, err := progresses.Get(tx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return progresses.Insert(tx, &progress{WebhookID: id, Position: position})
	case err != nil:
		return err
	}
	p.Position, p.FailingSince = position, 0
	return progresses.Update(tx, &p)
}

// giveUpAll ends all repeats of a webhook. Pings and redeliveries stay.
func giveUpAll(tx store.Tx, id int64, reason string) error {
	list, err := deliveries.Select(tx, store.Query{Where: append(openOf(id), store.Equal("once", store.Bool(false)))})
	for i := 0; err == nil && i < len(list); i++ {
		list[i].giveUp(reason)
		err = deliveries.Update(tx, &list[i])
	}
	if err != nil {
		return err
	}
	return prune(tx, id)
}

func openOf(id int64) []store.Cond {
	return []store.Cond{store.Equal("webhook_id", store.Int(id)), store.Equal("open", store.Bool(true))}
}

// giveUp ends the repeats of a delivery without an attempt.
func (d *delivery) giveUp(reason string) {
	d.Open, d.State = false, GivenUp
	if d.Error == "" {
		d.Error = reason
	}
}

// keptDeliveries is how many deliveries of a webhook are kept beside the waiting ones.
const keptDeliveries = 100

// prune removes deliveries that are done, but for the newest.
func prune(tx store.Tx, id int64) error {
	of := store.Equal("webhook_id", store.Int(id))
	list, err := outlines.Select(tx, store.Query{Where: []store.Cond{of}, Order: []store.Order{store.Desc("delivery_id")}, Limit: 1, Offset: keptDeliveries})
	if err != nil || len(list) == 0 {
		return err
	}
	_, err = deliveries.Delete(tx, of, store.Equal("open", store.Bool(false)), store.AtMost("delivery_id", store.Int(list[0].DeliveryID)))
	return err
}

// newDelivery returns the delivery of a change.
func newDelivery(webhook int64, c *changes.Change, path, sight string) delivery {
	d := delivery{
		WebhookID: webhook, Open: true, Sight: sight, State: Waiting,
		Seq: c.Seq, Changed: c.Time, Entity: c.Entity, Object: c.ID, Op: c.Op, Fields: strings.Join(c.Fields, ","),
		Path: path, Status: c.Status, PreviousStatus: c.PreviousStatus,
	}
	if c.Parent != nil {
		d.ParentEntity, d.Parent = c.Parent.Entity, c.Parent.ID
	}
	return d
}

const maxFields = 32 // that a message names, as the change log does

// unite adds a later update of the same object to a delivery that waits for its first attempt.
func (d *delivery) unite(later *delivery) {
	d.Seq, d.Changed, d.Sight = later.Seq, later.Changed, later.Sight
	fields := slices.Concat(strings.Split(d.Fields, ","), strings.Split(later.Fields, ","))
	slices.Sort(fields)
	fields = slices.DeleteFunc(slices.Compact(fields), func(name string) bool { return name == "" })
	if len(fields) > maxFields || slices.Contains(fields, changes.Every) {
		fields = []string{changes.Every}
	}
	if d.Object == changes.Every {
		fields = nil
	}
	d.Fields = strings.Join(fields, ",")
	if later.Status == "" {
		return
	}
	if d.PreviousStatus == "" {
		d.PreviousStatus = later.PreviousStatus
	}
	if d.Status = later.Status; d.Status == d.PreviousStatus {
		d.Status, d.PreviousStatus = "", ""
	}
}
