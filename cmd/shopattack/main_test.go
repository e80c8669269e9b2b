package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/cmd/internal/command"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// defectVariable makes the shop one with an entity that exceeds its share.
const defectVariable = "SHOPATTACK_DEFECT"

func TestMain(m *testing.M) {
	if os.Getenv(otherVariable) != "" {
		command.Main("shopattack", func(ctx context.Context, _ []string, out io.Writer) error {
			return serveOther(ctx, os.Stdin, out)
		})
		return
	}
	if db := os.Getenv(serveVariable); db != "" {
		var more func(*shop.Shop) error
		if os.Getenv(defectVariable) != "" {
			more = func(sh *shop.Shop) error { return sh.Register(&hogs{st: sh.Store}) }
		}
		command.Main("shopattack", func(ctx context.Context, _ []string, out io.Writer) error {
			return serve(ctx, db, os.Stdin, out, more)
		})
		return
	}
	os.Exit(m.Run())
}

// small are the flags of a campaign of seconds.
func small(entities string) []string {
	return []string{"-demo=false", "-entities", entities, "-each", "50ms", "-top", "1", "-connections", "4", "-memory", "128", "-batch", "1", "-import", "1"}
}

// TestRun: the requests of two entities are found from the description, and cost no more than
// their share.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), small("usergroups"), &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	for _, want := range []string{"POST /usergroups", "PUT /usergroups/{usergroup_id}", "GET /usergroups", "300 bodies without their last byte",
		"POST /batch requests (atomic: true) of", "POST /jobs import of usergroups",
		"POST /images of usergroups", "POST /jobs packed zeros of usergroups", "300 images without their last byte"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
}

// TestRun_Notices an entity that uses memory beyond its share for long texts, and an entity that holds
// the writer. One request at a time is enough for both.
func TestRun_Notices(t *testing.T) {
	t.Setenv(defectVariable, "1")
	var out strings.Builder
	err := run(t.Context(), append(small("hogs"), "-top", "0"), &out)
	if err == nil || !strings.Contains(err.Error(), "the process used") {
		t.Errorf("the error is %v", err)
	}
	if first, _, _ := strings.Cut(out.String(), "POST /hogs text text"); !heldLong(first) {
		t.Errorf("the table does not show a transaction of 50 ms:\n%s", &out)
	}
}

// heldLong reports whether the last row has 50 ms or more in the column of the writer.
func heldLong(table string) bool {
	fields := strings.Fields(table[strings.LastIndexByte(table, '\n')+1:])
	var held float64
	if len(fields) < 3 {
		return false
	}
	_, err := fmt.Sscan(fields[2], &held)
	return err == nil && held >= 50
}

// hogs is an entity that takes 256 MiB for a long text, in a transaction of 50 ms.
type hogs struct{ st store.Store }

type hog struct {
	Text string `json:"text"`
}

// Describe implements [shopapi.Entity].
func (*hogs) Describe() shopapi.Description {
	return shopapi.Description{
		Name: "hogs", IDField: "hog_id", Privileges: shopapi.Privileges{View: "view_hogs", Manage: "manage_hogs"},
		Object: reflect.TypeFor[hog](), Payload: reflect.TypeFor[hog](),
	}
}

// Create implements [shopapi.Creator].
func (h *hogs) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var sent hog
	if err := r.Bind(&sent); err != nil {
		return shopapi.Reply{}, err
	}
	return shopapi.Reply{ID: "1"}, h.st.Update(ctx, func(context.Context, store.Tx) error {
		if len(sent.Text) < 1000 {
			return nil
		}
		taken := make([]byte, 256<<20)
		for i := 0; i < len(taken); i += 4096 {
			taken[i] = 1
		}
		time.Sleep(50 * time.Millisecond)
		return nil
	})
}

// TestForms: what the schema of a list of objects grows in.
func TestForms(t *testing.T) {
	text := &schema{Type: types{"string"}}
	list := &schema{Type: types{"array", "object"}, Items: &schema{Type: types{"object"}, Properties: map[string]*schema{"name": text}}}
	list.Members = list.Items
	var got []string
	for _, f := range (&document{}).forms(list, []any{map[string]any{"name": "Ana"}}, 0) {
		got = append(got, fmt.Sprintf("%s: %d bytes", f.name, len(with(map[string]any{}, "f", f.build(3)))))
	}
	want := []string{
		"[]: 54 bytes", "[] of {}: 16 bytes", "[] .name text: 22 bytes", "[] .name text each: 54 bytes",
		"{}: 66 bytes", "{} of {}: 28 bytes", "{} .name text: 26 bytes", "{} .name text each: 66 bytes",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the forms are\n%s", strings.Join(got, "\n"))
	}
}

// TestAddForm: a body as a form. Which request is sent as one depends on which is the dearest.
func TestAddForm(t *testing.T) {
	form := url.Values{}
	addForm(form, "", map[string]any{"name": "Ana", "lines": []any{map[string]any{"amount": 2}, nil}})
	if got, want := form.Encode(), "lines%5B0%5D%5Bamount%5D=2&name=Ana"; got != want {
		t.Errorf("the form is %s, want %s", got, want)
	}
}

// TestLargest: the largest number within a limit, up to a fiftieth.
func TestLargest(t *testing.T) {
	for _, limit := range []int{1, 10, 100, 99_999} {
		if n := largest(func(n int) int { return n }, limit); n > limit || n < limit-limit/49 {
			t.Errorf("largest within %d is %d", limit, n)
		}
	}
}
