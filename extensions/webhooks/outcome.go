package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// store stores the outcomes of a batch in one transaction. If the program ends before that, the
// messages are sent again.
func (s *sender) store(ctx context.Context, t *state, list []outcome) error {
	if len(list) == 0 {
		return nil
	}
	w := s.worker.hooks
	ctx = context.WithoutCancel(ctx) // the results of sent messages are stored, also when the program ends
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	disabled := ""
	err := w.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		disabled = ""
		if err := s.worker.checkLease(tx); err != nil {
			return err
		}
		p, err := progresses.Get(tx, s.id)
		if err != nil {
			return gone(err)
		}
		now := w.api.Now(ctx)
		why, succeeded, err := s.note(tx, &p, list, now)
		if err != nil {
			return err
		}
		if succeeded {
			if err := s.hurry(tx, list, now); err != nil {
				return err
			}
		}
		if p.Once {
			if p.Once, err = hasOnce(tx, s.id); err != nil {
				return err
			}
		}
		if err := progresses.Update(tx, &p); err != nil {
			return err
		}
		if why != "" {
			if disabled, err = why, s.disable(ctx); err != nil {
				return err
			}
		}
		return prune(tx, s.id)
	})
	if err == nil && disabled != "" {
		s.worker.logger.LogAttrs(ctx, slog.LevelWarn, "a webhook was disabled", slog.Int64("webhook", s.id), slog.String("reason", disabled))
	}
	return err
}

// note stores the results of attempts. It returns why the webhook is to be disabled, if it is,
// and whether an attempt succeeded.
func (s *sender) note(tx store.Tx, p *progress, list []outcome, now time.Time) (disable string, succeeded bool, err error) {
	for i := range list {
		o := &list[i]
		d, err := deliveries.Get(tx, o.DeliveryID)
		if errors.Is(err, store.ErrNotFound) {
			continue // the webhook was deleted
		}
		if err != nil {
			return "", false, err
		}
		isOpen := d.Open // unless the webhook was disabled meanwhile
		switch r := &o.result; {
		case r.at.IsZero():
			d.giveUp("the user who made the webhook may no longer see it")
		default:
			d.attempted(r, now)
			d.Open = d.Open && isOpen
			if !d.Open && d.State == Failed {
				d.State = GivenUp
			}
			switch {
			case r.ok():
				p.FailingSince, succeeded = 0, true
			case d.Once && r.code != http.StatusGone: // a trial says nothing of the others
			case p.FailingSince == 0:
				p.FailingSince = now.Unix()
			case now.Sub(time.Unix(p.FailingSince, 0)) >= disableAfter:
				disable = "its receiver has failed for 5 days"
			}
			if r.code == http.StatusGone {
				disable = "its receiver answered 410"
			}
		}
		if err := deliveries.Update(tx, &d); err != nil {
			return "", false, err
		}
	}
	return disable, succeeded, nil
}

// hurry makes all deliveries due that wait for a repeat, apart from the list, which the sender
// just attempted.
func (s *sender) hurry(tx store.Tx, list []outcome, now time.Time) error {
	tried := map[int64]bool{}
	for i := range list {
		tried[list[i].DeliveryID] = true
	}
	waits, err := deliveries.Select(tx, store.Query{Where: append(openOf(s.id), store.Equal("state", store.String(Failed)))})
	for i := 0; err == nil && i < len(waits); i++ {
		d := &waits[i]
		if tried[d.DeliveryID] || d.Hurry != onSchedule || d.Due <= now.UnixMilli() {
			continue
		}
		d.Due, d.Hurry = now.UnixMilli(), broughtForward
		err = deliveries.Update(tx, d)
	}
	return err
}

// disable sets the status of the webhook to D in the transaction of ctx, as the program.
func (s *sender) disable(ctx context.Context) error {
	_, err := s.worker.hooks.rows.Update(shopapi.AsHost(ctx), s.id, func(r *row) error {
		r.Status = Disabled
		return nil
	})
	if errors.Is(err, shopapi.ErrNotFound) {
		return nil
	}
	return err
}
