package companies

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// A statusText is a storefront's text to customers about a status of orders in the base
// language, if it differs from the whole shop's.
type statusText struct {
	TextID    int64   `json:"text_id" store:"key"`
	CompanyID int64   `json:"company_id"`
	StatusID  int64   `json:"status_id"`
	Subject   *string `json:"email_subj"`
	Header    *string `json:"email_header"`
}

// A statusTranslation is a statusText in another language.
type statusTranslation struct {
	TextID    int64   `json:"text_id" store:"key"`
	CompanyID int64   `json:"company_id"`
	StatusID  int64   `json:"status_id"`
	LangCode  string  `json:"lang_code"`
	Subject   *string `json:"email_subj"`
	Header    *string `json:"email_header"`
}

var (
	texts = store.MustTable[statusText]("store_status_texts",
		store.Index{Columns: []string{"company_id", "status_id"}, Unique: true})
	translations = store.MustTable[statusTranslation]("store_status_translations",
		store.Index{Columns: []string{"company_id", "status_id", "lang_code"}, Unique: true})
)

// A statusPayload is what a PUT may have.
type statusPayload struct {
	Subject  *string `json:"email_subj"`   // the subject of the e-mail, after the number of the order
	Header   *string `json:"email_header"` // the text of the e-mail
	LangCode string  `json:"lang_code"`    // the language of both texts
}

// statusTexts answers for stores/…/statuses: the statuses of the shop, with the texts of
// the storefront, which alone are changed here (decisions §21).
type statusTexts struct {
	api  *shopapi.API
	st   store.Store
	base string // the base language
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
		Payload:       reflect.TypeFor[statusPayload](),
		Translated:    []string{"email_subj", "email_header"},
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
		own, err := e.ownTexts(ctx, tx, store.Equal("company_id", store.Int(company)))
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
		own, err := e.ownTexts(ctx, tx, of(company, n)...)
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
	if errors.Is(err, shopapi.ErrNotFound) {
		return nil, 0, shopapi.NotFound("status", id)
	}
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

// Update implements [shopapi.Updater]. It writes the texts of one language. Null resets a
// text to the shop's.
func (e *statusTexts) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	company, err := storefrontOf(r)
	if err != nil {
		return shopapi.Reply{}, err
	}
	var problems shopapi.Problems
	if code := r.PayloadLanguage(&problems); code != "" {
		ctx = shopapi.WithLanguage(ctx, code)
	}
	if err := problems.Err(); err != nil {
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
	own, err := e.ownTexts(ctx, tx, of(company, id)...)
	if err != nil {
		return err
	}
	before := own.texts[id][own.chain[0]]
	sent := statusPayload{Subject: before.subject, Header: before.header}
	if err := r.Bind(&sent); err != nil {
		return err
	}
	object, err := own.over(status)
	if err != nil {
		return err
	}
	shown := shopapi.FieldsOf(object) // what GET answers
	after := before
	var problems shopapi.Problems
	code := own.chain[0]
	var changed []string
	for _, f := range []struct {
		name    string
		was, is *string
		into    **string
		most    int
	}{
		{"email_subj", before.subject, sent.Subject, &after.subject, 1 << 10},
		{"email_header", before.header, sent.Header, &after.header, 64 << 10},
	} {
		text, _ := shown(f.name)
		if equal(f.was, f.is) || f.was == nil && *f.is == text { // the response's text
			continue
		}
		name := f.name
		if code != e.base {
			name = shopapi.TextField{Field: f.name, Language: code}.Name()
		}
		changed = append(changed, name)
		*f.into = f.is
		if f.is != nil {
			problems.Bytes(f.name, *f.is, f.most)
		}
	}
	if err := problems.Err(); err != nil || len(changed) == 0 {
		return err
	}
	e.api.Changed(ctx, "statuses", shopapi.OpUpdate, shopapi.FormatID(id), changed...)
	return e.write(tx, company, id, code, after)
}

// write stores the texts of a storefront about a status in a language.
func (e *statusTexts) write(tx store.Tx, company, status int64, code string, t ownText) error {
	if code == e.base {
		row := statusText{TextID: t.id, CompanyID: company, StatusID: status, Subject: t.subject, Header: t.header}
		if t.id == 0 {
			return texts.Insert(tx, &row)
		}
		return texts.Update(tx, &row)
	}
	row := statusTranslation{TextID: t.id, CompanyID: company, StatusID: status, LangCode: code, Subject: t.subject, Header: t.header}
	if t.id == 0 {
		return translations.Insert(tx, &row)
	}
	return translations.Update(tx, &row)
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func of(company, status int64) []store.Cond {
	return []store.Cond{store.Equal("company_id", store.Int(company)), store.Equal("status_id", store.Int(status))}
}

// An ownText is what a storefront writes about a status in one language.
type ownText struct {
	id              int64 // of the row
	subject, header *string
}

// ownTexts are the texts of a storefront by the id of the status and the language.
type ownTexts struct {
	chain []string // the languages in which a text is looked for: asked for, default, base
	texts map[int64]map[string]ownText
}

// ownTexts reads the texts of a storefront that the language of ctx shows.
func (e *statusTexts) ownTexts(ctx context.Context, tx store.Tx, where ...store.Cond) (ownTexts, error) {
	fallback, err := e.api.DefaultLanguage(ctx)
	if err != nil {
		return ownTexts{}, err
	}
	fallback = cmp.Or(fallback, e.base)
	own := ownTexts{texts: map[int64]map[string]ownText{}}
	for _, code := range []string{cmp.Or(shopapi.LanguageFrom(ctx), fallback), fallback, e.base} {
		if !slices.Contains(own.chain, code) {
			own.chain = append(own.chain, code)
		}
	}
	add := func(status int64, code string, t ownText) {
		if own.texts[status] == nil {
			own.texts[status] = map[string]ownText{}
		}
		own.texts[status][code] = t
	}
	inBase, err := texts.Select(tx, store.Query{Where: where})
	if err != nil {
		return ownTexts{}, err
	}
	for _, t := range inBase {
		add(t.StatusID, e.base, ownText{t.TextID, t.Subject, t.Header})
	}
	var others []store.Value
	for _, code := range own.chain {
		if code != e.base {
			others = append(others, store.String(code))
		}
	}
	if len(others) == 0 {
		return own, nil
	}
	list, err := translations.Select(tx, store.Query{Where: append(slices.Clip(where), store.In("lang_code", others...))})
	for _, t := range list {
		add(t.StatusID, t.LangCode, ownText{t.TextID, t.Subject, t.Header})
	}
	return own, err
}

// over lays the texts of the storefront over a status: each text is the first that exists
// in the chain of languages, else the shop's.
func (own ownTexts) over(status json.RawMessage) (shopapi.Map, error) {
	object, err := members(status)
	if err != nil {
		return nil, err
	}
	id, _ := shopapi.Field(object, "status_id")
	n, err := shopapi.ParseID("status", id)
	if err != nil {
		return nil, fmt.Errorf("companies: a status has no status_id: %w", err)
	}
	for _, code := range slices.Backward(own.chain) {
		t := own.texts[n][code]
		for i, m := range object {
			switch {
			case m.Name == "email_subj" && t.subject != nil:
				object[i].Value = *t.subject
			case m.Name == "email_header" && t.header != nil:
				object[i].Value = *t.header
			}
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
