// Package settings is the entity settings: options of the shop that administrators read
// and change over the API (decisions §23). Options that only the program sets are fields
// of [shopapi.Options].
//
// [Register] adds the entity to an API. The [Settings] that it returns give Go code the
// same rules, and declare the settings of a host:
//
//	options, err := settings.Register(ctx, api, st)
//	…
//	err = options.Declare(ctx, settings.Setting{
//		Section: "Pottery", Name: "kiln_temperature", Type: settings.Input, Default: "1200",
//		Description: "The temperature of the kiln, in degrees",
//		Check:       settings.WholeNumber(20, 1400),
//	})
//	…
//	value, err := options.Value(ctx, "Pottery.kiln_temperature")
//
// Entities that must not import this package call [shopapi.API.Setting].
//
// # Values
//
// A setting without a written value has the default of the running program. A write
// takes effect at once, in every process that shares the database: values are cached
// only while their tables are unchanged. In the edition with several storefronts each
// may have a value of its own; a storefront without one uses the value of the whole
// shop.
//
// An option that the program sets in Go ([shopapi.API.FixSetting]) takes precedence: the
// setting shows its value with fixed=Y, and cannot be written.
//
// # Ids
//
// Settings and sections get their ids when the database first contains them, and keep
// them: declaring more changes none. A setting that is no longer declared is a 404.
package settings
