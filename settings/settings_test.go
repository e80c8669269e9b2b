package settings_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/settings"
	"github.com/shopapi/shopapi/store"
)

var users = shoptest.Staff(shopapi.Privileges{View: "view_settings", Manage: "manage_settings"})

// A shop is an API with settings, and potteries to list.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"settings"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Dump = func() any { return s.Send("GET", "settings?items_per_page=100", "").Body }
		s.Must(s.Settings.Declare(s.Context(), kiln()...))
		_, err := resource.Register(s.Context(), s.API, s.Store, resource.Definition[Pottery, Pottery]{
			Name:       "potteries",
			Object:     "pottery",
			Privileges: shopapi.Privileges{View: "view_settings", Manage: "manage_settings"},
			Table:      potteries,
			Filter:     func() resource.Filter { return new(potteryFilter) },
			Sorts:      []resource.Sort{{Key: "id", Column: "pottery_id"}},
		})
		s.Must(err)
	},
}

// A Pottery is an object for lists.
type Pottery struct {
	PotteryID int64 `json:"pottery_id,string" store:"key" bind:"-"`
	Fired     int64 `json:"fired,string"` // seconds since 1970
}

var potteries = store.MustTable[Pottery]("potteries")

type potteryFilter struct {
	resource.ListOptions
	Period   string `json:"period"`
	TimeFrom string `json:"time_from"`
}

func (f *potteryFilter) Where(w *resource.Where) {
	w.Period("fired", resource.Period{Code: f.Period, From: f.TimeFrom})
}

// kiln returns the settings of a host.
func kiln() []settings.Setting {
	variants := []settings.Variant{{Value: "gas", Label: "Gas"}, {Value: "wood", Label: "Wood"}}
	return []settings.Setting{
		{Section: "Kiln", Name: "heat", Default: "1200", Check: settings.WholeNumber(20, 1400), Position: 500},
		{Section: "Kiln", Name: "notes", Type: settings.TextArea, Position: 501},
		{Section: "Kiln", Name: "fuel", Type: settings.Select, Default: "gas", Variants: variants, Position: 502},
		{Section: "Kiln", Name: "fuels", Type: settings.Checkboxes, Variants: variants, Position: 503},
		{Section: "Kiln", Name: "open", Type: settings.Checkbox, Default: "N", Position: 504},
		{Section: "Kiln", Name: "country", Type: settings.Country, Position: 505},
		{Section: "Kiln", Tab: "Access", Name: "token", Type: settings.Password, Position: 506},
		{Section: "Kiln", Name: "about", Type: settings.Information, Default: "Of brick", Position: 507},
	}
}

// address returns the address of a setting, by its name.
func (s *shop) address(name string) string {
	s.Helper()
	var list struct {
		Settings []struct{ Object_ID, Name string }
	}
	shoptest.Decode(s, s.Call(200, "GET", "settings?items_per_page=100", ""), &list)
	for _, one := range list.Settings {
		if one.Name == name {
			return "settings/" + one.Object_ID
		}
	}
	s.Fatalf("there is no setting %s", name)
	return ""
}

