package settings

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An entity serves the settings over HTTP: they can be read and written, but not created
// or deleted.
type entity struct{ s *Settings }

var (
	_ shopapi.Lister     = (*entity)(nil)
	_ shopapi.Getter     = (*entity)(nil)
	_ shopapi.Updater    = (*entity)(nil)
	_ shopapi.Authorizer = (*entity)(nil)
	_ bulk.RowMatcher    = (*entity)(nil)
)

// filter has the parameters of lists; company_id also applies to single objects.
type filter struct {
	SectionID    *int64 `json:"section_id"`
	SectionTabID *int64 `json:"section_tab_id"`
	CompanyID    int64  `json:"company_id"` // 0 for the whole shop
}

// Store is the store of the settings.
func (e *entity) Store() store.Store { return e.s.st }

func (*entity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:          "settings",
		IDField:       "setting_id",
		ItemIDField:   "object_id",
		Privileges:    shopapi.Privileges{View: "view_settings", Manage: "manage_settings"},
		Cacheable:     true,
		Transactional: true,
		Summary:       "Options of the shop.",
		Display:       shopapi.Display{Label: "description", Columns: []string{"description", "value", "name"}},
		Object:        reflect.TypeFor[Item](),
		Item:          reflect.TypeFor[Item](),
		Filter:        reflect.TypeFor[filter](),
		Body:          reflect.TypeFor[body](),
		Sorts:         []string{"position", "id", "name"},
	}
}

// Authorize implements [shopapi.Authorizer].
func (*entity) Authorize(user *shopapi.User, op shopapi.Operation, parents []string) error {
	return resource.ClosedToVendors(user, op, parents)
}

// List implements [shopapi.Lister].
func (e *entity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	var f filter
	page, err := r.BindList(&f, false, "position", "id", "name")
	if err != nil {
		return nil, err
	}
	company, err := e.company(ctx, f.CompanyID)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(e.s.all(), func(d *declared) bool {
		return f.SectionID != nil && d.sectionID != *f.SectionID || f.SectionTabID != nil && d.tabID != *f.SectionTabID
	})
	slices.SortStableFunc(list, func(a, b *declared) int {
		order := 0
		switch page.SortBy {
		case "id":
			order = cmp.Compare(a.objectID, b.objectID)
		case "name":
			order = cmp.Or(strings.Compare(store.Fold(a.Name), store.Fold(b.Name)), cmp.Compare(a.objectID, b.objectID))
		default:
			order = cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.objectID, b.objectID))
		}
		if page.Descending {
			return -order
		}
		return order
	})
	params := page.Params(int64(len(list)))
	list = list[min(page.Offset(), len(list)):]
	list = list[:min(page.Limit(), len(list))]
	items := make([]Item, len(list))
	err = e.s.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		written, own, err := read(tx, company)
		for i, d := range list {
			if err == nil {
				items[i], err = e.item(ctx, d, f.CompanyID, written, own)
			}
		}
		return err
	})
	return shopapi.List{Name: "settings", Items: items, Params: params}, err
}

// Get implements [shopapi.Getter].
func (e *entity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	d, err := e.find(id)
	if err != nil {
		return nil, err
	}
	var f filter
	if err := r.BindFilter(&f); err != nil {
		return nil, err
	}
	company, err := e.company(ctx, f.CompanyID)
	if err != nil {
		return nil, err
	}
	var item Item
	err = store.ShortView(ctx, e.s.st, func(ctx context.Context, tx store.Tx) error {
		written, own, err := read(tx, company)
		if err == nil {
			item, err = e.item(ctx, d, f.CompanyID, written, own)
		}
		return err
	})
	return item, err
}

// Update implements [shopapi.Updater]: it writes the value. Null resets it. The query or
// the payload may name the company.
func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	d, err := e.find(id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	var problems shopapi.Problems
	var f filter
	problems.Merge(r.BindFilter(&f))
	sent := struct {
		CompanyID int64 `json:"company_id"`
	}{f.CompanyID}
	problems.Merge(r.Bind(&sent))
	text, err := d.sent(r.Payload.Raw("value"))
	problems.Merge(err)
	if err := problems.Err(); err != nil {
		return shopapi.Reply{}, err
	}
	company, err := e.company(ctx, sent.CompanyID)
	if err != nil {
		return shopapi.Reply{}, err
	}
	return shopapi.Reply{ID: id}, e.s.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		return shopapi.CheckPreconditions(ctx, func() error {
			if !r.Payload.Has("value") {
				return nil
			}
			written, own, err := read(tx, company)
			if err != nil {
				return err
			}
			// Sending back a response changes nothing; a secret's value in responses is "".
			now, err := e.item(ctx, d, sent.CompanyID, written, own)
			if err != nil || text != nil && *text == now.Value {
				return err
			}
			if e.s.api.SettingKeeper(d.ID()) != nil {
				company = sent.CompanyID
			}
			return e.s.set(ctx, tx, d, company, text)
		})
	})
}

// find returns the setting with the id of an address.
func (e *entity) find(id string) (*declared, error) {
	n, err := shopapi.ParseID("setting", id)
	if err != nil {
		return nil, err
	}
	d, ok := e.s.byNo[n]
	if !ok {
		return nil, shopapi.NotFound("setting", id)
	}
	return d, nil
}

// RowField implements [bulk.RowMatcher].
func (*entity) RowField() string { return "name" }

// IDsByRowField implements [bulk.RowMatcher]. Settings of several sections may have one
// name.
func (e *entity) IDsByRowField(_ context.Context, names []string) (map[string][]string, error) {
	found := map[string][]string{}
	for _, d := range e.s.all() {
		if slices.Contains(names, d.Name) {
			found[d.Name] = append(found[d.Name], shopapi.FormatID(d.objectID))
		}
	}
	return found, nil
}

// company returns the company whose values are used, 0 for the whole shop: the company
// of ctx, or else the named one.
func (e *entity) company(ctx context.Context, named int64) (int64, error) {
	api := e.s.api
	if api.Edition() != shopapi.MultiStorefront {
		return 0, nil
	}
	if own, confined := shopapi.CompanyOf(ctx); confined {
		return own, nil
	}
	var problems shopapi.Problems
	if named < 0 {
		problems.Add("company_id", "must be the id of a storefront, not %d", named)
	}
	if named > 0 && named != api.DefaultCompany() {
		if err := api.CheckReference(ctx, &problems, "company_id", resource.CompanyEntity(api), named); err != nil {
			return 0, err
		}
	}
	return named, problems.Err()
}
