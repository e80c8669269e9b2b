package bind_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/plain"
)

func FuzzBind(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a","number":"1","flag":"Y","amount":"1.5","json":{},"numbers":[1],"texts":"a,b","pointer":null}`,
		`{"numbers":{"1":"2"}}`, `{"amount":1e30}`, `{"number":-0}`, `{"json":"\ud83d\ude00"}`, `{"text":null,"flag":[]}`,
	} {
		f.Add([]byte(seed))
	}
	type object struct {
		Text    string           `json:"text"`
		Pointer *string          `json:"pointer"`
		Number  int64            `json:"number"`
		NumberP *int64           `json:"number_p"`
		Small   int8             `json:"small"`
		Flag    shopapi.Flag     `json:"flag"`
		Bool    *bool            `json:"bool"`
		Amount  decimal.Decimal  `json:"amount"`
		AmountP *decimal.Decimal `json:"amount_p"`
		Float   float64          `json:"float"`
		JSON    shopapi.JSON     `json:"json"`
		Numbers []int64          `json:"numbers"`
		Texts   []string         `json:"texts"`
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !plain.IsText(string(body)) || !json.Valid(body) {
			return
		}
		p, err := shopapi.NewPayload(json.RawMessage(body))
		if err != nil {
			return
		}
		var got object
		if err := (&shopapi.Request{Payload: p}).Bind(&got); err != nil {
			var refused *shopapi.Error
			if !errors.As(err, &refused) || refused.Status != 400 {
				t.Fatalf("%v, want a 400", err)
			}
			for name := range refused.Fields {
				if !p.Has(name) {
					t.Errorf("%s is at fault but was not sent", name)
				}
			}
			return
		}
		// A bound value encodes, and binds again to an equal value.
		doc, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		again := got
		p, err = shopapi.NewPayload(json.RawMessage(doc))
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		if err := (&shopapi.Request{Payload: p}).Bind(&again); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		redone, err := json.Marshal(again)
		if err != nil || !bytes.Equal(doc, redone) {
			t.Errorf("%s became %s, %v", doc, redone, err)
		}
	})
}
