package field_test

import (
	"testing"

	"github.com/shopapi/shopapi/field"
)

func TestValues(t *testing.T) {
	for _, text := range []string{"y", "Y", "true", "TRUE", "1"} {
		if f := field.Flag(false); f.UnmarshalText([]byte(text)) != nil || f.String() != "Y" {
			t.Errorf("%s is not Y", text)
		}
	}
	for _, text := range []string{"", "yes", "2", " Y"} {
		if f := field.Flag(true); f.UnmarshalText([]byte(text)) == nil || f.String() != "Y" {
			t.Errorf("%q was read as a flag", text)
		}
	}
	var ids field.IDList
	for _, data := range []string{"", "{", `"x"`} {
		if ids.UnmarshalJSON([]byte(data)) == nil {
			t.Errorf("%q was read as ids", data)
		}
	}
	for text, want := range map[string]field.IDList{
		"": "", "0": "0", "1,20": "1,20", " 3 , 4,": "3,4", "007,00": "7,0", "+5": "5", "9223372036854775807": "9223372036854775807",
	} {
		if err := ids.UnmarshalText([]byte(text)); err != nil || ids != want {
			t.Errorf("%q was read as the ids %q, %v, want %q", text, ids, err, want)
		}
	}
	for _, text := range []string{"-1", "1;2", "9223372036854775808", "1,x"} {
		if ids.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q was read as ids", text)
		}
	}
	var j field.JSON
	if j.UnmarshalJSON([]byte("{")) == nil {
		t.Error("half a document was kept")
	}
}
