package webhooks

import (
	"context"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An entity answers for webhooks over HTTP. It adds the secret to
// replies, which is not stored under an Idempotency-Key, and reads the change log before the
// transaction.
type entity struct {
	resource.Entity
	hooks *Webhooks
}

// Store is the store of the webhooks.
func (e *entity) Store() store.Store { return e.hooks.st }

// Describe implements [shopapi.Entity]. The reply to POST has a secret.
func (e *entity) Describe() shopapi.Description {
	d := e.Entity.Describe()
	d.More = shopapi.Map{{Name: "secret", Value: ""}}
	return d
}

// Create implements [shopapi.Creator]. The reply has the secret. The user is asked again, since a webhook
// of a key that was revoked meanwhile would never end.
func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	if _, err := r.Identify(ctx); err != nil {
		return shopapi.Reply{}, err
	}
	ctx, shown := withShown(e.hooks.now(ctx))
	reply, err := e.Entity.Create(ctx, r)
	return withSecret(reply, shown, err)
}

// withSecret adds a secret that was made for a request to the reply.
func withSecret(reply shopapi.Reply, shown *string, err error) (shopapi.Reply, error) {
	if err == nil && *shown != "" {
		reply.More = append(reply.More, shopapi.Member{Name: "secret", Value: *shown})
	}
	return reply, err
}

// Update implements [shopapi.Updater]. It asks for the user again, as Create does.
func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	if _, err := r.Identify(ctx); err != nil {
		return shopapi.Reply{}, err
	}
	return e.Entity.Update(e.hooks.now(ctx), r, id)
}

// The actions of a webhook.
const (
	actionRotate    = "rotate_secret"
	actionPing      = "ping"
	actionRedeliver = "redeliver"
)

// Act implements [shopapi.Actor]. It asks for the user again, as Create does.
func (e *entity) Act(ctx context.Context, r *shopapi.Request, action, id string) (shopapi.Reply, error) {
	if _, err := r.Identify(ctx); err != nil {
		return shopapi.Reply{}, err
	}
	ctx, shown := withShown(ctx)
	if action == actionRedeliver {
		chosen, err := e.chosen(ctx, r, id)
		if err != nil {
			return shopapi.Reply{}, err
		}
		ctx = context.WithValue(ctx, chosenKey{}, chosen)
	}
	reply, err := e.Entity.Act(ctx, r, action, id)
	return withSecret(reply, shown, err)
}

type chosenKey struct{}

// chosen reads the changes that a request asks to be sent again.
func (e *entity) chosen(ctx context.Context, r *shopapi.Request, id string) ([]delivery, error) {
	n, err := shopapi.ParseID("webhook", id)
	if err != nil {
		return nil, err
	}
	var asked redeliverPayload
	if err := r.Bind(&asked); err != nil {
		return nil, err
	}
	return e.hooks.choose(ctx, n, asked.Seq, asked.Since)
}

// A redeliverPayload is the body of the action redeliver.
type redeliverPayload struct {
	Seq   string `json:"seq"`   // the position of the change to send again
	Since string `json:"since"` // the position after which all changes are sent again, to 1,000
}

func (w *Webhooks) actions() []resource.Action[row] {
	return []resource.Action[row]{
		{
			Name:    actionRotate,
			Summary: "Replaces the secret, which is shown this once. For 24 hours messages are signed with the former one too.",
			Run: func(ctx context.Context, _ store.Tx, _ *shopapi.Request, r *row) (shopapi.Reply, error) {
				_, err := w.rotateSecret(ctx, r.WebhookID)
				return shopapi.Reply{}, err
			},
		},
		{
			Name:    actionPing,
			Summary: "Sends a message of the type ping, once in 10 seconds at most.",
			Run: func(ctx context.Context, tx store.Tx, _ *shopapi.Request, r *row) (shopapi.Reply, error) {
				return shopapi.Reply{}, w.ping(ctx, tx, r.WebhookID)
			},
		},
		{
			Name:    actionRedeliver,
			Summary: "Sends a change again, or all changes after a position, each once.",
			Payload: reflect.TypeFor[redeliverPayload](),
			Run: func(ctx context.Context, tx store.Tx, _ *shopapi.Request, r *row) (shopapi.Reply, error) {
				list, _ := ctx.Value(chosenKey{}).([]delivery)
				return shopapi.Reply{More: shopapi.Map{{Name: "count", Value: len(list)}}}, w.redeliver(ctx, tx, r.WebhookID, list)
			},
		},
	}
}
