package webhooks

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Webhook is an address to which changes are sent.
type Webhook struct {
	WebhookID   int64  `json:"webhook_id,string" store:"key" bind:"-"`
	URL         string `json:"url" rule:"required,bytes=2048" hint:"the address that receives the messages"`                          // https, without credentials
	Events      Events `json:"events" rule:"required,bytes=8192" hint:"what the webhook sends, such as orders.* or products.updated"` // at most 64
	Status      string `json:"status" store:"index" rule:"oneof=A D,default=A"`                                                       // A active, D disabled
	Description string `json:"description" rule:"len=255"`
	CompanyID   int64  `json:"company_id,string" store:"index"` // the company in whose list the webhook is
}

// A row is a webhook with the columns that no response contains.
type row struct {
	Webhook
	UserID       int64  `json:"-" store:"name=user_id,index"` // the user who made it, 0 for the program
	KeyID        string `json:"-" store:"name=key_id,index"`  // the API key that gave the address last, "" for none
	Secret       string `json:"-" store:"name=secret"`
	FormerSecret string `json:"-" store:"name=former_secret"` // the one before, "" for none
	Rotated      int64  `json:"-" store:"name=rotated"`       // when the secret replaced it, in seconds since 1970
}

var (
	hooks   = store.MustTable[row]("webhooks")
	visible = store.Project[Webhook](hooks)
)

// The statuses of a webhook.
const (
	Active   = "A"
	Disabled = "D"
)

const maxPerCompany = 20

// A Filter selects webhooks of a list. The zero value selects all, by id.
type Filter struct {
	resource.ListOptions

	Status    string `json:"status" bind:"codes" rule:"oneof=A D" match:"equal"`
	CompanyID *int64 `json:"company_id" match:"equal"`
}

func definition(w *Webhooks) resource.Definition[row, Webhook] {
	return resource.Definition[row, Webhook]{
		Name:    "webhooks",
		Object:  "webhook",
		Summary: "Addresses to which changes are sent.",
		Privileges: shopapi.Privileges{
			View: "manage_webhooks", Manage: "manage_webhooks",
		},
		Table:   hooks,
		Filter:  func() resource.Filter { return new(Filter) },
		Sorts:   []resource.Sort{{Key: "id", Column: "webhook_id"}},
		Actions: w.actions(),
		Rows: resource.Rows[row, Webhook]{
			Tables: DeliverySchemas(),
			Write:  w.write,
			Remove: w.remove,
		},
		List: resource.List[row, Webhook]{Items: visible, Item: func(r *row) *Webhook { return &r.Webhook }},
		Wire: resource.Wire[row, Webhook]{
			StringIDs: true,
			Bind:      bind,
			EncodeOne: func(_ context.Context, r *row) any { return r.Webhook },
		},
		Scope: resource.Scope[row]{
			Company:   func(r *row) *int64 { return &r.CompanyID },
			Parents:   resource.Companies[row](),
			Authorize: w.authorize,
		},
		Rules: resource.Rules[row]{
			Fields: []shopapi.Rule{
				{Field: "url", Note: "must begin with https://, without user name and password"},
			},
			Normalize: func(r *row, _ *shopapi.Problems) { r.URL = strings.TrimSpace(r.URL) },
			Check:     w.check,
		},
	}
}

// bind applies a payload to a webhook, and notes who sent it.
func bind(_ context.Context, r *shopapi.Request, hook *row) error {
	before := hook.URL
	err := r.Bind(hook)
	hook.madeBy(r.User, before)
	return err
}

// madeBy notes the user who makes a webhook, and the key that gives its address.
func (r *row) madeBy(user *shopapi.User, formerURL string) {
	if r.WebhookID == 0 {
		r.Secret = newSecret()
		if user != nil {
			r.UserID = user.ID
		}
	}
	if strings.TrimSpace(r.URL) != formerURL {
		r.KeyID = ""
		if user != nil {
			r.KeyID = user.KeyID
		}
	}
}

// mayRule reports whether the user of ctx made the webhook, or is root.
func (r *row) mayRule(ctx context.Context) bool {
	user := shopapi.UserFrom(ctx)
	if user == nil || user.Root && user.Type == shopapi.Administrator && !user.IsConfined() {
		return true
	}
	return r.UserID != 0 && user.ID == r.UserID
}

var errNotYours = shopapi.Errorf(403, "Only the user who made the webhook, and root administrators, may do this. Others may read it, set its status to D and delete it.")

// authorize lets the user who made a webhook and root use its actions.
func (w *Webhooks) authorize(ctx context.Context, _ store.Tx, op shopapi.Operation, r *row) error {
	if op == shopapi.OpAction && !r.mayRule(ctx) {
		return errNotYours
	}
	return nil
}

// check adds the problems of a webhook. It refuses the changes of others than its maker but
// the status D.
func (w *Webhooks) check(ctx context.Context, tx store.Tx, before, after *row, problems *shopapi.Problems) error {
	if before.WebhookID != 0 && !before.mayRule(ctx) {
		disabled := *before
		disabled.Status = Disabled
		if *after != disabled {
			return errNotYours
		}
	}
	if after.URL != "" && !problems.Skips("url") && !problems.Has("url") {
		w.checkURL(after.URL, problems)
	}
	if !problems.Skips("events") && !problems.Has("events") {
		after.Events.check(w.api, problems)
	}
	if after.CompanyID == before.CompanyID {
		return nil
	}
	n, err := hooks.Count(tx, store.Equal("company_id", store.Int(after.CompanyID)))
	if err == nil && n >= maxPerCompany {
		err = shopapi.Errorf(400, "There are %d webhooks, which is the limit of a company. Delete one first.", n)
	}
	return err
}

// checkURL checks the address of a receiver. Where it leads is checked when a connection is
// made.
func (w *Webhooks) checkURL(address string, problems *shopapi.Problems) {
	schemes := "https://"
	if w.opts.AllowHTTP {
		schemes = "https:// or http://"
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "" || u.Scheme != "https" && (u.Scheme != "http" || !w.opts.AllowHTTP):
		problems.Add("url", "must be an address that begins with %s and names a host", schemes)
	case u.Port() != "" && !isPort(u.Port()):
		problems.Add("url", "must have a port from 1 to 65535, not %s", u.Port())
	case u.User != nil:
		problems.Add("url", "must not have a user name or password")
	case strings.Contains(address, "#"):
		problems.Add("url", "must not have a fragment, which begins with #")
	}
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// write stores a webhook. A new or newly active one sends what happens from now on; a
// disabled one sends nothing that waits.
func (w *Webhooks) write(ctx context.Context, tx store.Tx, before, after *row) error {
	if err := w.rows.WriteRow(ctx, tx, before, after); err != nil {
		return err
	}
	if after.Secret != before.Secret {
		showSecret(ctx, after.Secret)
	}
	store.AfterCommit(ctx, w.poke)
	switch was := before.Status == Active; {
	case was == (after.Status == Active):
		return nil
	case was:
		return giveUpAll(tx, after.WebhookID, "the webhook was disabled")
	}
	at, err := w.position(ctx)
	if err != nil {
		return err
	}
	return begin(tx, after.WebhookID, at)
}

// remove deletes a webhook with its deliveries.
func (w *Webhooks) remove(_ context.Context, tx store.Tx, r *row) error {
	where := store.Equal("webhook_id", store.Int(r.WebhookID))
	if _, err := deliveries.Delete(tx, where); err != nil {
		return err
	}
	if _, err := progresses.Delete(tx, where); err != nil {
		return err
	}
	return hooks.DeleteKey(tx, r.WebhookID)
}
