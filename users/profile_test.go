package users_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/users"
)

// profile has a value for every field of a profile.
const profile = `"phone": "+47 1", "fax": "+47 2", "url": "https://ana.example.org", "tax_exempt": "Y", "lang_code": "nb", "birthday": "1990-02-28",
	"b_firstname": "Ana", "b_lastname": "Petrov", "b_address": "Ringveien 1", "b_address_2": "3rd floor", "b_city": "Ås", "b_county": "Akershus",
	"b_state": "02", "b_country": "NO", "b_zipcode": "1430", "b_phone": "+47 3",
	"s_firstname": "Bo", "s_lastname": "Lind", "s_address": "Storgatan 7", "s_address_2": "c/o Ek", "s_city": "Malmö", "s_county": "Skåne",
	"s_state": "M", "s_country": "SE", "s_zipcode": "211 42", "s_phone": "+46 4"`

// TestProfile_Fields are written and read on one object, and not in lists (decisions
// §23). Names of places are their codes.
func TestProfile_Fields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{"email": "ana@example.org", "user_type": "C", ` + profile + `}`)
		var want, got map[string]any
		decode(t, `{`+profile+`, "b_country_descr": "NO", "b_state_descr": "02", "s_country_descr": "SE", "s_state_descr": "M"}`, &want)
		decode(t, s.Call(200, "GET", at(id), ""), &got)
		for name := range want {
			if diff := cmp.Diff(want[name], got[name]); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		var list struct{ Users []map[string]any }
		decode(t, s.Call(200, "GET", "users?user_type=C", ""), &list)
		for name := range want {
			listed := name == "phone" || strings.HasPrefix(name, "b_")
			if value, shown := list.Users[0][name]; shown != listed || shown && value != want[name] {
				t.Errorf("lists show %s: %v, %v; want %v", name, shown, value, listed)
			}
		}
		s.Unchanged(func() { s.Call(200, "PUT", at(id), s.Call(200, "GET", at(id), "")) })
		s.Call(200, "PUT", at(id), `{"b_country": "dk", "b_country_descr": "Denmark", "s_phone": ""}`)
		u := must(s.Users.Get(t.Context(), id))
		if u.Billing.Country != "DK" || u.Billing.CountryDescr != "DK" || u.Shipping.Phone != "" || u.Billing.City != "Ås" || u.FirstName != "" {
			t.Errorf("after PUT: %+v", u)
		}
	})
}

// TestProfile_BadInput is refused with all fields at fault at once; lengths are in
// bytes.
func TestProfile_BadInput(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.customer("ana@example.org")
		bad := map[string]string{
			"phone": long(33, "é"), "fax": long(65, "x"), "url": long(256, "x"), "lang_code": "english", "birthday": "28.02.1990",
		}
		for _, prefix := range []string{"b_", "s_"} {
			for _, name := range []string{"firstname", "lastname", "address", "address_2", "city", "county"} {
				bad[prefix+name] = long(128, "é")
			}
			bad[prefix+"state"], bad[prefix+"zipcode"], bad[prefix+"phone"], bad[prefix+"country"] = long(65, "x"), long(33, "x"), long(65, "x"), "NOR"
		}
		payload, err := json.Marshal(bad)
		if err != nil {
			t.Fatal(err)
		}
		s.Refuses("PUT", at(id), string(payload), slices.Sorted(maps.Keys(bad))...)
		for _, c := range []struct{ field, value string }{
			{"b_country", `"N"`}, {"b_country", `"N1"`}, {"s_country", `"Å"`}, {"s_country", `["NO"]`}, {"b_city", `{"a": 1}`},
			{"tax_exempt", `"maybe"`}, {"birthday", `"1990-02-30"`}, {"birthday", `"007"`}, {"lang_code", `"EN"`},
		} {
			s.Refuses("PUT", at(id), fmt.Sprintf(`{"firstname": "X", %q: %s}`, c.field, c.value), c.field)
		}
		s.Call(200, "PUT", at(id), `{"birthday": "-86400", "b_country": "", "b_city": "`+long(127, "é")+`"}`)
	})
}

func long(n int, of string) string { return strings.Repeat(of, n) }

// TestProfile_FiltersMatchEitherAddress: the billing or the shipping address.
func TestProfile_FiltersMatchEitherAddress(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.add(`{"email": "ana@example.org", "user_type": "C", ` + profile + `}`)
		s.add(`{"email": "bo@example.org", "user_type": "C", "b_city": "Malmö", "s_country": "NO", "b_zipcode": "0142", "s_state": "m", "b_address": "Torget 1%"}`)
		for _, c := range []struct{ query, want string }{
			{"city=malm%C3%96", "2 3"}, {"city=%C3%A5s", "2"}, {"city=Oslo", ""},
			{"country=NO", "2 3"}, {"country=se", "2"}, {"country=DK", ""},
			{"zipcode=142", "3"}, {"zipcode=1%2042", "2"}, {"state=M", "2 3"}, {"state=0", ""},
			{"address=VEIEN", "2"}, {"address=1%25", "3"}, {"address=3rd", ""},
			{"city=Malm%C3%B6&country=NO&zipcode=1430", "2"},
			{"compact=Y&zipcode=1430&state=02&address=torget", "2 3"},
		} {
			if got := s.in(t).list("?"+c.query, "user_id"); got != c.want {
				t.Errorf("%s: users %q, want %q", c.query, got, c.want)
			}
		}
		s.Refuses("GET", "users?country=Norway&status=X", "", "country", "status")
		s.Refuses("GET", "users?city="+long(1025, "x")+"&state="+long(1025, "x"), "", "city", "state")
	})
}

// TestProfile_PlaceNames come from the host's function, which may know only some places.
func TestProfile_PlaceNames(t *testing.T) {
	names := map[[2]string]string{{"NO", ""}: "Norway", {"SE", "M"}: "Skåne"}
	options := shopapi.Options{PlaceName: func(_ context.Context, country, state string) string { return names[[2]string{country, state}] }}
	suite.EachWith(t, options, func(t *testing.T, s *shop) {
		u := must(s.Users.Get(t.Context(), s.add(`{"email": "ana@example.org", "user_type": "C", `+profile+`}`)))
		got := []string{u.Billing.CountryDescr, u.Billing.StateDescr, u.Shipping.CountryDescr, u.Shipping.StateDescr}
		if diff := cmp.Diff([]string{"Norway", "02", "SE", "Skåne"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestProfile_FromGo: an address converts from and to the addresses of a user.
func TestProfile_FromGo(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		home := address.Address{FirstName: "Ana", City: "Riga", Country: "lv"}
		created := must(s.Users.Create(t.Context(), users.User{
			Summary: users.Summary{Email: "ana@example.org", UserType: shopapi.Customer},
			Profile: users.Profile{Shipping: home},
		}, ""))
		home.Country, home.CountryDescr = "LV", "LV"
		if diff := cmp.Diff(home, created.Shipping); diff != "" || !created.Billing.IsEmpty() {
			t.Error(diff, created.Billing)
		}
	})
}
