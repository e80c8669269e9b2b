package pull

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/shopapi/shopapi/settings"
	"github.com/shopapi/shopapi/store"
)

// settingsEntity takes the values of settings that this shop has too.
var settingsEntity = entity{"settings", takeSettings}

// A setting is a setting of the old shop that this shop has too.
type setting struct {
	number int64 // of this shop
	value  string
	global bool // the value is the whole shop's
}

func takeSettings(ctx context.Context, p *puller) error {
	numbers, written, err := p.settingNumbers(ctx)
	if err != nil {
		return err
	}
	items, complete, err := p.listSettings(ctx, 0)
	if err != nil {
		return err
	}
	p.completed["settings"] = complete
	p.report.Counts["settings"].There = int64(len(items))
	p.settings = map[string]setting{}
	var list []taken
	for _, it := range items {
		o := p.objectOf("settings", it.id, it.all())
		name := o.text("section_name") + "." + o.text("name")
		o.id = name
		if p.seen["settings"][name] {
			o.problem("name", "is that of another setting of the section: the first was taken")
			continue
		}
		p.seen["settings"][name] = true
		id, ok := numbers[name]
		if !ok {
			if o.text("value") != "" {
				p.report.notCarried("settings", name)
			}
			continue
		}
		if o.text("type") == string(settings.Password) {
			continue // servers do not send its value
		}
		theirs := o.text("value")
		p.settings[name] = setting{id, theirs, o.text("is_global") != "N"}
		if p.sh.SettingKeeper(name) != nil {
			continue // a counter, which continueCounters sets
		}
		if problem := p.sh.Settings.Problem(ctx, name, theirs); problem != "" {
			o.problem("value", problem+": the value here stays")
			continue
		}
		s := p.schema("settings_values")
		value := part{schema: s, owner: "object_id", of: store.Int(id), and: store.Equal("company_id", store.Int(0))}
		inForce, err := p.sh.Settings.Value(ctx, name)
		if err != nil {
			return err
		}
		if name == "Appearance.default_language" && theirs == p.base {
			inForce = theirs // the default is the base language
		}
		if written[id] || inForce != theirs {
			value.rows = []row{{store.Int(0), store.Int(id), store.Int(0), store.String(theirs)}}
		}
		list = append(list, taken{entity: "settings", id: name, raw: o, parts: []part{value}})
	}
	return p.write(ctx, list)
}

// listSettings reads the settings of a company, or of the whole shop (0).
func (p *puller) listSettings(ctx context.Context, company int64) (items []item, complete bool, err error) {
	l := listing{path: "settings", key: "object_id", tabs: true}
	if company > 0 {
		l.query = url.Values{"company_id": {strconv.FormatInt(company, 10)}}
	}
	return p.list(ctx, l)
}

// ownSettings are the settings that a storefront has for itself: their value differs from the
// whole shop's, or is_global is N.
func (p *puller) ownSettings(ctx context.Context, of *object, id int64) (part, error) {
	s := p.schema("settings_values")
	made := part{schema: s, owner: "company_id", of: store.Int(id), optional: true}
	items, _, err := p.listSettings(ctx, id)
	if p.settings == nil || err != nil {
		made.unread = true
		if err != nil && isRefusal(err) {
			if !isStatus(err, http.StatusNotFound) {
				of.problem("settings", err.Error()+": what was taken before stays")
			}
		}
		return made, ignoreRefusal(err)
	}
	for _, it := range items {
		o := p.objectOf("stores", of.id, it.all())
		name := o.text("section_name") + "." + o.text("name")
		whole, ok := p.settings[name]
		if !ok || p.sh.SettingKeeper(name) != nil {
			continue
		}
		if value := o.text("value"); value != whole.value || whole.global && o.text("is_global") == "N" {
			if problem := p.sh.Settings.Problem(ctx, name, value); problem != "" {
				of.problem("settings", name+" "+problem+": it was not taken")
				continue
			}
			made.rows = append(made.rows, row{store.Int(0), store.Int(whole.number), store.Int(id), store.String(value)})
		}
	}
	return made, nil
}

// settingNumbers are the ids of the settings of this shop by section and name, and which
// of them have a value of the whole shop.
func (p *puller) settingNumbers(ctx context.Context) (numbers map[string]int64, written map[int64]bool, err error) {
	err = p.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		numbers, written = map[string]int64{}, map[int64]bool{}
		sections := map[int64]string{}
		err := tx.Select(p.schema("settings_sections").All(), &store.Query{}, func(r []store.Value) error {
			if r[1].Int() == 0 {
				sections[r[0].Int()] = r[2].Text()
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = tx.Select(p.schema("settings_numbers").All(), &store.Query{}, func(r []store.Value) error {
			numbers[sections[r[1].Int()]+"."+r[2].Text()] = r[0].Int()
			return nil
		})
		if err != nil {
			return err
		}
		whole := []store.Cond{store.Equal("company_id", store.Int(0))}
		return tx.Select(p.schema("settings_values").All(), &store.Query{Where: whole}, func(r []store.Value) error {
			written[r[1].Int()] = true
			return nil
		})
	})
	return numbers, written, err
}

// continueCounters raises counters of this shop, such as the next number of an invoice, to
// the old shop's. Each company has its own counters.
func (p *puller) continueCounters(ctx context.Context) error {
	var names []string
	for name := range p.settings {
		if p.sh.SettingKeeper(name) != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 || p.DryRun {
		return nil
	}
	companies := map[int64]bool{p.sh.DefaultCompany(): true}
	err := p.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		s := p.schema("order_counters")
		return tx.Select(s.All(), &store.Query{}, func(r []store.Value) error {
			companies[r[s.Index("company_id")].Int()] = true
			return nil
		})
	})
	if err != nil {
		return err
	}
	for company := range companies {
		items, _, err := p.listSettings(ctx, company)
		if err != nil {
			if isRefusal(err) {
				continue
			}
			return err
		}
		for _, it := range items {
			o := p.objectOf("settings", it.id, it.all())
			if err := p.raiseCounter(ctx, company, o.text("section_name")+"."+o.text("name"), o); err != nil {
				return err
			}
		}
	}
	return nil
}

// raiseCounter sets a counter of a company to that of the old shop, if that is higher.
func (p *puller) raiseCounter(ctx context.Context, company int64, name string, o *object) error {
	keeper := p.sh.SettingKeeper(name)
	if keeper == nil {
		return nil
	}
	o.id = name
	here, err := keeper.SettingValue(ctx, company)
	if err != nil {
		return err
	}
	mine, _ := strconv.ParseInt(here, 10, 64)
	if theirs := o.int("value"); theirs > mine {
		problem, err := keeper.SetSettingValue(ctx, company, strconv.FormatInt(theirs, 10))
		if problem != "" {
			o.problem("value", problem)
		}
		return err
	}
	return nil
}
