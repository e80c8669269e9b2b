package options

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/entries"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/variantlist"
)

const wantIcons = `must be the icons of variants by their keys in variants, such as {"icon": {"image_path": {"0": "/red.png"}, "alt": {"0": "Red"}}}`

// iconsOf returns the images that main_pair of a payload gives variants, by what these
// are called in variants.
func iconsOf(p *shopapi.Payload) (map[string]*images.Pair, error) {
	switch raw := string(p.Raw("main_pair")); {
	case !p.Has("main_pair"), raw == `""`, raw == "[]": // as forms send nothing
		return nil, nil
	}
	var pair struct {
		Icon struct {
			ImagePath json.RawMessage `json:"image_path"`
			Alt       json.RawMessage `json:"alt"`
		} `json:"icon"`
	}
	if json.Unmarshal(p.Raw("main_pair"), &pair) != nil {
		return nil, shopapi.Invalid("main_pair", wantIcons)
	}
	paths, err := textsOf(pair.Icon.ImagePath)
	if err != nil {
		return nil, err
	}
	alts, err := textsOf(pair.Icon.Alt)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(alts)) {
		if _, hasPath := paths[key]; !hasPath && alts[key] != "" {
			return nil, shopapi.Invalid("main_pair", "[%s]: must have an image_path beside alt: an icon that is sent replaces the old one", plain.Short(key))
		}
	}
	icons := make(map[string]*images.Pair, len(paths))
	for key, path := range paths {
		icon := &images.Pair{Icon: images.Image{Path: strings.TrimSpace(path), Alt: alts[key]}}
		if problem := icon.Problem(); problem != "" {
			return nil, shopapi.Invalid("main_pair", "[%s]: %s", key, problem)
		}
		icons[key] = icon
	}
	return icons, nil
}

// checkIcons refuses an icon for a key that variants of the payload does not have.
func checkIcons(icons map[string]*images.Pair, variants []variantlist.Sent) error {
	for _, key := range slices.Sorted(maps.Keys(icons)) {
		named := slices.ContainsFunc(variants, func(s variantlist.Sent) bool { return s.Key == key })
		if icons[key].Icon.Path != "" && !named {
			return shopapi.Invalid("main_pair", "[%s]: must be for a variant that is sent, by its key in variants", plain.Short(key))
		}
	}
	return nil
}

// sentImages are the images that a payload gives variants.
func sentImages(p *shopapi.Payload) (all images.Pairs) {
	list, err := sentOf(p.Raw("variants"))
	if err != nil {
		return nil // and is refused
	}
	all = variantlist.Images(list)
	icons, _ := iconsOf(p)
	for i := range list {
		if icon := icons[list[i].Key]; icon != nil {
			all = append(all, *icon)
		}
	}
	return all
}

// textsOf reads an object of texts, or an array of them, by their keys.
func textsOf(raw json.RawMessage) (map[string]string, error) {
	list, err := entries.ParseMost(raw, maxVariants)
	if errors.Is(err, entries.ErrTooMany) {
		return nil, shopapi.Invalid("main_pair", "must have the icons of at most %d variants", maxVariants)
	}
	if err != nil {
		return nil, shopapi.Invalid("main_pair", wantIcons)
	}
	texts := make(map[string]string, len(list))
	for i := range list {
		var text string
		if json.Unmarshal(list[i].Value, &text) != nil {
			return nil, shopapi.Invalid("main_pair", wantIcons)
		}
		texts[list[i].Key] = text
	}
	return texts, nil
}
