package main

// The words of the demo's names and texts.

type branch struct {
	name  string
	below []twig
}

type twig struct {
	name  string
	nouns []string
}

var tree = []branch{
	{"Tableware", []twig{
		{"Cups", []string{"Mug", "Espresso cup", "Tea bowl"}},
		{"Plates", []string{"Dinner plate", "Side plate", "Platter"}},
		{"Bowls", []string{"Soup bowl", "Salad bowl", "Cereal bowl"}},
		{"Pitchers", []string{"Milk jug", "Carafe", "Teapot"}},
	}},
	{"Kitchen", []twig{
		{"Baking", []string{"Pie dish", "Loaf pan", "Ramekin"}},
		{"Storage", []string{"Jar", "Canister", "Butter dish"}},
		{"Serving", []string{"Tray", "Cake stand", "Sauce boat"}},
		{"Spices", []string{"Salt cellar", "Pepper mill", "Mortar"}},
	}},
	{"Home", []twig{
		{"Vases", []string{"Bud vase", "Floor vase", "Wall vase"}},
		{"Lighting", []string{"Table lamp", "Lantern", "Candle holder"}},
		{"Decoration", []string{"Figurine", "Tile", "Wall plate"}},
		{"Bath", []string{"Soap dish", "Toothbrush cup", "Dispenser"}},
	}},
	{"Garden", []twig{
		{"Pots", []string{"Herb pot", "Orchid pot", "Hanging pot"}},
		{"Planters", []string{"Window box", "Urn", "Trough"}},
		{"Water", []string{"Birdbath", "Fountain", "Watering bell"}},
		{"Ornaments", []string{"Sundial", "Stepping stone", "Wind chime"}},
	}},
}

var (
	glazes  = []string{"Celadon", "Cobalt", "Tenmoku", "Ash", "Shino", "Raku", "Salt-glazed", "Speckled", "Matt white", "Oxblood", "Majolica", "Unglazed"}
	series  = []string{"Riverside", "Nordlicht", "Café", "Straße", "Жар", "Harbour", "Meadow", "Atelier"}
	people  = []string{"Ana", "Björn", "Chloé", "Dmitri", "Elif", "Farid", "Greta", "Hiro", "Ines", "Jonas", "Kaja", "Léon"}
	praises = []string{
		"Holds heat well.", "Smaller than I thought, but lovely.", "The glaze is even nicer than in the picture.",
		"Arrived safely packed.", "Chipped after a week.", "My favourite for breakfast.", "Würde ich wieder kaufen!",
		"Second one I bought 😀", "Heavy, in a good way.", "The colour differs from the photo.",
	}
	wishes = []string{"", "Please call about delivery.", "Is there a discount for twelve?", "Wants a matching lid."}
)
