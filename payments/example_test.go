package payments_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/store/memory"
)

// A shop takes cards for a surcharge of 1.5 percent, and stops doing so.
func Example() {
	ctx := context.Background()
	methods, err := payments.Register(ctx, shopapi.New(nil), memory.New())
	if err != nil {
		panic(err)
	}
	card := methods.Defaults(ctx)
	card.Name, card.PSurcharge = "Card", decimal.MustParse("1.5")
	if card, err = methods.Create(ctx, card); err != nil {
		panic(err)
	}
	fmt.Println(card.Name, card.PSurcharge, card.Status)

	card, err = methods.Update(ctx, card.PaymentID, func(p *payments.Payment) error {
		p.Status = "D"
		return nil
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(card.Name, card.Status)

	// An error names the field on the wire, and in Go.
	_, err = methods.Update(ctx, card.PaymentID, func(p *payments.Payment) error {
		p.ASurcharge = decimal.MustParse("-1")
		return nil
	})
	var wrong *shopapi.Error
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Fields["a_surcharge"] != "", wrong.GoFields["a_surcharge"])
	}
	// Output:
	// Card 1.500 A
	// Card D
	// true ASurcharge
}