func TestSettings_AreReadAndChanged(t *testing.T) {
	suite.Each(t, func(s *shop) {
		want := `{"object_id":"1","name":"items_per_page","section_id":"1","section_tab_id":"0","type":"I","edition_type":"ROOT",` +
			`"position":"10","is_global":"Y","handler":"","description":"Items per page",` +
			`"tooltip":"How many items a list has where a client does not say","object_type":"O","value":"10",` +
			`"section_name":"Appearance","section_tab_name":"main","variants":[],"fixed":"N"}`
		s.Want("GET", "settings/1", "", 200, want)
		s.Want("GET", "settings?section_id=1&items_per_page=1", "", 200, `{"settings":[`+want+`],"params":{"items_per_page":"1","page":1,`+
			`"sort_order":"asc","sort_by":"position","sort_order_rev":"desc","total_items":"3"}}`)
		s.Want("PUT", "settings/1", "value=7", 200, `{"setting_id":"1"}`)
		s.Want("GET", "settings/1", "", 200, strings.Replace(want, `"value":"10"`, `"value":"7"`, 1))
		s.Status("POST", "settings", "name=x", 405)
		s.Status("DELETE", "settings/1", "", 405)
		for _, address := range []string{"settings/999", "settings/x", "settings/0"} {
			s.Status("GET", address, "", 404)
			s.Status("PUT", address, "value=1", 404)
		}
		if told := fmt.Sprint(s.Events()); told != "[update settings 1 by 1]" {
			s.Errorf("the observer was told of %s", told)
		}
		s.Unchanged(func() {
			s.Call(200, "PUT", "settings/1", "name=other&section_id=9&unknown=1")
			s.Call(200, "PUT", "settings/1", s.Call(200, "GET", "settings/1", ""))
		})
		s.Call(200, "PUT", "settings/1", `{"value": null}`)
		s.Want("GET", "settings/1", "", 200, want)
	})
}

func TestSettings_ListsAreSortedAndFiltered(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for address, want := range map[string]string{
			"settings?section_id=1":                                    "items_per_page timezone default_language",
			"settings?section_id=1&sort_order=desc":                    "default_language timezone items_per_page",
			"settings?section_id=2&sort_by=name":                       "allow_negative_amount credit_memo_form credit_memo_next currency default_category invoice_form invoice_next order_required_fields tax_rounding",
			"settings?section_id=1&sort_by=id&page=2&items_per_page=2": "default_language",
			"settings?section_id=4&section_tab_id=5":                   "token",
			"settings?section_id=77":                                   "",
		} {
			if got := s.List(address, "name"); got != want {
				s.Errorf("GET %s: %s, want %s", address, got, want)
			}
		}
		s.Refuses("GET", "settings?sort_by=colour&section_id=x", "", "sort_by", "section_id")
	})
}

func TestSettings_ValuesFitTheirType(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for _, c := range []struct {
			name, value string // of the body, as JSON
			want        string // value in the response; "" if refused
		}{
			{"heat", `"900"`, "900"}, {"heat", `900`, "900"}, {"heat", `"hot"`, ""}, {"heat", `"1401"`, ""}, {"heat", `"+900"`, ""},
			{"heat", `[900]`, ""}, {"heat", `{"a": 1}`, ""}, {"heat", `true`, ""}, {"heat", `""`, ""},
			{"notes", `"a\nb"`, "a\nb"}, {"notes", `"` + strings.Repeat("x", 64<<10+1) + `"`, ""},
			{"fuel", `"wood"`, "wood"}, {"fuel", `"coal"`, ""}, {"fuel", `""`, ""},
			{"fuels", `["wood", "gas", "wood"]`, "wood,gas"}, {"fuels", `"gas"`, "gas"}, {"fuels", `[]`, ""}, {"fuels", `["coal"]`, ""},
			{"fuels", `{"gas": "Y"}`, ""}, {"fuels", `"gas, wood"`, "gas,wood"},
			{"open", `"Y"`, "Y"}, {"open", `true`, "Y"}, {"open", `0`, "N"}, {"open", `"perhaps"`, ""},
			{"country", `"NO"`, "NO"}, {"country", `"no"`, ""}, {"country", `"NOR"`, ""},
			{"about", `"Of clay"`, ""},
			{"items_per_page", `0`, ""}, {"items_per_page", `-1`, ""}, {"items_per_page", `"1e3"`, ""}, {"items_per_page", `25`, "25"},
			{"timezone", `"Mars/Base"`, ""}, {"timezone", `"../../etc/passwd"`, ""}, {"timezone", `"Local"`, ""}, {"timezone", `"Europe/Oslo"`, "Europe/Oslo"},
			{"currency", `"euro"`, ""}, {"currency", `"EUR"`, "EUR"},
			{"default_language", `"english"`, ""}, {"default_language", `"nb"`, "nb"},
			{"company_start_year", `"soon"`, ""}, {"company_start_year", `"1987"`, "1987"},
		} {
			address, body := s.address(c.name), `{"value": `+c.value+`}`
			switch {
			case c.want == "" && c.value == "[]":
				s.Call(200, "PUT", address, body)
			case c.want == "":
				s.Refuses("PUT", address, body, "value")
			default:
				s.Call(200, "PUT", address, body)
			}
			if got := s.Object(address)["value"]; c.want != "" && got != c.want {
				s.Errorf("%s %s is answered as %q, want %q", c.name, c.value, got, c.want)
			}
		}
		said := s.Refuses("PUT", s.address("fuel"), "value=coal", "value")["value"]
		if said != `must be one of gas, wood, not "coal"` {
			s.Errorf("what is wrong with coal: %s", said)
		}
	})
}

