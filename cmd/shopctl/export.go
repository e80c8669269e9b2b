package main

import (
	"context"
	"errors"
	"flag"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/languages"
	"github.com/shopapi/shopapi/shop"
)

// exportEntity writes all objects of an entity to standard output.
func exportEntity(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	asCSV := flags.Bool("csv", false, "CSV with a header; otherwise JSON lines")
	spreadsheet := flags.Bool("spreadsheet", false, spreadsheetUsage)
	fields := flags.String("fields", "", "fields joined by commas, such as product_code,amount,product@de; by default whole objects with their texts in every language")
	return func(ctx context.Context, t terminal, args []string) error {
		return of.with(ctx, t, func(sh *shop.Shop) error {
			var o files.ExportOptions
			var err error
			if o.Languages, err = languagesOf(ctx, sh); err != nil {
				return err
			}
			if *fields != "" {
				o.Fields = strings.Split(*fields, ",")
			}
			o.CSV, o.Spreadsheet = *asCSV, *spreadsheet
			p := newProgress(t.err)
			defer p.end()
			o.Progress = func(n int64) { p.show(args[0], n, 0) }
			err = files.Export(ctx, t.out, sh.API, args[0], &o)
			if errors.Is(err, shopapi.ErrNotRegistered) {
				return usagef("ENTITY must be an entity whose objects can be listed, not %q", args[0])
			}
			return err
		})
	}
}

// languagesOf returns the codes of the languages of a shop.
func languagesOf(ctx context.Context, sh *shop.Shop) (codes []string, err error) {
	for l, err := range sh.Languages.All(ctx, languages.Filter{}) {
		if err != nil {
			return nil, err
		}
		codes = append(codes, l.LangCode)
	}
	return codes, nil
}
