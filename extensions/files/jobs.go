package files

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// JobOptions configure imports over HTTP (E7).
type JobOptions struct {
	// Dir is the directory of the files of jobs that have not ended. Processes that share it
	// and the database go on with each other's jobs. "" switches jobs off.
	Dir string
}

// The limits of jobs.
const (
	maxJobsOfUser = 2 // that have not ended
	maxJobs       = 16
	maxJobBytes   = 8 << 30 // of their files
	maxProblems   = 10_000  // of a job that are stored
	keepJobs      = 7 * 24 * time.Hour
)

// Jobs are the imports that POST /jobs starts.
type Jobs struct {
	api    *shopapi.API
	st     store.Store
	dir    string
	logger *slog.Logger
	wake   chan struct{}
	pruned atomic.Int64 // when old jobs were removed, in seconds since 1970

	receiving receiving
}

// workers is how many jobs of a process run side by side.
const workers = 2

// OpenJobs creates the tables of jobs in st and adds the address jobs to the API. Jobs run
// from [shopapi.API.Start] until Shutdown, and go on where they were. They act for the users
// that started them, and need [shopapi.Options.UserByID].
func OpenJobs(ctx context.Context, api *shopapi.API, st store.Store, o JobOptions) (*Jobs, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("files: JobOptions.Dir: %w", err)
	}
	if _, err := api.UserByID(ctx, 0); errors.Is(err, shopapi.ErrNoUserByID) {
		return nil, err
	}
	if err := st.Migrate(ctx, JobSchemas()...); err != nil {
		return nil, err
	}
	j := &Jobs{api: api, st: st, dir: o.Dir, logger: api.Logger(), wake: make(chan struct{}, 1)}
	for range workers {
		api.Background(j.work)
	}
	api.OnErase(j.erase)
	return j, j.register()
}

// awaken has a worker look for jobs.
func (j *Jobs) awaken() {
	select {
	case j.wake <- struct{}{}:
	default: // one will look
	}
}

// fileEnding is how the names of the files of jobs end.
const fileEnding = ".import"

func (j *Jobs) path(file string) string { return filepath.Join(j.dir, filepath.Base(file)) }

// removeFile removes the file of a job. If that fails, [Jobs.prune] removes the file later.
func (j *Jobs) removeFile(file string) { _ = os.Remove(j.path(file)) }

// prune removes jobs that ended long ago, and files that belong to no job: of a process that
// died while it took one. It does so once an hour.
func (j *Jobs) prune(ctx context.Context) error {
	now := j.api.Now(ctx)
	last := j.pruned.Load()
	if now.Unix()-last < 3600 || !j.pruned.CompareAndSwap(last, now.Unix()) {
		return nil
	}
	named := map[string]bool{}
	err := j.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		clear(named)
		old, err := jobRows.Select(tx, store.Query{Where: []store.Cond{
			store.AtLeast("ended_at", store.Int(1)), store.AtMost("ended_at", store.Int(now.Add(-keepJobs).Unix())),
		}})
		if err != nil {
			return err
		}
		for i := range old {
			if _, err := problemRows.Delete(tx, store.Equal("job_id", store.Int(old[i].JobID))); err != nil {
				return err
			}
			if err := jobRows.DeleteKey(tx, old[i].JobID); err != nil {
				return err
			}
		}
		open, err := unfinished(tx)
		for i := range open {
			named[open[i].File] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(j.dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasSuffix(e.Name(), fileEnding) && !named[e.Name()] && time.Since(info.ModTime()) > time.Hour {
			j.removeFile(e.Name())
		}
	}
	return err
}
