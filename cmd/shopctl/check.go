package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/shop/shopcheck"
)

func check(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	asJSON := jsonFlag(flags)
	return func(ctx context.Context, t terminal, _ []string) error {
		return of.with(ctx, t, func(sh *shop.Shop) error {
			n := 0
			err := shopcheck.Check(ctx, sh.Store, func(v shopcheck.Violation) {
				n++
				if *asJSON {
					printJSON(t.out, violation{v.Table, v.Key, v.Text})
					return
				}
				fmt.Fprintln(t.out, printable(v.String()))
			})
			if err == nil && n > 0 {
				err = fmt.Errorf("%w: %d rows contradict others", errPartly, n)
			}
			return err
		})
	}
}

// A violation is the JSON form of a violation that check prints.
type violation struct {
	Table string `json:"table"`
	Key   int64  `json:"key"`
	Text  string `json:"text"`
}
