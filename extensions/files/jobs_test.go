package files_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// A jobShop is a shop with jobs, and sends its requests as the administrator.
type jobShop struct {
	*testing.T
	*shop.Shop
	dir, key string
}

const root = "root@shop.example"

// openJobs opens a shop with jobs over a store and a directory, which may have some.
func openJobs(t *testing.T, st store.Store, dir, key string, o shopapi.Options) *jobShop {
	t.Helper()
	if key == "" {
		var err error
		if key, _, err = users.EnsureRoot(t.Context(), st, root); err != nil {
			t.Fatal(err)
		}
	}
	sh, err := shop.New(t.Context(), st, &shop.Options{
		Options: o, Jobs: files.JobOptions{Dir: dir}, Keys: users.KeyOptions{On: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sh.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return &jobShop{t, sh, dir, key}
}

// do makes a request as the administrator, or with the EMAIL:KEY in as.
func (s *jobShop) do(method, path, body string, header ...string) *httptest.ResponseRecorder {
	s.Helper()
	req := httptest.NewRequest(method, "/api/2.0/"+path, strings.NewReader(body))
	req.SetBasicAuth(root, s.key)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w
}

// post starts a job, and returns its id.
func (s *jobShop) post(query, mediaType, body string, header ...string) string {
	s.Helper()
	w := s.do("POST", "jobs?"+query, body, append(header, "Content-Type", mediaType)...)
	var answer struct {
		JobID string `json:"job_id"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 202 || w.Header().Get("Location") != "/api/2.0/jobs/"+answer.JobID {
		s.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	return answer.JobID
}

func (s *jobShop) job(id string) (job files.Job) {
	s.Helper()
	w := s.do("GET", "jobs/"+id, "")
	if err := json.Unmarshal(w.Body.Bytes(), &job); err != nil || w.Code != 200 {
		s.Fatalf("%d %s", w.Code, w.Body)
	}
	return job
}

// ended waits for the end of a job.
func (s *jobShop) ended(id string) files.Job {
	s.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if job := s.job(id); job.EndedAt > 0 {
			return job
		}
	}
	s.Fatalf("the job did not end: %+v", s.job(id))
	return files.Job{}
}

var noTimes = cmpopts.IgnoreFields(files.Job{}, "CreatedAt", "StartedAt", "EndedAt", "Rate")

// E7: a job imports the file that was posted, reports its counts and each error with its line,
// and leaves no file behind.
func TestE7_Jobs(t *testing.T) {
	t.Parallel()
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{})
	id := s.post("import=taxes", "text/csv; charset=utf-8", "tax,priority,colour\nVAT,1,red\nToll,x,red\n")
	want := files.Job{JobID: id, Entity: "taxes", Status: files.Completed, Rows: 2, Created: 1, Failed: 1, UnknownColumns: []string{"colour"}}
	job := s.ended(id)
	if diff := cmp.Diff(want, job, noTimes); diff != "" {
		t.Error(diff)
	}
	if job.CreatedAt == 0 || job.StartedAt < job.CreatedAt || job.EndedAt < job.StartedAt {
		t.Errorf("the times are %+v", job)
	}
	if got, want := s.do("GET", "jobs/"+id+"/errors", "").Body.String(), `{"errors":[{"line":3,"field":"priority","message":"must be a whole number, not \"x\""}]}`; got != want {
		t.Errorf("the errors are %s, want %s", got, want)
	}
	if got := s.do("GET", "taxes/1", "").Body.String(); !strings.Contains(got, `"VAT"`) {
		t.Error(got)
	}

	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprintln(w, `{"tax":"VAT","tax@de":"MwSt","status":"D"}`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	id = s.post("import=taxes&dry_run=Y", "application/x-ndjson", packed.String(), "Content-Encoding", "gzip")
	if job := s.ended(id); job.Created != 1 || job.Status != files.Completed {
		t.Errorf("the dry run did %+v", job)
	}
	if w := s.do("GET", "taxes/2", ""); w.Code != 404 {
		t.Errorf("the dry run made %s", w.Body)
	}
	if job := s.ended(s.post("import=taxes", "text/csv", "tax\n\"VAT")); job.Status != files.Failed || job.Message != "Line 2: the file ends within a quoted cell of the row that begins here." {
		t.Errorf("the job is %+v", job)
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("the directory has %v, %v", left, err)
	}
}

// E7: Location is the address of the job as the client sees it: below the prefix of the host, and in
// the form of the request.
func TestE7_LocationOfJobs(t *testing.T) {
	t.Parallel()
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{})
	mux := http.NewServeMux()
	mux.Handle("/admin/", http.StripPrefix("/admin", s.API))
	mux.Handle("/", s.API)
	do := func(method, url string) *httptest.ResponseRecorder {
		req := httptest.NewRequest(method, url, strings.NewReader("tax\nVAT\n"))
		req.SetBasicAuth(root, s.key)
		req.Header.Set("Content-Type", "text/csv")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, req)
		return w
	}
	for asked, want := range map[string]string{
		"/api/2.0/jobs?import=taxes":                          "/api/2.0/jobs/",
		"/api/jobs/?import=taxes":                             "/api/jobs/",
		"/api.php?import=taxes&_d=jobs":                       "/api.php?_d=jobs%2F",
		"/admin/api/2.0/jobs?import=taxes":                    "/admin/api/2.0/jobs/",
		"/admin/api.php?_d=2.0/jobs/&import=taxes":            "/admin/api.php?_d=2.0%2Fjobs%2F",
		"http://shop.example/admin/api/2.0/jobs?import=taxes": "/admin/api/2.0/jobs/",
	} {
		w := do("POST", asked)
		id, ok := strings.CutPrefix(w.Header().Get("Location"), want)
		if w.Code != 202 || !ok || !strings.Contains(w.Body.String(), `"job_id":"`+id+`"`) {
			t.Errorf("POST %s: %d, Location %s, %s, want it below %s", asked, w.Code, w.Header().Get("Location"), w.Body, want)
			continue
		}
		if job := do("GET", want+id); job.Code != 200 {
			t.Errorf("GET %s: %d %s", want+id, job.Code, job.Body)
		}
		s.ended(id)
	}
}

// §4: a file in another charset than UTF-8 is refused before it is stored.
func TestE7_CharsetOfJobs(t *testing.T) {
	t.Parallel()
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{})
	w := s.do("POST", "jobs?import=taxes", "tax\nGeb\xfchr\n", "Content-Type", "text/csv; charset=iso-8859-1")
	if want := `{"message":"The charset \"iso-8859-1\" is not supported: the body must be UTF-8.","status":415}`; w.Code != 415 || w.Body.String() != want {
		t.Errorf("%d %s, want %s", w.Code, w.Body, want)
	}
}

// §23: after the data of a person was erased, no message about a row of a file quotes that person's e-mail
// address.
func TestE7_ErasedPersonsInErrors(t *testing.T) {
	t.Parallel()
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{})
	ana, err := s.Users.Create(t.Context(), users.User{Summary: users.Summary{Email: "ana@example.com", UserType: "C"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	id := s.post("import=users&match=email", "text/csv", "email,status\nAna@example.com,A\nAna@example.com,x\nana@example.com.example,A\nbea@example.com,A\n")
	s.ended(id)
	if err := s.Users.Erase(t.Context(), ana.UserID); err != nil {
		t.Fatal(err)
	}
	got := s.do("GET", "jobs/"+id+"/errors", "").Body.String()
	if strings.Contains(strings.ToLower(got), "ana@") || !strings.Contains(got, "bea@example.com") {
		t.Errorf("the errors are %s", got)
	}
}

// E7: a job fails where no column but the match is known, and lists the unknown ones.
func TestE7_JobsListUnknownColumns(t *testing.T) {
	t.Parallel()
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{})
	for _, tc := range []struct {
		query, mediaType, body, message string
		unknown                         []string
	}{
		{"taxes", "text/csv", "colour\nred\n", "Line 1: no column has the name of a field: the first row must have the names of fields, such as in an export.", []string{"colour"}},
		{"taxes", "text/csv", "tax_id,foo,bar\n1,2,3\n", "Line 1: no column has the name of a field but tax_id: the first row must have the names of fields, such as in an export.", []string{"foo", "bar"}},
		{"taxes&dry_run=Y", "text/csv", "tax_id,foo\n1,2\n", "Line 1: no column has the name of a field but tax_id: the first row must have the names of fields, such as in an export.", []string{"foo"}},
		{"taxes", "application/x-ndjson", `{"tax_id":1,"foo":2}`, "Line 1: the first object has no field but tax_id: its members must have the names of fields, such as in an export.", []string{"foo"}},
		{"products&match=product_code", "text/csv", "product,foo\nMug,2\n", "Line 1: there is no column product_code, whose values name the objects.", []string{"foo"}},
		{"taxes", "text/csv", "", "Line 1: the file has no row with the names of columns.", []string{}},
	} {
		id := s.post("import="+tc.query, tc.mediaType, tc.body)
		job := s.ended(id)
		entity, _, _ := strings.Cut(tc.query, "&")
		want := files.Job{JobID: id, Entity: entity, Status: files.Failed, Message: tc.message, UnknownColumns: tc.unknown}
		if diff := cmp.Diff(want, job, noTimes); diff != "" {
			t.Errorf("%s: %s", tc.body, diff)
		}
	}
	id := s.post("import=taxes", "text/csv", "tax,foo\n", "Content-Encoding", "gzip")
	if job := s.ended(id); job.Status != files.Failed || len(job.UnknownColumns) > 0 {
		t.Errorf("a file that is not packed: the job is %+v", job)
	}
}

// E7: wrong requests are refused with the reason, and start nothing.
func TestE7_JobsRefuse(t *testing.T) {
	t.Parallel()
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{Limits: shopapi.Limits{Import: 1000}})
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	if _, err := w.Write(make([]byte, 100_000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		method, path, body, mediaType, coding string
		status                                int
		contains                              string
	}{
		"media type":  {"POST", "jobs?import=taxes", "{}", "application/json", "", 415, "text/csv or application/x-ndjson"},
		"coding":      {"POST", "jobs?import=taxes", "tax\n", "text/csv", "zstd", 415, "must be gzip"},
		"no entity":   {"POST", "jobs", "tax\n", "text/csv", "", 400, `"import":"is required`},
		"entity":      {"POST", "jobs?import=things", "tax\n", "text/csv", "", 400, `"import":"must be an entity`},
		"parameters":  {"POST", "jobs?import=taxes&dry_run=yes&empty=keep", "tax\n", "text/csv", "", 400, `"empty":"must be one of clear`},
		"match":       {"POST", "jobs?import=taxes&match=tax", "tax\n", "text/csv", "", 400, `"match":"must be one of tax_id`},
		"too large":   {"POST", "jobs?import=taxes", "tax\n" + strings.Repeat("x", 1000), "text/csv", "", 413, "1000 bytes"},
		"bomb":        {"POST", "jobs?import=taxes", bomb.String(), "text/csv", "gzip", 413, "1000 bytes"},
		"no job":      {"GET", "jobs/7", "", "", "", 404, `There is no job with the id \"7\"`},
		"no errors":   {"GET", "jobs/7/errors", "", "", "", 404, "There is no job"},
		"cancel none": {"DELETE", "jobs/x", "", "", "", 404, "There is no job"},
		"no list":     {"GET", "jobs", "", "", "", 405, "POST"},
	} {
		var header []string
		if tc.mediaType != "" {
			header = append(header, "Content-Type", tc.mediaType)
		}
		if tc.coding != "" {
			header = append(header, "Content-Encoding", tc.coding)
		}
		if w := s.do(tc.method, tc.path, tc.body, header...); w.Code != tc.status || !strings.Contains(w.Body.String(), tc.contains) {
			t.Errorf("%s: %d %s, want %d with %s", name, w.Code, w.Body, tc.status, tc.contains)
		}
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("the directory has %v, %v", left, err)
	}
	off, err := shop.New(t.Context(), memory.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := (&jobShop{t, off, "", ""}).do("POST", "jobs", ""); got.Code != 401 && got.Code != 404 {
		t.Errorf("without the option: %d", got.Code)
	}
}

// E7: a user sends at most two files at once. The next one is refused before it is read, and
// taken when one of these has come.
func TestE7_FilesAtOnce(t *testing.T) {
	t.Parallel()
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{})
	send := func(body io.Reader) int {
		req := httptest.NewRequest("POST", "/api/2.0/jobs?import=taxes", body)
		req.SetBasicAuth(root, s.key)
		req.Header.Set("Content-Type", "text/csv")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		return w.Code
	}
	var statuses [2]int
	var ends [2]*io.PipeWriter
	var wg sync.WaitGroup
	for i := range statuses {
		var body *io.PipeReader
		body, ends[i] = io.Pipe()
		wg.Go(func() { statuses[i] = send(body) })
		if _, err := io.WriteString(ends[i], "tax\n"); err != nil { // it is being read
			t.Fatal(err)
		}
	}
	body, _ := io.Pipe()
	if status := send(body); status != 429 {
		t.Errorf("the third file is answered %d", status)
	}
	if w := s.do("GET", "taxes", ""); w.Code != 200 {
		t.Errorf("a list is answered %d", w.Code)
	}
	_ = ends[0].CloseWithError(errors.New("cut"))
	_, _ = io.WriteString(ends[1], "VAT\n")
	_ = ends[1].Close()
	wg.Wait()
	if statuses != [2]int{400, 202} {
		t.Errorf("the files are answered %d", statuses)
	}
	s.post("import=taxes", "text/csv", "tax\nVAT\n")
}

// addClerk creates a user with the privilege to change taxes, and returns the header Authorization of
// that user's requests.
func (s *jobShop) addClerk() (clerk users.User, authorization string) {
	s.Helper()
	must := func(err error) {
		s.Helper()
		if err != nil {
			s.Fatal(err)
		}
	}
	clerk, err := s.Users.Create(s.Context(), users.User{Summary: users.Summary{Email: "clerk@shop.example", UserType: shopapi.Administrator}}, "")
	must(err)
	group, err := s.Users.Groups().Create(s.Context(), users.Group{Name: "Clerks", Type: shopapi.Administrator, Status: users.Active, Privileges: "view_taxes,manage_taxes"})
	must(err)
	must(s.Users.SetMembership(s.Context(), clerk.UserID, group.UsergroupID, users.Member))
	key, err := s.Users.GenerateKey(s.Context(), clerk.UserID)
	must(err)
	r := httptest.NewRequest("GET", "/", nil)
	r.SetBasicAuth(clerk.Email, key)
	return clerk, r.Header.Get("Authorization")
}

// E7: the jobs of a user run one after another, so that the job of another user does not wait for
// them.
func TestE7_JobsOfAUserRunInTurn(t *testing.T) {
	t.Parallel()
	st, gate := memory.New(), make(chan struct{})
	byID := users.NewUserByID(st)
	s := openJobs(t, st, t.TempDir(), "", shopapi.Options{UserByID: func(ctx context.Context, id int64) (*shopapi.User, error) {
		if id == 1 {
			<-gate // the jobs of the administrator take long
		}
		return byID(ctx, id)
	}})
	_, as := s.addClerk()
	const csv = "tax\nVAT\n"
	first, second := s.post("import=taxes", "text/csv", csv), s.post("import=taxes", "text/csv", csv)
	w := s.do("POST", "jobs?import=taxes", csv, "Content-Type", "text/csv", "Authorization", as)
	if w.Code != 202 {
		t.Fatalf("the job of a clerk: %d %s", w.Code, w.Body)
	}
	if job := s.ended(strings.TrimPrefix(w.Header().Get("Location"), "/api/2.0/jobs/")); job.Status != files.Completed {
		t.Errorf("the job of the clerk is %+v", job)
	}
	if job := s.job(second); job.Status != files.Waiting {
		t.Errorf("the second job of the administrator is %+v beside the first", job)
	}
	close(gate)
	for _, id := range []string{first, second} {
		if job := s.ended(id); job.Status != files.Completed {
			t.Errorf("a job of the administrator is %+v", job)
		}
	}
}

// E7: at most two jobs of a user wait or run; a job is cancelled by DELETE; a job is there for
// the user who started it and for root.
func TestE7_JobsOfUsers(t *testing.T) {
	t.Parallel()
	st, gate := memory.New(), make(chan struct{})
	byID := users.NewUserByID(st)
	s := openJobs(t, st, t.TempDir(), "", shopapi.Options{UserByID: func(ctx context.Context, id int64) (*shopapi.User, error) {
		if id > 0 {
			<-gate // no job begins before
		}
		return byID(ctx, id)
	}})
	clerk, as := s.addClerk()
	const csv = "tax\nVAT\n"
	first := s.post("import=taxes", "text/csv", csv)
	second := s.post("import=taxes", "text/csv", csv)
	if w := s.do("POST", "jobs?import=taxes", csv, "Content-Type", "text/csv"); w.Code != 429 {
		t.Errorf("the third job: %d %s", w.Code, w.Body)
	}
	if w := s.do("POST", "jobs?import=products", csv, "Content-Type", "text/csv", "Authorization", as); w.Code != 403 {
		t.Errorf("a job without the privilege: %d %s", w.Code, w.Body)
	}
	for _, path := range []string{"jobs/" + first, "jobs/" + first + "/errors"} {
		if w := s.do("GET", path, "", "Authorization", as); w.Code != 404 {
			t.Errorf("the job of another user: %d %s", w.Code, w.Body)
		}
	}
	if w := s.do("DELETE", "jobs/"+first, "", "Authorization", as); w.Code != 404 {
		t.Errorf("the job of another user: %d %s", w.Code, w.Body)
	}
	of := s.do("POST", "jobs?import=taxes", csv, "Content-Type", "text/csv", "Authorization", as)
	if of.Code != 202 {
		t.Fatalf("the job of a clerk: %d %s", of.Code, of.Body)
	}
	third := strings.TrimPrefix(of.Header().Get("Location"), "/api/2.0/jobs/")
	if err := s.Users.RevokeKey(t.Context(), clerk.UserID); err != nil {
		t.Fatal(err)
	}
	if w := s.do("DELETE", "jobs/"+first, ""); w.Code != 204 {
		t.Errorf("cancelling a job: %d %s", w.Code, w.Body)
	}
	close(gate)
	if job := s.ended(second); job.Created != 1 {
		t.Errorf("the second job is %+v", job)
	}
	if job := s.job(first); job.Status != files.Cancelled || job.Rows > 0 {
		t.Errorf("the cancelled job is %+v", job)
	}
	if job := s.job(third); job.Status != files.Failed || job.Message != "The API key that started the job was revoked." || job.Rows > 0 {
		t.Errorf("the job of a revoked key is %+v", job)
	}
	if w := s.do("DELETE", "jobs/"+second, ""); w.Code != 400 || !strings.Contains(w.Body.String(), "completed") {
		t.Errorf("cancelling a job that has ended: %d %s", w.Code, w.Body)
	}
	fourth := s.post("import=taxes", "text/csv", csv)
	if job := s.ended(fourth); job.Status != files.Completed {
		t.Errorf("the slots of ended jobs are not free: %+v", job)
	}
}
