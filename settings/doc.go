// Package settings is the entity settings: options of the shop that administrators
// read and change over the API (decisions §23). [Register] adds it to an API; the
// [Settings] that it returns give Go code the same rules, and are where a host
// declares settings of its own:
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
// Entities that must not import this package ask [shopapi.API.Setting].
//
// # Values
//
// A setting that nobody has written has its default, also when a later version of the
// program declares another one. A write counts at once, in every process that shares
// the database: values are cached only as long as their tables are unchanged. In the
// edition with several storefronts each may have a value of its own, which others
// are not concerned by; one without follows the whole shop.
//
// An option that the program gives in Go ([shopapi.API.FixSetting]) wins: the setting
// shows it, says that it is fixed, and cannot be written.
//
// # Ids
//
// Settings and sections get their numbers when a database meets them first, and keep
// them: declaring more changes none. One that is no longer declared is not answered.
package settings
