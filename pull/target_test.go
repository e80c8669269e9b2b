package pull_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// The administrator of a shop that was only started keeps the key, under another id if
// the old shop uses the same id.
func TestE8_AdministratorsStay(t *testing.T) {
	t.Parallel()
	for _, mine := range []string{"owner@example.net", email} {
		t.Run(mine, func(t *testing.T) {
			st := memory.New()
			if err := users.EnsureRootKey(t.Context(), st, mine, "the-key-of-the-new-shop"); err != nil {
				t.Fatal(err)
			}
			sh := newShop(t, st)
			report := run(t, sh, from(serve(t, oldShop(t), shopapi.DialectDocumented)))
			if len(report.Problems) > 0 {
				t.Errorf("problems %+v", report.Problems)
			}
			user, err := sh.Users.ByEmail(t.Context(), mine)
			if err != nil {
				t.Fatal(err)
			}
			if taken := user.UserID == 1; taken != (mine == email) {
				t.Errorf("the administrator of the new shop has the id %d", user.UserID)
			}
			request := httptest.NewRequest("GET", "/api/2.0/users/1", nil)
			request.SetBasicAuth(mine, "the-key-of-the-new-shop")
			answer := httptest.NewRecorder()
			sh.ServeHTTP(answer, request)
			if answer.Code != 200 {
				t.Errorf("the key of the new shop: %d %s", answer.Code, answer.Body)
			}
		})
	}
}

// Ids of new rows begin a million above the pulled ones.
func TestE8_NewIDsBeginAbove(t *testing.T) {
	t.Parallel()
	everyStore(t, func(t *testing.T, st store.Store) {
		sh := newShop(t, st)
		run(t, sh, from(serve(t, oldShop(t), shopapi.DialectDocumented)))
		made, err := sh.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "New", CompanyID: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if made.CategoryID <= 1_000_000 {
			t.Errorf("a new category has the id %d", made.CategoryID)
		}
	})
}

// The numbers of invoices and credit memos continue the old shop's. Texts of another
// form stay, and do not count.
func TestE8_NumbersOfDocumentsGoOn(t *testing.T) {
	t.Parallel()
	url := php(t, map[string]string{
		"categories": `[]`,
		"orders":     `[{"order_id":"1"},{"order_id":"2"},{"order_id":"3"}]`,
		"orders/1":   `{"order_id":"1","company_id":"1","status":"P","total":"1.00","invoice_id":"INV-2027-1500"}`,
		"orders/2":   `{"order_id":"2","company_id":"1","status":"P","total":"1.00","invoice_id":"INV-2027-90","credit_memo_id":"CM-2027-12"}`,
		"orders/3":   `{"order_id":"3","company_id":"1","status":"P","total":"1.00","invoice_id":"2027/9999"}`,
	})
	st := memory.New()
	sh := newShop(t, st)
	run(t, sh, from(url))
	if again := run(t, sh, from(url)); again.Written != 0 {
		t.Errorf("the second run wrote %d objects", again.Written)
	}
	next := map[string]int64{}
	for row := range int64(2) {
		next[cell(t, st, "order_counters", "kind", row+1).Text()] = cell(t, st, "order_counters", "next", row+1).Int()
	}
	if next["invoice"] != 1501 || next["credit_memo"] != 13 {
		t.Errorf("the next numbers are %v, want 1501 and 13", next)
	}
	if order, err := sh.Orders.Get(t.Context(), 3); err != nil || order.InvoiceID == nil || *order.InvoiceID != "2027/9999" {
		t.Errorf("the invoice of another form: %v, %v", order.InvoiceID, err)
	}
}

// Keys of connectors go on unchanged.
func TestE8_KeysGoOn(t *testing.T) {
	t.Parallel()
	sh := newShop(t, memory.New())
	o := from(serve(t, oldShop(t), shopapi.DialectDocumented))
	o.Keys = map[string]string{email: "short-key", "nobody@example.org": "another-key-of-the-old-shop"}
	report := run(t, sh, o)
	if got := problem(report, "users", "1", "api_key"); !strings.Contains(got, "128 bits") {
		t.Errorf("a weak key: %q", got)
	}
	if got := problem(report, "users", "nobody@example.org", "email"); got == "" {
		t.Error("a key of nobody is not reported")
	}
	request := httptest.NewRequest("GET", "/api/2.0/products", nil)
	request.SetBasicAuth(email, "short-key")
	answer := httptest.NewRecorder()
	sh.ServeHTTP(answer, request)
	if answer.Code != 200 {
		t.Errorf("the key of the old shop: %d %s", answer.Code, answer.Body)
	}
}

