package address_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
)

func Example() {
	home := address.Address{FirstName: "Ana", City: "Riga", Country: "lv"}.Normalize()
	bill := home
	goods := address.Address{City: "Cēsis"}.Or(home)
	fmt.Println(bill.City, goods.City, goods.Country)
	// Output: Riga Cēsis LV
}

func TestAddress_Check(t *testing.T) {
	var problems shopapi.Problems
	address.Address{
		Street: strings.Repeat("x", 256), City: strings.Repeat("é", 128), State: strings.Repeat("x", 65),
		Zipcode: strings.Repeat("x", 33), Phone: strings.Repeat("x", 65), Country: "Norway",
	}.Check(&problems, "s_")
	var told *shopapi.Error
	if !errors.As(problems.Err(), &told) {
		t.Fatal(problems.Err())
	}
	got := map[string]bool{}
	for name := range told.Fields {
		got[name] = true
	}
	want := map[string]bool{"s_address": true, "s_city": true, "s_state": true, "s_zipcode": true, "s_phone": true, "s_country": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	problems = shopapi.Problems{}
	address.Address{Street: strings.Repeat("x", 255), Country: "no"}.Check(&problems, "")
	if err := problems.Err(); err != nil {
		t.Error(err)
	}
}

func TestAddress_IsEmpty(t *testing.T) {
	if !(address.Address{CountryDescr: "x"}).IsEmpty() || (address.Address{Phone: "1"}).IsEmpty() {
		t.Error("an address is empty where it has nothing of its own")
	}
}

func TestIsCountry(t *testing.T) {
	for code, want := range map[string]bool{"NO": true, "no": true, "": false, "N": false, "NOR": false, "N1": false, "é": false} {
		if address.IsCountry(code) != want {
			t.Errorf("IsCountry(%q) is %v", code, !want)
		}
	}
}

func TestIsEmail(t *testing.T) {
	for text, want := range map[string]bool{
		"ana@example.com": true, `"a@b"@example.com`: true, "ana+shop@example.com": true, "": false, "ana": false, "@example.com": false, "ana@": false,
		"a@b@c.com": false, `"@c.com`: true, `"@b@c.com`: false, "a b@c.com": false, "a:b@c.com": false, strings.Repeat("a", 250) + "@b.cd": false,
	} {
		if address.IsEmail(text) != want {
			t.Errorf("IsEmail(%q) is %v", text, !want)
		}
	}
}
