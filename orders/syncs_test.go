package orders_test

import (
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/disk"
	"github.com/shopapi/shopapi/store/sqlite"
)

// Placing an order waits for one sync of the disk, and so does each change of it.
func TestOrders_SyncOnce(t *testing.T) {
	folder := t.TempDir()
	d := disk.New(t, folder)
	st, err := sqlite.Open(t.Context(), filepath.Join(folder, "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	w := newWorld(t, unclosed{st}, shopapi.Options{})
	var id string
	for _, c := range []struct {
		what  string
		do    func()
		pages int // that change; each is written with a header
	}{
		{"placing an order", func() { id = w.made("orders", w.order(`{"1": {"amount": 1}, "2": {"amount": 2}}`)) }, 25},
		{"placing another one", func() { id = w.made("orders", w.order(`{"1": {"amount": 1}, "2": {"amount": 2}}`)) }, 25},
		{"changing its notes", func() { w.Put("/api/2.0/orders/"+id, `{"notes": "Ring twice"}`) }, 5},
		{"cancelling it", func() { w.Put("/api/2.0/orders/"+id, `{"status": "I"}`) }, 15},
		{"reading it", func() { w.get(id) }, 0},
	} {
		before := len(d.Ops())
		c.do()
		ops := d.Ops()[before:]
		if syncs := disk.Count(ops, disk.Sync, ""); syncs != min(1, c.pages) {
			t.Errorf("%s takes %d syncs, want %d", c.what, syncs, min(1, c.pages))
		}
		if n := disk.Count(ops, disk.Write, ""); n > 2*c.pages {
			t.Errorf("%s changes %d pages, want %d at most", c.what, n/2, c.pages)
		}
	}
}