// Images are downloaded from the old shop's host, and not from addresses of the network
// that the new one is in.
func TestE8_Images(t *testing.T) {
	t.Parallel()
	const picture = "\x89PNG\r\n\x1a\n"
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an address of the own network was asked") }))
	defer inside.Close()
	inner := strings.Replace(inside.URL, "127.0.0.1", "127.0.0.2", 1)
	answers := map[string]string{
		"products":   `[{"product_id":"1"},{"product_id":"2"}]`,
		"products/1": `{"product_id":"1","product":"A","status":"A","main_pair":{"pair_id":"4","detailed":{"image_path":"/pictures/a.png","alt":"A"}}}`,
		"products/2": `{"product_id":"2","product":"B","status":"A","main_pair":{"pair_id":"5","detailed":{"image_path":"` + inner + `/b.png"}}}`,
	}
	both := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pictures/a.png" {
			if r.Header.Get("Authorization") != "" {
				t.Error("the key was sent for an image")
			}
			w.Header().Set("Content-Type", "image/png")
			w.Write([]byte(picture))
			return
		}
		phpHandler(answers).ServeHTTP(w, r)
	}))
	defer both.Close()
	st := memory.New()
	o := from(both.URL + "/api")
	o.Images = filepath.Join(t.TempDir(), "images")
	report := run(t, newShop(t, st), o)
	stored := cell(t, st, "products", "main_pair", 1).Text()
	_, name, _ := strings.Cut(stored, "/images/")
	name, _, _ = strings.Cut(name, `"`)
	if data, err := os.ReadFile(filepath.Join(o.Images, name)); err != nil || string(data) != picture {
		t.Errorf("%s: %q, %v", stored, data, err)
	}
	if got := problem(report, "products", "2", "main_pair"); !strings.Contains(got, "not a public address") {
		t.Errorf("an address of the own network: %q", got)
	}
	if got := cell(t, st, "products", "main_pair", 2).Text(); !strings.Contains(got, inner) {
		t.Errorf("an image that could not be had is %s", got)
	}
}

// Customers sign in with the password of the old shop, whose hash the host's function
// checks. The first sign-in replaces the hash.
func TestE8_LegacyPasswords(t *testing.T) {
	t.Parallel()
	st := memory.New()
	sh := newShop(t, st)
	o := from(serve(t, oldShop(t), shopapi.DialectDocumented))
	o.Passwords = map[string]string{strings.ToUpper(email): "old-hash-of:secret password"}
	run(t, sh, from(o.From))
	run(t, sh, o) // which brings them to users that were pulled before
	asked := 0
	if _, err := sh.Users.CheckPassword(t.Context(), email, "secret password"); err == nil {
		t.Error("without the function the old hash counts")
	}
	sh.Users.LegacyPassword(func(password, hash string) bool {
		asked++
		return hash == "old-hash-of:"+password
	})
	if _, err := sh.Users.CheckPassword(t.Context(), email, "wrong password"); err == nil {
		t.Error("a wrong password signs in")
	}
	for range 2 {
		if _, err := sh.Users.CheckPassword(t.Context(), email, "secret password"); err != nil {
			t.Errorf("the right password: %v", err)
		}
	}
	if hash := cell(t, st, "users", "password_hash", 1).Text(); asked != 2 || !strings.HasPrefix(hash, "$2") {
		t.Errorf("the function was asked %d times, want 2, and the hash is %.3s", asked, hash)
	}
	if again := run(t, sh, o); again.Written != 0 {
		t.Errorf("another run wrote %d objects", again.Written)
	}
}

// The old shop may answer at its script alone, where addresses are not rewritten.
func TestE8_ScriptAddress(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectLive, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api.php" {
				http.NotFound(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	report := run(t, newShop(t, memory.New()), from(url+".php"))
	if n := report.Counts["orders"]; n.There == 0 || n.Here != n.There || len(report.Problems) > 0 {
		t.Errorf("orders %+v, problems %+v", n, report.Problems)
	}
}
