package webhooks

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/store"
)

const (
	pingEvery         = 10 * time.Second
	maxRedeliver      = 1000    // changes
	maxRedeliveryScan = 100_000 // changes that are looked at for them, about
)

// Ping sends a message of the type ping. It returns a 404, 403 or, within ten seconds of the
// last ping, 429 [*shopapi.Error].
func (w *Webhooks) Ping(ctx context.Context, id int64) error {
	return w.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if _, err := w.ruled(ctx, tx, id); err != nil {
			return err
		}
		return w.ping(ctx, tx, id)
	})
}

func (w *Webhooks) ping(ctx context.Context, tx store.Tx, id int64) error {
	p, err := progresses.Get(tx, id)
	if err != nil {
		return err
	}
	now := w.api.Now(ctx)
	if left := time.Unix(p.Pinged, 0).Add(pingEvery).Sub(now); left > 0 {
		return shopapi.RetryLater(http.StatusTooManyRequests, left, "A webhook is pinged once in 10 seconds at most. Try again later.")
	}
	p.Pinged, p.Once = now.Unix(), true
	if err := progresses.Update(tx, &p); err != nil {
		return err
	}
	store.AfterCommit(ctx, w.poke)
	return deliveries.Insert(tx, &delivery{WebhookID: id, Open: true, Once: true, State: Waiting, Changed: now.Unix()})
}

// Redeliver sends the change at a position of the change log again, once, also while the
// webhook is disabled. It returns a 404, 403, 410 or, while another redelivery runs, 409
// [*shopapi.Error].
func (w *Webhooks) Redeliver(ctx context.Context, id int64, seq string) error {
	_, err := w.redeliverChosen(ctx, id, seq, "")
	return err
}

// RedeliverSince is [Webhooks.Redeliver] for all changes after a position, to 1,000. It returns
// their number.
func (w *Webhooks) RedeliverSince(ctx context.Context, id int64, since string) (int, error) {
	return w.redeliverChosen(ctx, id, "", since)
}

func (w *Webhooks) redeliverChosen(ctx context.Context, id int64, seq, since string) (int, error) {
	list, err := w.choose(ctx, id, seq, since)
	if err != nil {
		return 0, err
	}
	err = w.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if _, err := w.ruled(ctx, tx, id); err != nil {
			return err
		}
		return w.redeliver(ctx, tx, id, list)
	})
	return len(list), err
}

// redeliver adds the deliveries.
func (w *Webhooks) redeliver(ctx context.Context, tx store.Tx, id int64, list []delivery) error {
	n, err := deliveries.Count(tx, append(openOf(id), store.Equal("once", store.Bool(true)), store.NotEqual("seq", store.String("")))...)
	if err != nil {
		return err
	}
	if n > 0 {
		return shopapi.Errorf(http.StatusConflict, "A redelivery of this webhook is still running. Try again later.")
	}
	p, err := progresses.Get(tx, id)
	if err != nil || len(list) == 0 {
		return err
	}
	p.Once = true
	if err := progresses.Update(tx, &p); err != nil {
		return err
	}
	for i := range list {
		d := list[i] // the transaction may run again
		d.Once = true
		if err := deliveries.Insert(tx, &d); err != nil {
			return err
		}
	}
	store.AfterCommit(ctx, w.poke)
	return nil
}

// choose returns the deliveries of the change at a position, or of those after one, that the
// webhook sends.
func (w *Webhooks) choose(ctx context.Context, id int64, seq, since string) ([]delivery, error) {
	var hook row
	err := w.st.View(ctx, func(ctx context.Context, tx store.Tx) (err error) {
		hook, err = w.ruled(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if (seq == "") == (since == "") {
		var problems shopapi.Problems
		for _, name := range []string{"seq", "since"} {
			problems.Add(name, "is required, unless the other of seq and since is given; only one of them may be")
		}
		return nil, problems.Err()
	}
	owner, err := w.owner(ctx, &hook)
	if errors.Is(err, shopapi.ErrNotFound) {
		return nil, shopapi.Errorf(http.StatusConflict, "The user who made the webhook is disabled or gone: it sends nothing.")
	}
	if err != nil {
		return nil, err
	}
	r := reading{w, shopapi.WithUser(shopapi.AsHost(ctx), owner), &hook, sightOf(owner)}
	if seq != "" {
		return r.one(seq)
	}
	return r.after(since)
}

// A reading reads the change log as the user of a webhook.
type reading struct {
	hooks *Webhooks
	ctx   context.Context
	hook  *row
	sight string
}

// one returns the delivery of the change at a position.
func (r *reading) one(seq string) ([]delivery, error) {
	name, n, err := parsePosition("seq", seq)
	if err != nil {
		return nil, err
	}
	page, err := r.page("seq", name+"."+strconv.FormatInt(n-1, 10), changes.Filter{}, 1)
	if err != nil {
		return nil, err
	}
	list := r.deliveries(page.Changes)
	if len(list) == 0 || list[0].Seq != seq {
		return nil, shopapi.Errorf(http.StatusNotFound, "The webhook sends no change at the position %s.", plain.Quoted(seq))
	}
	return list, nil
}

// after returns the deliveries of all changes after a position.
func (r *reading) after(since string) (list []delivery, err error) {
	if since != changes.Oldest {
		if _, _, err := parsePosition("since", since); err != nil {
			return nil, err
		}
	}
	for looked := 0; looked < maxRedeliveryScan; looked += maxRedeliver {
		page, err := r.page("since", since, r.hook.Events.filter(), maxRedeliver)
		if err != nil {
			return nil, err
		}
		list = append(list, r.deliveries(page.Changes)...)
		if len(list) > maxRedeliver {
			break
		}
		if page.Pending == 0 || page.LastSeq == since {
			return list, nil
		}
		since = page.LastSeq
	}
	return nil, shopapi.Invalid("since", "must be followed by at most %d changes that the webhook sends: there are more, or they are too far apart", maxRedeliver)
}

func (r *reading) deliveries(of []changes.Change) (list []delivery) {
	for i := range of {
		if c := &of[i]; r.hook.Events.match(c) {
			list = append(list, newDelivery(r.hook.WebhookID, c, r.hooks.log.Path(c), r.sight))
		}
	}
	return list
}

// page reads a page of the log. Positions that the log no longer has are a 410.
func (r *reading) page(field, after string, f changes.Filter, limit int) (changes.Page, error) {
	page, err := r.hooks.log.Page(r.ctx, after, f, limit)
	if gone, ok := errors.AsType[*changes.GoneError](err); ok {
		err = &shopapi.Error{
			Status:  http.StatusGone,
			Message: "The change log does not have the changes at " + field + ". first_seq is the oldest change that is kept.",
			Members: shopapi.Map{{Name: "first_seq", Value: gone.FirstSeq}},
		}
	}
	return page, err
}

// parsePosition reads a position NAME.N.
func parsePosition(field, text string) (name string, n int64, err error) {
	name, number, ok := strings.Cut(text, ".")
	n, err = strconv.ParseInt(number, 10, 64)
	if !ok || name == "" || err != nil || n < 0 || strconv.FormatInt(n, 10) != number || field == "seq" && n == 0 {
		return "", 0, shopapi.Invalid(field, "must be a position that the change log or a message named, such as k3x9.41, not %s", plain.Quoted(text))
	}
	return name, n, nil
}
