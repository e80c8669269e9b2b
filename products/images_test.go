package products_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// ids are the ids of the main pair of a product and of the others, in their order.
func (s *shop) imageIDs(id int64) string {
	s.Helper()
	p, err := s.Products.Get(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	ids := []string{shopapi.FormatID(p.MainPair.PairID)}
	for i := range p.ImagePairs {
		ids = append(ids, shopapi.FormatID(p.ImagePairs[i].PairID))
	}
	return strings.Join(ids, " ")
}

// TestImages_AltAlone: an alt text without an image is refused. A pair replaces the old one
// (§16), so it would remove the image that the text is for.
func TestImages_AltAlone(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1], "main_pair": {"detailed": {"image_path": "a.png"}}, "image_pairs": [{"icon": {"image_path": "b.png"}}]}`)
		had := s.imageIDs(id)
		for _, body := range []string{
			`{"main_pair": {"detailed": {"alt": "A mug"}}}`,
			`{"main_pair": {"icon": {"alt": "A mug"}}}`,
			`{"image_pairs": [{"icon": {"alt": "A mug"}}]}`,
			`main_pair[detailed][alt]=A mug`,
		} {
			field := "main_pair"
			if strings.Contains(body, "image_pairs") {
				field = "image_pairs"
			}
			if got := s.put(400, id, "%s", body); !strings.Contains(got, field) || !strings.Contains(got, "must have an image_path beside alt") {
				t.Errorf("%s is refused with %s", body, got)
			}
			if got := s.imageIDs(id); got != had {
				t.Errorf("%s leaves the images %s, want %s", body, got, had)
			}
		}
		s.put(200, id, `{"main_pair": {"detailed": {"image_path": "c.png"}, "icon": {"alt": "no icon"}}, "image_pairs": [{"detailed": {"image_path": "", "alt": "as clients send no image"}}]}`)
		if got := s.imageIDs(id); strings.Count(got, " ") != 0 || got == "0" {
			t.Errorf("the images are %s", got)
		}
	})
}

// TestImages_WrittenForms tests the forms that published clients send: a form, an array,
// an object with any keys, a URL or a path under several names (§16).
func TestImages_WrittenForms(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		paths := func(id int64) string {
			p, err := s.Products.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			list := []string{p.MainPair.Detailed.Path + "+" + p.MainPair.Icon.Path}
			for i := range p.ImagePairs {
				list = append(list, p.ImagePairs[i].Detailed.Path+"+"+p.ImagePairs[i].Icon.Path)
			}
			return strings.Join(list, " ")
		}
		for body, want := range map[string]string{
			`main_pair[detailed][image_path]=a.png&main_pair[detailed][alt]=A&image_pairs[0][detailed][image_path]=b.png&image_pairs[7][icon][image_path]=c.png`: "a.png+ b.png+ +c.png",
			`main_pair[detailed][image_path]=a.png&image_pairs[0][detailed][image_path]=`:                                                                        "a.png+",
			`{"image_pairs": [{"detailed": {"image_url": "https://x.com/a"}}, {"icon": {"absolute_path": "/srv/b"}}], "main_pair": []}`:                          "+ https://x.com/a+ +/srv/b",
			`{"image_pairs": {"b": {"detailed": {"relative_path": "b"}, "position": 5}, "a": {"detailed": {"relative_path": "a"}, "position": "4"}}}`:            "+ a+ b+",
			`{"image_pairs": {"detailed": {"image_path": "one"}}, "main_pair": {"detailed": {"image_path": "d"}, "icon": {"image_path": " i "}}}`:                "d+i one+",
			`{"image_pairs": "", "main_pair": null}`: "+",
		} {
			id := s.add(`{"product": "Mug", "category_ids": [1], "main_pair": {"icon": {"image_path": "old"}}}`)
			s.put(200, id, `{"image_pairs": [], "main_pair": []}`)
			s.put(200, id, "%s", body)
			if got := paths(id); got != want {
				t.Errorf("%s is stored as %q, want %q", body, got, want)
			}
		}
	})
}

// TestImages_BadReferencesAre400 and name the field, the pair and the image (§16).
func TestImages_BadReferencesAre400(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1], "main_pair": {"detailed": {"image_path": "a.png"}}}`)
		before := s.Call(200, "GET", at(id), "")
		for body, want := range map[string]string{
			`{"price": 5, "main_pair": {"detailed": {"image_path": "javascript:alert(1)"}}}`:                                                                                   `detailed: image_path must be the URL of an image, http or https, or a path, not "javascript:alert(1)"`,
			`{"price": 5, "main_pair": {"icon": {"absolute_path": "file:///etc/passwd"}}}`:                                                                                     `icon: image_path must be the URL of an image, http or https, or a path, not "file:///etc/passwd"`,
			`{"price": 5, "main_pair": {"icon": {"image_path": "a.png", "image_x": "wide"}}}`:                                                                                  `icon: image_x must be a whole number, not "wide"`,
			`{"price": 5, "image_pairs": {"12": {"icon": {"image_path": "a.png"}}, "13": {"icon": {"image_path": 5, "alt": "` + strings.Repeat("x", images.MaxAlt+1) + `"}}}}`: `[13]: icon: alt must have at most 1024 bytes, not 1025`,
			`{"price": 5, "image_pairs": [` + strings.TrimSuffix(strings.Repeat(`{"icon":{"image_path":"a.png"}},`, 10_000), ",") + `]}`:                                       `must be at most 100 image pairs, not 10000`,
		} {
			field := "main_pair"
			if strings.Contains(body, "image_pairs") {
				field = "image_pairs"
			}
			if said := s.Refuses("PUT", at(id), body, field)[field]; !strings.Contains(said, want) {
				t.Errorf("%.200s is refused with %q, want %q", body, said, want)
			}
		}
		sameJSON(t, s.Call(200, "GET", at(id), ""), before)
	})
}

