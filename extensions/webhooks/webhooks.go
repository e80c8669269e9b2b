package webhooks

import (
	"context"
	"errors"
	"net/netip"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Options configure webhooks. The zero value is off.
type Options struct {
	On bool

	// AllowHTTP also allows addresses that begin with http://. Everybody on the way can
	// read their messages, which name objects, but not change them.
	AllowHTTP bool

	// AllowNetworks are networks to which messages may be sent although they are not
	// public, such as the network of the shop's ERP.
	AllowNetworks []netip.Prefix
}

// Webhooks are the webhooks of a shop. The methods act for the user of ctx; without one, as in
// the host's own code, all webhooks are visible.
type Webhooks struct {
	resource.Lists[Filter, Webhook] // Find, All

	api    *shopapi.API
	st     store.Store
	log    *changes.Log
	opts   Options
	rows   resource.Collection[row, Webhook]
	client *client
	worker *worker
}

// Register creates the missing tables in st, adds the entity webhooks to the API, and has it
// send messages from [shopapi.API.Start] to [shopapi.API.Shutdown]. It needs the change log
// and [shopapi.Options.UserByID].
func Register(ctx context.Context, api *shopapi.API, st store.Store, log *changes.Log, opts Options) (*Webhooks, error) {
	if log == nil {
		return nil, errors.New("webhooks: they need the change log")
	}
	if _, err := api.UserByID(ctx, 0); errors.Is(err, shopapi.ErrNoUserByID) {
		return nil, err
	}
	w := &Webhooks{api: api, st: st, log: log, opts: opts, client: newClient(opts)}
	w.worker = newWorker(w)
	var err error
	if w.rows, err = resource.New(api, st, definition(w)); err != nil {
		return nil, err
	}
	w.Lists = resource.ListsOf[Filter](w.rows)
	if err := w.rows.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := api.Register(&entity{w.rows.Entity(), w}); err != nil {
		return nil, err
	}
	if err := w.registerDeliveries(); err != nil {
		return nil, err
	}
	api.Background(w.worker.run)
	return w, nil
}

// Schema returns the table of the webhooks, for programs that copy a shop to another store. The
// tables of their deliveries stay behind: see [DeliverySchemas] and [DisableAll].
func Schema() *store.Schema { return hooks.Schema() }

// DeliverySchemas returns the tables of the deliveries, which copies of a shop leave behind.
func DeliverySchemas() []*store.Schema {
	return []*store.Schema{deliveries.Schema(), progresses.Schema(), leases.Schema()}
}

// DisableAll sets the status of all webhooks in a copy of a shop to D, so that a receiver does
// not get messages of two shops.
func DisableAll(ctx context.Context, st store.Store) error {
	if err := st.Migrate(ctx, Schema()); err != nil {
		return err
	}
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return hooks.Alter(tx, func(values []store.Value) {
			values[statusColumn] = store.String(Disabled)
		})
	})
}

var statusColumn = hooks.Field("status")

// Get returns a webhook. It returns a 404 [*shopapi.Error] if it does not exist or the user of
// ctx may not see it.
func (w *Webhooks) Get(ctx context.Context, id int64) (Webhook, error) {
	r, err := w.rows.Get(ctx, id)
	return r.Webhook, err
}

// Create adds a webhook of the user of ctx, which sends the changes from now on. It returns
// the secret with which messages are signed; it cannot be read again. The error is a 400
// [*shopapi.Error] that names the invalid fields.
func (w *Webhooks) Create(ctx context.Context, hook Webhook) (created Webhook, secret string, err error) {
	ctx, shown := withShown(w.now(ctx))
	r := row{Webhook: hook}
	r.WebhookID = 0
	r.madeBy(shopapi.UserFrom(ctx), "")
	r, err = w.rows.Create(ctx, r)
	if err != nil {
		return Webhook{}, "", err
	}
	return r.Webhook, *shown, nil
}

// Update runs change on the webhook with the id and returns the stored webhook. It returns a
// 404, 400 or 403 [*shopapi.Error], or the error of change.
func (w *Webhooks) Update(ctx context.Context, id int64, change func(*Webhook) error) (Webhook, error) {
	ctx = w.now(ctx)
	r, err := w.rows.Update(ctx, id, func(r *row) error {
		before := r.URL
		err := change(&r.Webhook)
		r.madeBy(shopapi.UserFrom(ctx), before)
		return err
	})
	return r.Webhook, err
}

// Delete removes a webhook with its deliveries. It returns a 404 [*shopapi.Error] if the user
// of ctx may not see it.
func (w *Webhooks) Delete(ctx context.Context, id int64) error { return w.rows.Delete(ctx, id) }

// RotateSecret replaces the secret of a webhook and returns the new one. For a day both sign.
func (w *Webhooks) RotateSecret(ctx context.Context, id int64) (secret string, err error) {
	err = w.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		r, err := w.ruled(ctx, tx, id)
		if err != nil {
			return err
		}
		secret, err = w.rotateSecret(ctx, r.WebhookID)
		return err
	})
	return secret, err
}

func (w *Webhooks) rotateSecret(ctx context.Context, id int64) (string, error) {
	r, err := w.rows.Update(ctx, id, func(r *row) error {
		r.rotate(w.api.Now(ctx))
		return nil
	})
	return r.Secret, err
}

// ruled returns a webhook that the user of ctx made, or any for root; others get a 404 or 403.
func (w *Webhooks) ruled(ctx context.Context, tx store.Tx, id int64) (row, error) {
	r, err := w.rows.GetIn(w.api.Confine(ctx), tx, id)
	if err == nil && !r.mayRule(w.api.Confine(ctx)) {
		err = errNotYours
	}
	return r, err
}

// KeyEnded is for [users.Users.OnKeyEnd]: webhooks whose address the key gave are disabled, or
// handed on to the key that replaces it.
func (w *Webhooks) KeyEnded(ctx context.Context, tx store.Tx, keyID, by string) error {
	if keyID == "" {
		return nil
	}
	list, err := hooks.Select(tx, store.Query{Where: []store.Cond{store.Equal("key_id", store.String(keyID))}})
	for i := 0; err == nil && i < len(list); i++ {
		_, err = w.rows.Update(shopapi.AsHost(ctx), list[i].WebhookID, func(r *row) error {
			r.KeyID = by
			if by == "" {
				r.Status = Disabled
			}
			return nil
		})
	}
	return err
}

type positionKey struct{}

// now returns a context with the position of the change log, at which webhooks begin that are
// made in it. It is read before the transaction, which would hold up others.
func (w *Webhooks) now(ctx context.Context) context.Context {
	at, err := w.log.Position(shopapi.AsHost(ctx))
	if err != nil {
		return ctx // write reads it again, and returns the error
	}
	return context.WithValue(ctx, positionKey{}, at)
}

func (w *Webhooks) position(ctx context.Context) (string, error) {
	if at, ok := ctx.Value(positionKey{}).(string); ok {
		return at, nil
	}
	return w.log.Position(shopapi.AsHost(ctx))
}

// poke has the worker look for webhooks that are new, changed, or have something to send.
func (w *Webhooks) poke() { w.worker.poke() }
