package webhooks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shopapi/shopapi/extensions/changes"
)

// A Message is the body that a receiver gets.
type Message struct {
	Type      string    `json:"type"`      // such as orders.updated, or ping
	Timestamp time.Time `json:"timestamp"` // of the change
	Data      Data      `json:"data"`      // empty of a ping
}

// Data says what changed. The receiver reads the object with its own rights.
type Data struct {
	Entity         string   `json:"entity,omitempty"`
	ID             string   `json:"id,omitempty"` // "*": many objects changed, read the entity again
	Seq            string   `json:"seq,omitempty"`
	Op             string   `json:"op,omitempty"`
	Fields         []string `json:"fields,omitempty"` // of an update
	URL            string   `json:"url,omitempty"`    // the path of the object
	Status         string   `json:"status,omitempty"` // of an order whose status changed
	PreviousStatus string   `json:"previous_status,omitempty"`
}

const pingType = "ping"

// messageType is the type of the message of a delivery.
func (d *delivery) messageType() string {
	if d.Entity == "" {
		return pingType
	}
	return d.Entity + "." + d.Op
}

// body returns the body of the message, the same for every attempt.
func (d *delivery) body() ([]byte, error) {
	m := Message{Type: d.messageType(), Timestamp: time.Unix(d.Changed, 0).UTC()}
	if d.Entity != "" {
		m.Data = Data{
			Entity: d.Entity, ID: d.Object, Seq: d.Seq, Op: d.Op, URL: d.Path, Status: d.Status, PreviousStatus: d.PreviousStatus,
		}
		if d.Fields != "" {
			m.Data.Fields = strings.Split(d.Fields, ",")
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// messageID is the header webhook-id. A redelivery has that of the first delivery.
func (d *delivery) messageID() string {
	of := d.Seq
	if of == "" {
		of = fmt.Sprintf("ping %d", d.DeliveryID)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", d.WebhookID, of))
	return "msg_" + hex.EncodeToString(sum[:12])
}

// lost returns the delivery after which a receiver reads everything again, because the change
// log no longer has the changes after the position of the webhook.
func lost(webhook, at int64, seq, sight string) delivery {
	return newDelivery(webhook, &changes.Change{Seq: seq, Time: at, Entity: changes.Every, ID: changes.Every, Op: changes.Updated}, "", sight)
}
