package main

import (
	"context"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/languages"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/products"
)

// inGerman returns a context whose language is the demo's second one.
func inGerman(ctx context.Context) context.Context { return shopapi.WithLanguage(ctx, "de") }

// addGerman creates the second language of the shop, and translates the categories.
func (f *filler) addGerman(ctx context.Context) error {
	_, err := f.shop.Languages.Create(ctx, languages.Language{LangCode: "de", Name: "Deutsch", Status: languages.Active, CountryCode: "DE"})
	if err != nil {
		return err
	}
	var list []categories.Summary
	for c, err := range f.shop.Categories.All(ctx, categories.Filter{}) {
		if err != nil {
			return err
		}
		list = append(list, c)
	}
	for _, c := range list {
		name, ok := german[c.Name]
		if !ok {
			continue
		}
		_, err := f.shop.Categories.Update(inGerman(ctx), c.CategoryID, func(c *categories.Category) error {
			c.Name, c.Description = name, "<p>"+name+" aus unseren Öfen.</p>"
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// translateProducts writes the German texts of the products of the first parts.
func (f *filler) translateProducts(ctx context.Context) error {
	if f.part >= partsPerScale {
		return nil
	}
	for _, id := range f.products {
		_, err := f.shop.Products.Update(inGerman(ctx), id, func(p *products.Product) error {
			p.Name = inGermanWords(p.Name)
			p.ShortDescription = "Von Hand gedreht, zweimal gebrannt."
			p.FullDescription = "<p>Jedes Stück ist ein wenig anders.</p>"
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// translateOption writes the German texts of an option.
func (f *filler) translateOption(ctx context.Context, id int64) error {
	_, err := f.shop.Options.Update(inGerman(ctx), id, func(o *options.Option) error {
		o.Name = german[o.Name]
		for i := range o.Variants {
			o.Variants[i].Name = german[o.Variants[i].Name]
		}
		return nil
	})
	return err
}

// inGermanWords translates the words of a name that the demo has in German.
func inGermanWords(name string) string {
	for _, glaze := range glazes {
		if word, ok := german[glaze]; ok {
			name = strings.Replace(name, " "+glaze+" ", " "+word+" ", 1)
		}
	}
	for _, top := range tree {
		for _, middle := range top.below {
			for _, noun := range middle.nouns {
				if rest, ok := strings.CutSuffix(name, " "+noun); ok && german[noun] != "" {
					return rest + " " + german[noun]
				}
			}
		}
	}
	return name
}

// german has the German words of the demo's texts. Other texts stay in English.
var german = map[string]string{
	"Tableware": "Geschirr", "Cups": "Tassen", "Plates": "Teller", "Bowls": "Schalen", "Pitchers": "Kannen",
	"Kitchen": "Küche", "Baking": "Backen", "Storage": "Vorrat", "Serving": "Servieren", "Spices": "Gewürze",
	"Home": "Wohnen", "Vases": "Vasen", "Lighting": "Licht", "Decoration": "Dekoration", "Bath": "Bad",
	"Garden": "Garten", "Pots": "Töpfe", "Planters": "Pflanzgefäße", "Water": "Wasser", "Ornaments": "Zierde",

	"Mug": "Becher", "Mugs": "Becher", "Tea bowl": "Teeschale", "Tea bowls": "Teeschalen",
	"Espresso cup": "Espressotasse", "Espresso cups": "Espressotassen",
	"Dinner plate": "Essteller", "Dinner plates": "Essteller", "Soup bowl": "Suppenschale", "Soup bowls": "Suppenschalen",
	"Salad bowl": "Salatschüssel", "Salad bowls": "Salatschüsseln", "Teapot": "Teekanne", "Teapots": "Teekannen",
	"Milk jug": "Milchkrug", "Milk jugs": "Milchkrüge", "Jar": "Dose", "Jars": "Dosen", "Tray": "Tablett", "Trays": "Tabletts",
	"Butter dish": "Butterdose", "Mortar": "Mörser", "Mortars": "Mörser", "Floor vase": "Bodenvase", "Floor vases": "Bodenvasen",
	"Table lamp": "Tischlampe", "Table lamps": "Tischlampen", "Lantern": "Laterne", "Lanterns": "Laternen",
	"Tile": "Fliese", "Tiles": "Fliesen", "Soap dish": "Seifenschale", "Herb pot": "Kräutertopf", "Herb pots": "Kräutertöpfe",
	"Birdbath": "Vogeltränke", "Birdbaths": "Vogeltränken", "Fountain": "Brunnen", "Fountains": "Brunnen",
	"Sundial": "Sonnenuhr", "Sundials": "Sonnenuhren", "Wind chime": "Windspiel", "Wind chimes": "Windspiele",

	"Make": "Machart", "Glaze": "Glasur", "Height": "Höhe", "Dishwasher-safe": "Spülmaschinenfest",
	"Size": "Größe", "Small": "Klein", "Medium": "Mittel", "Large": "Groß", "Gift wrapping": "Geschenkverpackung", "No": "Nein", "Yes": "Ja",

	"Ash": "Asche", "Salt-glazed": "Salzglasur", "Speckled": "Gesprenkelt", "Matt white": "Mattweiß",
	"Oxblood": "Ochsenblut", "Unglazed": "Unglasiert", "Cobalt": "Kobalt", "Majolica": "Majolika",
}
