package options

// Table is that of the combinations, for tests that put rows into it.
var Table = combinations
