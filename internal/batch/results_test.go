package batch

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/response"
)

func TestResults(t *testing.T) {
	b, err := Parse([]byte(`{"requests":[
		{"id":"c","method":"POST","url":"categories","body":{"category":"Mugs"}},
		{"method":"PUT","url":"products/12","body":{"category_ids":"{{c.category_id}}"}}]}`), 10)
	if err != nil {
		t.Fatal(err)
	}
	r := b.Results()
	isJSON, isText := response.NewField("Content-Type", "application/json"), response.NewField("Content-Type", "text/plain")
	r.Add("c", response.New(http.StatusCreated, isJSON, []byte(`{"category_id":"7"}`)), true, "category_id")
	if m, _, err := b.Members[1].Fill(r.Value, 1000); err != nil || string(m.Body) != `{"category_ids":"7"}` {
		t.Errorf("the filled body is %s, %v", m.Body, err)
	}
	tagged := response.New(http.StatusOK, isText, []byte("product_id=12"))
	tagged.Tag()
	r.Add("", tagged, false, "product_id")
	r.Add("", response.NoContent, true, "")

	want := `[{"id":"c","status":201,"headers":{"Content-Type":"application/json"},"body":{"category_id":"7"}},` +
		`{"status":200,"headers":{"Content-Type":"text/plain","ETag":` + strconv.Quote(tagged.ETag) + `},"body":"product_id=12"},` +
		`{"status":204,"headers":{},"body":null}]`
	if got := string(r.JSON()); got != want {
		t.Errorf("the responses are\n%s, want\n%s", got, want)
	}
	if kept := r.Kept(r.JSON()); string(kept) != string(r.JSON()) {
		t.Errorf("few responses are stored as %s", kept)
	}
	r.Add("", response.New(http.StatusOK, isJSON, []byte(`"`+strings.Repeat("x", maxKept)+`"`)), true, "")
	if kept := string(r.Kept(r.JSON())); !strings.Contains(kept, `"status":201,"headers":{},"body":{"category_id":"7"}`) || len(kept) > 1000 {
		t.Errorf("large responses are stored as %.1000s", kept)
	}
}

// A member that becomes too large is not filled to its end: a short one may name a long text many times.
func TestFillStopsAtTheLimit(t *testing.T) {
	const times = 1000
	long := strings.Repeat(`"{{a.text}}",`, times)
	for name, member := range map[string]string{
		"body":  `"url":"products/12","body":{"x":[` + strings.TrimSuffix(long, ",") + `]}`,
		"query": `"url":"products/12?` + strings.Repeat("q={{a.text}}&", times) + `"`,
		"path":  `"url":"products` + strings.Repeat("/{{a.text}}", times) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			b, err := Parse([]byte(`{"requests":[{"id":"a","method":"PUT","url":"products/1"},{"method":"PUT",`+member+`}]}`), 10)
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			value := json.RawMessage(`"` + strings.Repeat("x", 10_000) + `"`)
			_, _, err = b.Members[1].Fill(func(Reference) (json.RawMessage, bool) { asked++; return value, true }, 100_000)
			if !errors.Is(err, ErrTooLarge) || asked > 11 {
				t.Errorf("%d of %d references were filled in, and the error is %v", asked, times, err)
			}
		})
	}
}
