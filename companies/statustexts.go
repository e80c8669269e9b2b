package companies

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// A statusText is a storefront's text to customers about a status of orders, if it
// differs from the whole shop's.
type statusText struct {
	TextID    int64   `json:"text_id" store:"key" bind:"-"`
	CompanyID int64   `json:"company_id" bind:"-"`
	StatusID  int64   `json:"status_id" bind:"-"`
	Subject   *string `json:"email_subj"`   // the subject of the e-mail, after the number of the order
	Header    *string `json:"email_header"` // the text of the e-mail
}

var texts = store.MustTable[statusText]("store_status_texts",
	store.Index{Columns: []string{"company_id", "status_id"}, Unique: true})

// statusTexts answers for stores/…/statuses: the statuses of the shop, with the texts of
// the storefront, which alone are changed here (decisions §21).
type statusTexts struct {
	api *shopapi.API
	st  store.Store
}

var (
	_ shopapi.Lister  = (*statusTexts)(nil)
	_ shopapi.Getter  = (*statusTexts)(nil)
	_ shopapi.Updater = (*statusTexts)(nil)
)

// Store is the store of the texts.
func (e *statusTexts) Store() store.Store { return e.st }

// Describe implements [shopapi.Entity].
func (e *statusTexts) Describe() shopapi.Description {
	return shopapi.Description{
		Name:          "statuses",
		IDField:       "status_id",
		Privileges:    shopapi.Privileges{View: "view_statuses", Manage: "manage_statuses"},
		Cacheable:     true,
		Transactional: true,
		Payload:       reflect.TypeFor[statusText](),
		Summary:       "The statuses of orders with what a storefront writes to customers.",
	}
}

// storefrontOf is the id of the storefront in the address.
func storefrontOf(r *shopapi.Request) (int64, error) {
	parent, _ := r.Parent()
	return shopapi.ParseID("storefront", parent.ID)
}

// List implements [shopapi.Lister].
func (e *statusTexts) List(ctx context.Context, r *shopapi.Request) (any, error) {
	company, err := storefrontOf(r)
	if err != nil {
		return nil, err
	}
	var result any
	err = e.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		result, err = e.api.LookupList(ctx, "statuses", r)
		list, ok := result.(shopapi.List)
		if err != nil || !ok {
			return missing(err)
		}
		own, err := ownTexts(tx, store.Equal("company_id", store.Int(company)))
		if err != nil {
			return err
		}
		encoded, err := encode(list.Items)
		if err != nil {
			return err
		}
		var items []json.RawMessage
		if err := json.Unmarshal(encoded, &items); err != nil {
			return fmt.Errorf("companies: the list of statuses is none: %w", err)
		}
		objects := make([]shopapi.Map, len(items))
		for i, item := range items {
			if objects[i], err = own.over(item); err != nil {
				return err
			}
		}
		list.Items = objects
		result = list
		return nil
	})
	return result, err
}

// Get implements [shopapi.Getter].
func (e *statusTexts) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	company, err := storefrontOf(r)
	if err != nil {
		return nil, err
	}
	var object shopapi.Map
	err = e.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		status, n, err := e.status(ctx, id)
		if err != nil {
			return err
		}
		own, err := ownTexts(tx, of(company, n)...)
		if err != nil {
			return err
		}
		object, err = own.over(status)
		return err
	})
	return object, err
}

// status reads a status of the shop.
func (e *statusTexts) status(ctx context.Context, id string) (json.RawMessage, int64, error) {
	n, err := shopapi.ParseID("status", id)
	if err != nil {
		return nil, 0, err
	}
	object, err := e.api.Lookup(ctx, "statuses", id)
	if err != nil {
		return nil, 0, missing(err)
	}
	encoded, err := encode(object)
	return encoded, n, err
}

// missing is the 404 where no entity has statuses.
func missing(err error) error {
	if errors.Is(err, shopapi.ErrNotRegistered) {
		return shopapi.ErrNotFound
	}
	return err
}

// Update implements [shopapi.Updater]. Null resets a text to the shop's.
func (e *statusTexts) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	company, err := storefrontOf(r)
	if err != nil {
		return shopapi.Reply{}, err
	}
	return shopapi.Reply{ID: id}, e.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		status, n, err := e.status(ctx, id)
		if err != nil {
			return err
		}
		return shopapi.CheckPreconditions(ctx, func() error { return e.change(ctx, tx, r, company, n, status) })
	})
}

func (e *statusTexts) change(ctx context.Context, tx store.Tx, r *shopapi.Request, company, id int64, status json.RawMessage) error {
	own, err := ownTexts(tx, of(company, id)...)
	if err != nil {
		return err
	}
	before, there := own[id]
	after := before
	after.CompanyID, after.StatusID = company, id
	if err := r.Bind(&after); err != nil {
		return err
	}
	var shops statusText // what the shop writes
	if err := json.Unmarshal(status, &struct {
		Subject **string `json:"email_subj"`
		Header  **string `json:"email_header"`
	}{&shops.Subject, &shops.Header}); err != nil {
		return fmt.Errorf("companies: a status has other texts: %w", err)
	}
	var problems shopapi.Problems
	changed := false
	for _, f := range []struct {
		name          string
		was, is, shop *string
		into          **string
		most          int
	}{
		{"email_subj", before.Subject, after.Subject, shops.Subject, &after.Subject, 1 << 10},
		{"email_header", before.Header, after.Header, shops.Header, &after.Header, 64 << 10},
	} {
		switch {
		case equal(f.was, f.is):
		case f.was == nil && equal(f.is, f.shop): // the response's text
			*f.into = nil
		default:
			changed = true
			if f.is != nil {
				problems.Bytes(f.name, *f.is, f.most)
			}
		}
	}
	if err := problems.Err(); err != nil || !changed {
		return err
	}
	e.api.Changed(ctx, "statuses", shopapi.OpUpdate, shopapi.FormatID(id))
	if !there {
		return texts.Insert(tx, &after)
	}
	return texts.Update(tx, &after)
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func of(company, status int64) []store.Cond {
	return []store.Cond{store.Equal("company_id", store.Int(company)), store.Equal("status_id", store.Int(status))}
}

// textsByStatus are the texts of a storefront by the id of the status.
type textsByStatus map[int64]statusText

func ownTexts(tx store.Tx, where ...store.Cond) (textsByStatus, error) {
	list, err := texts.Select(tx, store.Query{Where: where})
	own := make(textsByStatus, len(list))
	for _, t := range list {
		own[t.StatusID] = t
	}
	return own, err
}

// over lays the texts of the storefront over a status.
func (own textsByStatus) over(status json.RawMessage) (shopapi.Map, error) {
	object, err := members(status)
	if err != nil {
		return nil, err
	}
	id, _ := shopapi.Field(object, "status_id")
	n, err := shopapi.ParseID("status", id)
	if err != nil {
		return nil, fmt.Errorf("companies: a status has no status_id: %w", err)
	}
	for i, m := range object {
		switch t := own[n]; {
		case m.Name == "email_subj" && t.Subject != nil:
			object[i].Value = *t.Subject
		case m.Name == "email_header" && t.Header != nil:
			object[i].Value = *t.Header
		}
	}
	return object, nil
}

// members reads the members of an object in their order.
func members(object json.RawMessage) (shopapi.Map, error) {
	list, err := wire.Members(object)
	m := make(shopapi.Map, len(list))
	for i := range list {
		m[i] = shopapi.Member{Name: list[i].Name, Value: list[i].Value}
	}
	return m, err
}

// encode encodes a value as JSON without escaping HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
