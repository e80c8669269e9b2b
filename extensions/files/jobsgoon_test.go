package files_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// A job of cups imports so many rows. Its first process stops while it saves the row stopAt, in
// the second transaction or later.
const (
	cups   = 1300
	stopAt = 700
)

// openFile opens the store of a shop in a directory.
func openFile(t *testing.T, dir string) store.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// postCups starts a job that imports cups, and calls stop while it saves the row stopAt. Of JSON
// lines, the first and the last cup have an unknown column each.
func (s *jobShop) postCups(mediaType string, stop func(ctx context.Context)) (id string) {
	s.Helper()
	category := s.Categories.Defaults(s.Context())
	category.Name = "Mugs"
	if _, err := s.Categories.Create(s.Context(), category); err != nil {
		s.Fatal(err)
	}
	saved := 0
	s.Products.BeforeSave(func(ctx context.Context, _ store.Tx, _ *products.Product, _ *products.Product) error {
		if saved++; saved == stopAt {
			stop(ctx)
		}
		return nil
	})
	var file strings.Builder
	if mediaType == "text/csv" {
		file.WriteString("product,product_code,category_ids\n")
	}
	for i := range cups {
		switch {
		case mediaType == "text/csv":
			fmt.Fprintf(&file, "Cup,CUP-%d,1\n", i)
		default:
			unknown := map[int]string{0: `,"colour":"red"`, cups - 1: `,"flavour":"mint"`}[i]
			fmt.Fprintf(&file, `{"product":"Cup","product_code":"CUP-%d","category_ids":"1"%s}`+"\n", i, unknown)
		}
	}
	return s.post("import=products", mediaType, file.String())
}

// goesOn opens the shop of a process that stopped, ahead by a time, and checks that the job goes
// on where it was, and imports each row once.
func goesOn(t *testing.T, st store.Store, dir, key, id string, ahead time.Duration, unknown ...string) {
	t.Helper()
	byID, gate := users.NewUserByID(st), make(chan struct{})
	next := openJobs(t, st, dir, key, shopapi.Options{
		Clock: func() time.Time { return time.Now().Add(ahead) },
		UserByID: func(ctx context.Context, id int64) (*shopapi.User, error) {
			if id > 0 {
				<-gate // the job does not go on before it was read
			}
			return byID(ctx, id)
		},
	})
	before := next.job(id) // a request starts the workers
	close(gate)
	if before.Rows == 0 || before.Rows >= stopAt || before.EndedAt != 0 {
		t.Errorf("the first process left %+v", before)
	}
	job := next.ended(id)
	want := files.Job{JobID: id, Entity: "products", Status: files.Completed, Rows: cups, Created: cups, UnknownColumns: append([]string{}, unknown...)}
	if diff := cmp.Diff(want, job, noTimes); diff != "" {
		t.Error(diff)
	}
	seen := map[string]bool{}
	for p, err := range next.Products.All(t.Context(), products.Filter{}) {
		if err != nil || seen[p.Code] {
			t.Fatalf("%s twice, %v", p.Code, err)
		}
		seen[p.Code] = true
	}
	if len(seen) != cups {
		t.Errorf("there are %d products", len(seen))
	}
}

// E7: a job that Shutdown ends goes on where it was in the next process: each row is imported
// once, and the unknown columns of both parts are listed.
func TestE7_JobsGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := openFile(t, dir)
	s := openJobs(t, st, dir, "", shopapi.Options{})
	stopped := make(chan error, 1)
	id := s.postCups("application/x-ndjson", func(ctx context.Context) {
		go func() { stopped <- s.Shutdown(context.WithoutCancel(t.Context())) }()
		<-ctx.Done() // Shutdown ends the jobs
	})
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	goesOn(t, st, dir, s.key, id, 0, "colour", "flavour")
}

