package files_test

import (
	"context"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// A readFunc is a body.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// E5, E12: a file that arrives after its key was revoked starts no job.
func TestE5_KeyRevokedDuringUpload(t *testing.T) {
	t.Parallel()
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{})
	id, key, err := s.Users.AddKey(t.Context(), 1, "upload")
	if err != nil {
		t.Fatal(err)
	}
	file := strings.NewReader("tax\nVAT\n")
	req := httptest.NewRequest("POST", "/api/2.0/jobs?import=taxes", readFunc(func(p []byte) (int, error) {
		n, err := file.Read(p)
		if err == io.EOF {
			if w := s.do("DELETE", "users/1/keys/"+id, ""); w.Code != 204 {
				t.Errorf("revoking the key: %d %s", w.Code, w.Body)
			}
		}
		return n, err
	}))
	req.SetBasicAuth(root, key)
	req.Header.Set("Content-Type", "text/csv")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	if w.Code != 401 {
		t.Errorf("the upload with a revoked key: %d %s, want 401", w.Code, w.Body)
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// E5: a webhook that a job makes ends with the key that started the job.
func TestE5_WebhooksOfJobsEndWithTheKey(t *testing.T) {
	t.Parallel()
	st := memory.New()
	rootKey, _, err := users.EnsureRoot(t.Context(), st, root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sh, err := shop.New(t.Context(), st, &shop.Options{
		Jobs: files.JobOptions{Dir: dir}, Keys: users.KeyOptions{On: true}, Webhooks: webhooks.Options{On: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sh.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	s := &jobShop{t, sh, dir, rootKey}
	id, key, err := s.Users.AddKey(t.Context(), 1, "stolen")
	if err != nil {
		t.Fatal(err)
	}
	stolen := &jobShop{t, sh, dir, key}
	job := stolen.ended(stolen.post("import=webhooks", "application/x-ndjson", `{"url": "https://thief.example/", "events": ["orders.*"]}`+"\n"))
	if job.Created != 1 {
		t.Fatalf("the job did %+v", job)
	}
	if w := s.do("DELETE", "users/1/keys/"+id, ""); w.Code != 204 {
		t.Fatalf("revoking the key: %d %s", w.Code, w.Body)
	}
	if got := s.do("GET", "webhooks/1", "").Body.String(); !strings.Contains(got, `"status":"D"`) {
		t.Errorf("after its key was revoked the webhook is %s, want status D", got)
	}
}
