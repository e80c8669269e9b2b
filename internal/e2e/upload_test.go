package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestE12_Upload: images of a product are added by a file that is chosen and by files that are
// dropped, and removed.
func TestE12_Upload(t *testing.T) {
	t.Parallel()
	var stored atomic.Int64
	o := everything()
	o.StoreUpload = func(_ context.Context, _, kind string, body io.Reader) (string, error) {
		if _, err := png.Decode(body); err != nil || kind != "image/png" {
			return "", fmt.Errorf("%s: %w", kind, err)
		}
		return fmt.Sprintf("/drawing.svg?%d", stored.Add(1)), nil
	}
	s := newShopWith(t, o)
	id := s.Post("/api/2.0/products", `{"product": "Salt jar", "category_ids": [1]}`).Field("product_id")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "jar.png")
	if err := os.WriteFile(file, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	b := openSignedIn(t, s, "Products")
	b.visit("#/products/" + id)
	h := b.task(t)
	shows := func(n int) {
		t.Helper()
		h.waits(fmt.Sprintf(`document.querySelectorAll(".pictures-editor img").length === %d`, n), fmt.Sprintf("%d images", n))
	}
	b.do(chromedp.SetUploadFiles("#image-files", []string{file}, chromedp.ByQuery))
	shows(1)
	b.do(chromedp.Evaluate(`(() => {
		const files = new DataTransfer();
		for (const name of ["a.png", "b.png"]) files.items.add(new File([document.querySelector("#image-files").files[0]], name, {type: "image/png"}));
		document.querySelector(".pictures-editor").dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
	})()`, nil))
	shows(3)
	if n := stored.Load(); n != 3 {
		t.Errorf("the shop stored %d files", n)
	}
	h.click(".pictures-editor .drop", "×")
	shows(2)
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