// E7: a job goes on where the next row has no known field, as it does without a break: only the first row
// of a file decides whether its members are fields.
func TestE7_JobsGoOnBeforeARowWithoutFields(t *testing.T) {
	t.Parallel()
	dir, st, stopped := t.TempDir(), memory.New(), make(chan error, 1)
	var s *jobShop
	calls, byID := 0, users.NewUserByID(st)
	s = openJobs(t, st, dir, "", shopapi.Options{UserByID: func(ctx context.Context, id int64) (*shopapi.User, error) {
		if id > 0 {
			calls++
		}
		if calls == 4 { // after the beginning, a transaction that is undone, and one with the first row
			go func() { stopped <- s.Shutdown(context.WithoutCancel(t.Context())) }()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return byID(ctx, id)
	}})
	const rows = 2000
	id := s.post("import=taxes", "application/x-ndjson", `{"tax":"VAT"}`+strings.Repeat("\n"+`{"colour":"red"}`, rows-1))
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	next := openJobs(t, st, dir, s.key, shopapi.Options{UserByID: func(ctx context.Context, id int64) (*shopapi.User, error) {
		if id > 0 {
			<-gate // the job does not go on before it was read
		}
		return byID(ctx, id)
	}})
	before := next.job(id)
	close(gate)
	if before.Rows == 0 || before.EndedAt != 0 {
		t.Errorf("the first process left %+v", before)
	}
	want := files.Job{JobID: id, Entity: "taxes", Status: files.Completed, Rows: rows, Created: 1, Failed: rows - 1, UnknownColumns: []string{"colour"}}
	if diff := cmp.Diff(want, next.ended(id), noTimes); diff != "" {
		t.Error(diff)
	}
}

// killedVariable names the directory of the shop of a process that is killed.
const killedVariable = "SHOPAPI_TEST_KILLED_JOB"

// E7: a job whose process was killed by SIGKILL in a transaction goes on where it was, once the
// process has said nothing for 30 seconds.
func TestE7_JobsGoOnAfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledJob$")
	cmd.Env = append(os.Environ(), killedVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // it may be gone
	var key, id string
	lines := bufio.NewScanner(out)
	for said := false; !said && lines.Scan(); {
		_, err := fmt.Sscanf(lines.Text(), "stops: key %s job %s", &key, &id)
		said = err == nil
	}
	if id == "" {
		t.Fatalf("the process did not come to the row: %v", lines.Err())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	goesOn(t, openFile(t, dir), dir, key, id, 40*time.Second)
}

// E7: a job stays with a process that lives, also if minutes pass before its first transaction.
func TestE7_JobsStayWithTheirProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, st := t.TempDir(), memory.New()
		byID := users.NewUserByID(st)
		asked := [2]int{} // for the user of the job, by process
		open := func(process int, key string) *jobShop {
			return openJobs(t, st, dir, key, shopapi.Options{UserByID: func(ctx context.Context, id int64) (*shopapi.User, error) {
				if asked[process]++; id > 0 && process == 0 && asked[process] == 2 { // OpenJobs asked for 0
					time.Sleep(3 * time.Minute)
				}
				return byID(ctx, id)
			}})
		}
		first := open(0, "")
		id := first.post("import=taxes", "text/csv", "tax\nVAT\n")
		synctest.Wait()
		second := open(1, first.key)
		if err := second.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if job := second.ended(id); job.Created != 1 || job.Status != files.Completed {
			t.Errorf("the job did %+v", job)
		}
		if want := [2]int{3, 1}; asked != want { // OpenJobs asks, and the job twice
			t.Errorf("the processes asked %d times for users, want %d: another worker took the job", asked, want)
		}
	})
}

// TestKilledJob is the process that TestE7_JobsGoOnAfterKill kills.
func TestKilledJob(t *testing.T) {
	dir := os.Getenv(killedVariable)
	if dir == "" {
		return // not started to be killed
	}
	st := openFile(t, dir)
	s := openJobs(t, st, dir, "", shopapi.Options{})
	posted := make(chan string, 1)
	posted <- s.postCups("text/csv", func(context.Context) {
		fmt.Printf("stops: key %s job %s\n", s.key, <-posted)
		select {} // until the process is killed
	})
	select {}
}