func TestSettings_NumbersAreForGood(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		heat, token := s.address("heat"), s.address("token")
		later := shoptest.New(t, st, shopapi.Options{Authenticator: users})
		again, err := settings.Register(t.Context(), later.API, st)
		s.Must(err)
		s.Must(again.Declare(t.Context(), settings.Setting{Section: "Aardvark", Name: "first"}, kiln()[6], kiln()[0]))
		for address, name := range map[string]string{heat: "heat", token: "token", "settings/1": "items_per_page"} {
			if got := later.Object(address)["name"]; got != name {
				t.Errorf("%s is %v now, want %s", address, got, name)
			}
		}
		later.Status("GET", s.address("fuel"), "", 404) // no longer declared
		if err := again.Declare(t.Context(), kiln()[0]); err == nil {
			t.Error("a setting was declared twice")
		}
	})
}

func TestSettings_SecretsAreNotAnswered(t *testing.T) {
	suite.Each(t, func(s *shop) {
		address := s.address("token")
		s.Call(200, "PUT", address, "value=verysecret")
		for _, a := range []string{address, "settings?items_per_page=100"} {
			if body := s.Call(200, "GET", a, ""); strings.Contains(body, "verysecret") {
				s.Errorf("GET %s shows the secret: %s", a, body)
			}
		}
		s.Call(200, "PUT", address, s.Call(200, "GET", address, ""))
		if value, err := s.Settings.Value(s.Context(), "Kiln.token"); err != nil || value != "verysecret" {
			s.Errorf("the secret is %q, %v, after a PUT of what GET answered", value, err)
		}
	})
}

func TestSettings_GoOptionsWin(t *testing.T) {
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	suite.EachWith(t, shopapi.Options{Location: oslo, Limits: shopapi.Limits{ItemsPerPage: 4}}, func(_ *testing.T, s *shop) {
		s.API.FixSetting("Kiln.heat", "1000")
		for name, value := range map[string]string{"items_per_page": "4", "timezone": "Europe/Oslo", "heat": "1000"} {
			address := s.address(name)
			if got := s.Object(address); got["value"] != value || got["fixed"] != "Y" {
				s.Errorf("%s is shown as %v, want the value %s, fixed", name, got, value)
			}
			s.Refuses("PUT", address, "value=20", "value")
			s.Call(200, "PUT", address, "value="+value) // unchanged
		}
		if value, err := s.Settings.Value(s.Context(), "Kiln.heat"); err != nil || value != "1000" {
			s.Errorf("the heat is %q, %v", value, err)
		}
	})
}

