package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Settings are the settings of a shop, with their values in a store.
type Settings struct {
	api    *shopapi.API
	st     store.Store
	byID   map[string]*declared
	byNo   map[int64]*declared
	cached tablecache.Cache[int64, map[int64]string] // by company
}

// declared is a setting with its ids.
type declared struct {
	Setting
	objectID, sectionID, tabID int64
}

// Register creates the missing tables in st, declares the settings that the library
// uses, and adds the entity settings to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Settings, error) {
	if err := st.Migrate(ctx, Schemas()...); err != nil {
		return nil, err
	}
	s := &Settings{
		api: api, st: st, byID: map[string]*declared{}, byNo: map[int64]*declared{},
		cached: newCache(st),
	}
	base, err := resource.BaseLanguage(ctx, api, st)
	if err != nil {
		return nil, err
	}
	if err := s.Declare(ctx, library(base)...); err != nil {
		return nil, err
	}
	api.UseSettings(s)
	api.BeforeDelete("stores", s.forget)
	return s, api.Register(&entity{s})
}

// Declare adds settings, and assigns ids to new ones. It returns an error for a
// duplicate name or an incomplete declaration. Call it before the first request is
// served.
func (s *Settings) Declare(ctx context.Context, list ...Setting) error {
	added := make([]*declared, len(list))
	for i, one := range list {
		one.Variants = slices.Clone(one.Variants)
		if err := one.complete(); err != nil {
			return err
		}
		taken := func(d *declared) bool { return d != nil && d.ID() == one.ID() }
		if s.byID[one.ID()] != nil || slices.ContainsFunc(added, taken) {
			return fmt.Errorf("settings: %s is declared already", one.ID())
		}
		added[i] = &declared{Setting: one}
	}
	if err := s.number(ctx, added); err != nil {
		return err
	}
	for _, d := range added {
		s.byID[d.ID()], s.byNo[d.objectID] = d, d
	}
	return nil
}

// all returns the settings by position, then id.
func (s *Settings) all() []*declared {
	return slices.SortedFunc(maps.Values(s.byNo), func(a, b *declared) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.objectID, b.objectID))
	})
}

// Value returns the value in effect for ctx: see [shopapi.API.Setting]. Items of a list
// are separated by commas. It returns an error for a setting that is not declared.
func (s *Settings) Value(ctx context.Context, id string) (string, error) {
	value, ok, err := s.api.Setting(ctx, id)
	if err == nil && !ok {
		err = fmt.Errorf("settings: %s is not declared", id)
	}
	return value, err
}

// Problem describes why a value does not keep the rules of a setting. It returns "" for a value that keeps
// them, and for a setting that is not declared. Checks of the program that need the store are left out.
func (s *Settings) Problem(ctx context.Context, id, text string) string {
	if d, ok := s.byID[id]; ok {
		return d.problem(ctx, text)
	}
	return ""
}

// Set writes a value: for the whole shop, or in the edition with several storefronts for
// one of them (company). It returns a 400 [*shopapi.Error] for an invalid value or a
// fixed setting, and another error for a setting that is not declared.
func (s *Settings) Set(ctx context.Context, company int64, id, text string) error {
	d, ok := s.byID[id]
	if !ok {
		return fmt.Errorf("settings: %s is not declared", id)
	}
	return s.st.Update(ctx, func(ctx context.Context, tx store.Tx) error { return s.set(ctx, tx, d, company, &text) })
}

// Reset removes a written value: a storefront uses the whole shop's value again, and
// company 0 the default.
func (s *Settings) Reset(ctx context.Context, company int64, id string) error {
	d, ok := s.byID[id]
	if !ok {
		return fmt.Errorf("settings: %s is not declared", id)
	}
	return s.st.Update(ctx, func(ctx context.Context, tx store.Tx) error { return s.set(ctx, tx, d, company, nil) })
}

// set writes the value, or resets it if text is nil, and reports the change if there is
// one.
func (s *Settings) set(ctx context.Context, tx store.Tx, d *declared, company int64, text *string) error {
	if err := s.mayBeSet(ctx, d, company); err != nil {
		return err
	}
	if k := s.api.SettingKeeper(d.ID()); k != nil {
		return s.keep(ctx, k, d, company, text)
	}
	before, err := written(tx, d.objectID, company)
	if err != nil {
		return err
	}
	if text != nil && (before == nil || before.Value != *text) {
		if err := s.check(ctx, d, *text); err != nil {
			return err
		}
	}
	changed, err := write(tx, before, value{ObjectID: d.objectID, CompanyID: company}, text)
	if err == nil && changed {
		store.AfterCommit(ctx, s.cached.Changed)
		s.api.Changed(ctx, "settings", shopapi.OpUpdate, shopapi.FormatID(d.objectID), "value")
	}
	return err
}

// check returns a 400 if a new value is not valid.
func (s *Settings) check(ctx context.Context, d *declared, text string) error {
	var problems shopapi.Problems
	if problem := d.problem(ctx, text); problem != "" {
		problems.Add("value", "%s", problem)
	} else if err := s.api.CheckSettingValue(ctx, &problems, d.ID(), text); err != nil {
		return err
	}
	return problems.Err()
}

// mayBeSet returns a 400 if the setting cannot be written for the company.
func (s *Settings) mayBeSet(ctx context.Context, d *declared, company int64) error {
	if _, fixed := s.api.FixedSetting(d.ID()); fixed {
		return shopapi.Invalid("value", "cannot be changed: the program that runs the shop fixes %s", d.Name)
	}
	if !d.isWritable() {
		return shopapi.Invalid("value", "cannot be changed: %s is shown only", d.Name)
	}
	if company == 0 {
		return nil
	}
	var problems shopapi.Problems
	kept := s.api.SettingKeeper(d.ID()) != nil
	if kept && s.api.Edition() == shopapi.SingleStore && company != s.api.DefaultCompany() {
		problems.Add("company_id", "must be %d, the only company", s.api.DefaultCompany())
	}
	if !kept && s.api.Edition() != shopapi.MultiStorefront {
		problems.Add("company_id", "must be left out: only in the edition with several storefronts does a company have values of its own")
		return problems.Err()
	}
	if company != s.api.DefaultCompany() {
		if err := s.api.CheckReference(ctx, &problems, "company_id", resource.CompanyEntity(s.api), company); err != nil {
			return err
		}
	}
	return problems.Err()
}

// written returns the written value of a setting, nil if there is none.
func written(tx store.Tx, object, company int64) (*value, error) {
	v, err := values.First(tx, store.Query{Where: []store.Cond{
		store.Equal("company_id", store.Int(company)), store.Equal("object_id", store.Int(object)),
	}})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &v, err
}

// write stores a text in place of the written value before, or as a first one, and reports
// whether anything changed. It deletes before if text is nil.
func write(tx store.Tx, before *value, first value, text *string) (changed bool, err error) {
	switch {
	case before == nil && text == nil:
		return false, nil
	case before == nil:
		first.Value = *text
		return true, values.Insert(tx, &first)
	case text == nil:
		return true, values.DeleteKey(tx, before.ValueID)
	case before.Value == *text:
		return false, nil
	}
	before.Value = *text
	return true, values.Update(tx, before)
}

// forget removes the values of deleted storefronts.
func (s *Settings) forget(ctx context.Context, companies []int64) error {
	return s.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		_, err := values.Delete(tx, store.InInts("company_id", companies...))
		return err
	})
}
