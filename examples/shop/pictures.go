package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/shopapi/shopapi/images"
)

// The pictures of the demo are drawings of each kind of piece in each glaze, which the
// example serves itself.
const picturesPath = "/images/"

// pictureSize is the width and the height of a picture in pixels.
const pictureSize = 320

// glazeColours are the colours of glazes, in their order.
var glazeColours = []string{
	"#8fb8a0", "#26478d", "#3b2418", "#b9b29f", "#e3c9b0", "#554a45", "#8a7a5c", "#cdb99a", "#efece4", "#7b1e22", "#d9a441", "#b5653a",
}

// The outlines of pieces in a square of 100.
const (
	cup   = "M25 30h40v35a15 15 0 0 1-15 15H40a15 15 0 0 1-15-15zM65 38h9a11 11 0 0 1 0 24h-9v-6h9a5 5 0 0 0 0-12h-9z"
	plate = "M10 56a40 16 0 1 0 80 0a40 16 0 1 0-80 0z"
	bowl  = "M15 42h70c0 24-14 36-35 36S15 66 15 42z"
	vase  = "M42 14h16v15c0 10 14 17 14 34a22 22 0 0 1-44 0c0-17 14-24 14-34z"
	pot   = "M24 30h52v9h-4l-6 42H34l-6-42h-4z"
)

// outlines are the drawings of products by category; other categories get a pot.
var outlines = map[string]string{
	"Cups": cup, "Plates": plate, "Serving": plate, "Bowls": bowl, "Baking": bowl, "Water": bowl, "Pitchers": vase, "Vases": vase, "Lighting": vase,
}

// pictureOf returns the picture of a piece in a glaze.
func pictureOf(noun, glaze string) images.Pair {
	name := strings.ToLower(strings.ReplaceAll(noun+"-"+glaze, " ", "-"))
	return images.Pair{Detailed: images.Image{
		Path: picturesPath + name + ".svg", Alt: "A drawing: " + noun + ", " + glaze, Width: pictureSize, Height: pictureSize,
	}}
}

// pictures serves the pictures of the demo.
func pictures() http.Handler {
	drawings := map[string]string{}
	for i, glaze := range glazes {
		drawings[swatchOf(glaze).Icon.Path] = fmt.Sprintf(
			`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%[1]d" viewBox="0 0 100 100"><path fill="%s" d="M0 0h100v100H0z"/></svg>`,
			pictureSize, glazeColours[i])
	}
	for _, top := range tree {
		for _, twig := range top.below {
			outline, ok := outlines[twig.name]
			if !ok {
				outline = pot
			}
			for _, noun := range twig.nouns {
				for i, glaze := range glazes {
					drawings[pictureOf(noun, glaze).Detailed.Path] = fmt.Sprintf(
						`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%[1]d" viewBox="0 0 100 100"><path fill="#f6f2ea" d="M0 0h100v100H0z"/><path fill="%s" stroke="#3d342c" d="%s"/></svg>`,
						pictureSize, glazeColours[i], outline)
				}
			}
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		drawing, ok := drawings[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "image/svg+xml")
		header.Set("Content-Security-Policy", "default-src 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "max-age=86400")
		_, _ = w.Write([]byte(drawing)) // the client may be gone
	})
}