// A change affects the next request, whatever is cached.
func TestSettings_CountAtOnce(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for i := range 12 {
			s.Call(201, "POST", "potteries", fmt.Sprintf("fired=%d", 1_700_000_000+i))
		}
		size := func(want int) {
			s.Helper()
			for range 2 { // the second response may come from the cache
				if got := len(strings.Fields(s.List("potteries", "pottery_id"))); got != want {
					s.Errorf("a page has %d items, want %d", got, want)
				}
			}
		}
		size(10)
		s.Call(200, "PUT", "settings/1", "value=3")
		size(3)
		s.Must(s.Settings.Set(s.Context(), 0, shopapi.SettingItemsPerPage, "5"))
		size(5)
		s.Must(s.Settings.Reset(s.Context(), 0, shopapi.SettingItemsPerPage))
		size(10)

		// 1700000000 is 22:13 on 14 November in UTC, and the 15th in Tokyo.
		count := func(want int) {
			s.Helper()
			if got := len(strings.Fields(s.List("potteries?period=C&time_from=2023-11-15", "pottery_id"))); got != want {
				s.Errorf("%d potteries were fired from the 15th, want %d", got, want)
			}
		}
		count(0)
		s.Call(200, "PUT", s.address("timezone"), "value=Asia/Tokyo")
		count(10)
	})
}

// Another process that shares the database sees a change within a second.
func TestSettings_CountInEveryProcess(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		one, other := suite.Open(t, st, shopapi.Options{}), suite.Open(t, st, shopapi.Options{})
		for _, want := range []string{"3", "4"} {
			one.Call(200, "PUT", "settings/1", "value="+want)
			deadline := time.Now().Add(10 * time.Second)
			for {
				value, err := other.Settings.Value(t.Context(), shopapi.SettingItemsPerPage)
				if err != nil {
					t.Fatal(err)
				}
				if value == want {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("the other process has %s, want %s", value, want)
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
	})
}

// A transaction reads the value that it wrote, which is invisible outside before the
// commit and after a rollback.
func TestSettings_InTransactions(t *testing.T) {
	suite.Each(t, func(s *shop) {
		undone := errors.New("undone")
		if value, err := s.Settings.Value(s.Context(), "Kiln.heat"); err != nil || value != "1200" { // now it is cached
			s.Fatalf("the heat is %q, %v", value, err)
		}
		err := s.Store.Update(s.Context(), func(ctx context.Context, _ store.Tx) error {
			if err := s.Settings.Set(ctx, 0, "Kiln.heat", "999"); err != nil {
				return err
			}
			if value, err := s.Settings.Value(ctx, "Kiln.heat"); err != nil || value != "999" {
				s.Errorf("in the transaction the heat is %q, %v", value, err)
			}
			return undone
		})
		if !errors.Is(err, undone) {
			s.Fatal(err)
		}
		if value, err := s.Settings.Value(s.Context(), "Kiln.heat"); err != nil || value != "1200" {
			s.Errorf("after the rollback the heat is %q, %v", value, err)
		}
	})
}

func TestSettings_StorefrontsHaveTheirOwn(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiStorefront})
		s.Register(&shoptest.Host{Name: "stores", Objects: map[string]any{"2": map[string]string{"company": "North"}}})
		s.Call(200, "PUT", "settings/1", "value=20")
		s.Call(200, "PUT", "settings/1?company_id=2", "value=30")
		s.Call(200, "PUT", "settings/1", "value=40&company_id=1")
		for address, want := range map[string]string{
			"settings/1": "20 Y", "settings/1?company_id=2": "30 N", "settings/1?company_id=1": "40 N",
		} {
			if o := s.Object(address); fmt.Sprint(o["value"], " ", o["is_global"]) != want {
				t.Errorf("GET %s: %v, want %s", address, o, want)
			}
		}
		if got := strings.Fields(s.List("settings?section_id=1&company_id=2", "value"))[0]; got != "30" {
			t.Errorf("the list of storefront 2 has %s", got)
		}
		s.Refuses("PUT", "settings/1?company_id=3", "value=1", "company_id")
		s.Refuses("PUT", "settings/1", "value=1&company_id=-1", "company_id")
		s.Refuses("GET", "settings?company_id=3", "", "company_id")
		if value, _, err := s.API.SettingOf(t.Context(), 2, shopapi.SettingItemsPerPage); err != nil || value != "30" {
			t.Errorf("storefront 2 has %q, %v", value, err)
		}
		s.Call(200, "PUT", "settings/1?company_id=2", `{"value": null}`)
		if o := s.Object("settings/1?company_id=2"); o["value"] != "20" {
			t.Errorf("a storefront without a value of its own has %v, want that of the shop", o)
		}
		s.Call(200, "PUT", "settings/1?company_id=2", "value=30")
		s.Must(s.API.RunDeleteHooks(t.Context(), "stores", 2))
		if value, _, err := s.API.SettingOf(t.Context(), 2, shopapi.SettingItemsPerPage); err != nil || value != "20" {
			t.Errorf("a storefront that was deleted still has %q, %v", value, err)
		}
	})
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(_ *testing.T, s *shop) {
		s.Call(200, "PUT", "settings/1?company_id=2", "value=30") // vendors have no values of their own
		if o := s.Object("settings/1"); o["value"] != "30" {
			s.Errorf("the shop has %v", o)
		}
	})
}