// A new pair replaces the old one; an equal pair keeps its ids and is not a change (§16).
func TestImages_APairSentReplacesTheOldOne(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1], "main_pair": {"detailed": {"image_path": "a.png", "alt": "A"}, "icon": {"image_path": "i.png"}},
			"image_pairs": [{"detailed": {"image_path": "b.png"}}, {"detailed": {"image_path": "c.png"}}]}`)
		for _, c := range []struct{ body, ids string }{
			{`{"main_pair": {"detailed": {"image_path": "a.png", "alt": "A"}, "icon": {"image_path": "i.png"}, "pair_id": 99}}`, "1 2 3"},
			{`{"image_pairs": [{"detailed": {"image_path": "b.png"}}, {"detailed": {"image_path": "c.png"}}]}`, "1 2 3"},
			{s.Call(200, "GET", at(id), ""), "1 2 3"},
			{`{"main_pair": {"detailed": {"image_path": "a.png", "alt": "B"}}}`, "4 2 3"},
			{`{"image_pairs": [{"detailed": {"image_path": "c.png"}, "position": 1}, {"detailed": {"image_path": "d.png"}, "position": 0}]}`, "4 5 3"},
			{`{"main_pair": []}`, "0 5 3"},
			{`{"image_pairs": {}}`, "0"},
		} {
			told := len(s.Events())
			before := s.imageIDs(id)
			s.put(200, id, "%s", c.body)
			if got := s.imageIDs(id); got != c.ids {
				t.Errorf("after %s the pairs are %s, want %s", c.body, got, c.ids)
			}
			if changed := len(s.Events()) > told; changed != (before != c.ids) {
				t.Errorf("%s is a change: %v", c.body, changed)
			}
		}
		if p, err := s.Products.Get(t.Context(), id); err != nil || !p.MainPair.IsZero() || len(p.ImagePairs) != 0 {
			t.Errorf("the images are %+v %+v, %v", p.MainPair, p.ImagePairs, err)
		}
	})
}

// TestImages_GoCode gives ids, refuses what requests may not send, and copies get ids of
// their own.
func TestImages_GoCode(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		mug := s.Products.Defaults(t.Context())
		mug.Name, mug.CategoryIDs = "Mug", []int64{1}
		mug.MainPair = images.Pair{PairID: 77, Detailed: images.Image{Path: "https://example.com/a.png", Width: 640}}
		mug.ImagePairs = images.Pairs{{}, {Icon: images.Image{Path: "b.png"}}}
		first, err := s.Products.Create(t.Context(), mug)
		if err != nil {
			t.Fatal(err)
		}
		if first.MainPair.PairID != 1 || len(first.ImagePairs) != 1 || first.ImagePairs[0].PairID != 2 {
			t.Errorf("created with %+v %+v", first.MainPair, first.ImagePairs)
		}
		if on := (images.Object{Type: "product", ID: first.ProductID}); first.MainPair.Object != on || first.ImagePairs[0].Object != on {
			t.Errorf("shown on %+v and %+v", first.MainPair.Object, first.ImagePairs[0].Object)
		}
		second, err := s.Products.Create(t.Context(), first)
		if err != nil || second.MainPair.PairID != 3 || second.ImagePairs[0].PairID != 4 {
			t.Errorf("the copy has %+v %+v, %v", second.MainPair, second.ImagePairs, err)
		}
		_, err = s.Products.Update(t.Context(), first.ProductID, func(p *products.Product) error {
			p.MainPair.Detailed.Path = "javascript:alert(1)"
			return nil
		})
		wantStatus(t, "Update", err, 400)
		again, err := s.Products.Update(t.Context(), first.ProductID, func(p *products.Product) error {
			p.ImagePairs[0].Icon.Alt = "Its back"
			return nil
		})
		if err != nil || again.MainPair != first.MainPair || again.ImagePairs[0].PairID != 5 {
			t.Errorf("changed to %+v %+v, %v", again.MainPair, again.ImagePairs, err)
		}
	})
}

// TestImages_AreStoredByTheHost before the change, once each, where it says so (§16).
func TestImages_AreStoredByTheHost(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		var asked []string
		storeImage := func(_ context.Context, entity, reference string) (string, error) {
			asked = append(asked, entity+" "+reference)
			if reference == "gone.png" {
				return "", shopapi.Errorf(400, "There is no such image.")
			}
			return "https://cdn.example.com/" + reference, nil
		}
		s := suite.Open(t, st, shopapi.Options{StoreImage: storeImage})
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1], "main_pair": {"detailed": {"image_path": "a.png"}, "icon": {"image_path": "a.png"}}}`)
		for _, c := range []struct {
			status           int
			body, asked, ids string
		}{
			{200, s.Call(200, "GET", at(id), ""), "", "1"},
			{200, `{"price": 5}`, "", "1"},
			{200, `{"main_pair": {"detailed": {"image_path": "a.png"}, "icon": {"image_path": "https://cdn.example.com/a.png"}}}`, "products a.png", "1"},
			{200, `{"image_pairs": [{"icon": {"image_path": "b.png"}}, {"icon": {"image_path": "c.png"}}]}`, "products b.png, products c.png", "1 2 3"},
			{400, `{"image_pairs": [{"icon": {"image_path": "javascript:alert(1)"}}]}`, "", "1 2 3"},
			{400, `{"main_pair": {"icon": {"image_path": "gone.png"}}}`, "products gone.png", "1 2 3"},
		} {
			asked = nil
			s.put(c.status, id, "%s", c.body)
			if got := strings.Join(asked, ", "); got != c.asked {
				t.Errorf("%s: the host was asked for %q, want %q", c.body, got, c.asked)
			}
			if got := s.imageIDs(id); got != c.ids {
				t.Errorf("%s: the pairs are %s, want %s", c.body, got, c.ids)
			}
		}
		p, err := s.Products.Get(t.Context(), id)
		if err != nil || p.MainPair.Detailed.Path != "https://cdn.example.com/a.png" || p.ImagePairs[1].Icon.Path != "https://cdn.example.com/c.png" {
			t.Errorf("the images are %+v %+v, %v", p.MainPair, p.ImagePairs, err)
		}
	})
}