func TestSettings_ClosedToVendors(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(_ *testing.T, s *shop) {
		s.Email = "vendor2@example.com"
		s.Forbids("GET", "settings", "")
		s.Forbids("GET", "settings/1", "")
		s.Forbids("PUT", "settings/1", "value=3")
	})
}

// Entities to which a value refers can refuse it.
func TestSettings_AreCheckedByOthers(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.API.CheckSetting(shopapi.SettingDefaultLanguage, func(_ context.Context, value string) (string, error) {
			switch value {
			case "en":
				return "", nil
			case "xx":
				return "", errors.New("the database is gone")
			}
			return "must be the code of a language that there is", nil
		})
		address := s.address("default_language")
		s.Refuses("PUT", address, "value=nb", "value")
		s.Unchanged(func() { s.Call(500, "PUT", address, "value=xx") })
	})
}

func TestSettings_Preconditions(t *testing.T) {
	suite.Each(t, func(s *shop) {
		tag := s.Send("GET", "settings/1", "").Header.Get("Etag")
		if a := s.Send("PUT", "settings/1", "value=3", "If-Match", tag); a.Status != 200 || a.Header.Get("Etag") == "" {
			s.Errorf("PUT with the ETag: %d %s", a.Status, a.Body)
		}
		if a := s.Send("PUT", "settings/1", "value=4", "If-Match", tag); a.Status != 412 {
			s.Errorf("PUT with an old ETag: %d %s", a.Status, a.Body)
		}
	})
}

func TestSettings_WrongDeclarations(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	for what, d := range map[string]settings.Setting{
		"no name":            {Section: "Kiln"},
		"a dot in a name":    {Section: "Kiln", Name: "a.b"},
		"no section":         {Name: "a"},
		"an unknown type":    {Section: "Kiln", Name: "a", Type: "?"},
		"no variants":        {Section: "Kiln", Name: "a", Type: settings.Radio},
		"variants of a line": {Section: "Kiln", Name: "a", Variants: []settings.Variant{{Value: "b"}}},
		"a wrong default":    {Section: "Kiln", Name: "a", Type: settings.Checkbox, Default: "x"},
		"a taken name":       {Section: "Kiln", Name: "heat"},
	} {
		if err := s.Settings.Declare(t.Context(), d); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := s.Settings.Value(t.Context(), "Kiln.none"); err == nil {
		t.Error("the value of a setting that is not declared was read")
	}
}

// FuzzSetting checks that a setting takes a value or refuses it with a 400.
func FuzzSetting(f *testing.F) {
	f.Add(`"900"`)
	f.Add(`["gas", "wood"]`)
	f.Add(`true`)
	f.Add(`{"a": [1]}`)
	s := suite.Open(f, shoptest.Memory(f), shopapi.Options{})
	f.Fuzz(func(t *testing.T, value string) {
		if !json.Valid([]byte(value)) {
			return
		}
		for id := range 30 {
			answer := s.In(t).Send("PUT", fmt.Sprintf("settings/%d", id+1), `{"value": `+value+`}`)
			if answer.Status != 200 && answer.Status != 400 && answer.Status != 404 {
				t.Errorf("setting %d: status %d: %s", id+1, answer.Status, answer.Body)
			}
		}
	})
}
