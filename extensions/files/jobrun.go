package files

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/store"
)

const (
	pollEvery  = 5 * time.Second  // for jobs that another process took or left
	leaseTime  = 30 * time.Second // of a job; then another worker may claim it
	renewEvery = 5 * time.Second  // while no transaction renews the lease
)

// work carries out jobs, one after another, until ctx ends.
func (j *Jobs) work(ctx context.Context) {
	for ctx.Err() == nil {
		job, err := j.claim(ctx)
		if err == nil && job != nil {
			j.awaken() // the other worker
			err = j.run(ctx, job)
		}
		if err == nil && job != nil {
			continue
		}
		if err != nil && ctx.Err() == nil {
			j.logger.LogAttrs(ctx, slog.LevelWarn, "jobs wait: the database cannot be used", slog.String("error", err.Error()))
		}
		select {
		case <-j.wake:
		case <-time.After(pollEvery):
		case <-ctx.Done():
		}
	}
}

// claim takes the oldest job that is waiting, or that another worker left unfinished. It skips users
// with a running job: their jobs run one after another, so that jobs of other users run beside
// them. It returns nil without such a job, or if the file of each is in another directory.
func (j *Jobs) claim(ctx context.Context) (*jobRow, error) {
	if err := j.prune(ctx); err != nil {
		return nil, err
	}
	now := j.api.Now(ctx).Unix()
	isFree := func(r *jobRow) bool { return r.Status == Waiting || r.LeaseUntil < now }
	var list []jobRow
	err := j.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		list, err = unfinished(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	busy := map[int64]bool{} // users
	for i := range list {
		if !isFree(&list[i]) {
			busy[list[i].UserID] = true
		}
	}
	for i := range list {
		if _, err := os.Stat(j.path(list[i].File)); busy[list[i].UserID] || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var job jobRow
		taken, err := j.change(ctx, list[i].JobID, func(_ store.Tx, r *jobRow) (bool, error) {
			if !isFree(r) {
				busy[r.UserID] = true // another worker was first
				return false, nil
			}
			r.Status, r.Worker, r.LeaseUntil = Running, rand.Text(), now+int64(leaseTime.Seconds())
			r.StartedAt = cmp.Or(r.StartedAt, now)
			job = *r
			return true, nil
		})
		if err != nil || taken {
			return &job, err
		}
	}
	return nil, nil
}

// errStopped ends a job that was cancelled, or taken by another process.
var errStopped = errors.New("files: the job is no longer carried out here")

// run carries out a job to its end. The error is one of the database.
func (j *Jobs) run(ctx context.Context, job *jobRow) error {
	end := j.renewing(ctx, job)
	err := j.carry(ctx, job)
	end()
	status, message := Completed, ""
	var wrong *FileError
	var refused *shopapi.Error
	switch {
	case err == nil:
	case errors.Is(err, errStopped):
		return nil
	case ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrOutcomeUnknown):
		return j.release(context.WithoutCancel(ctx), job, err)
	case errors.As(err, &wrong):
		status, message = Failed, sentence(wrong.Error())
	case errors.Is(err, shopapi.ErrNotFound):
		status, message = Failed, "The user who started the job is gone, disabled or without access to the API."
	case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError:
		status, message = Failed, refused.Message
	default:
		j.logger.LogAttrs(ctx, slog.LevelError, "a job failed", slog.Int64("job", job.JobID), slog.String("error", err.Error()))
		status, message = Failed, "The import stopped: its next row could not be carried out. The log of the server has the reason."
	}
	return j.finish(ctx, job, status, message)
}

// renewing renews the lease of a job until end is called. Transactions renew it too, but the rows that
// were carried out before are skipped without one.
func (j *Jobs) renewing(ctx context.Context, job *jobRow) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			now := j.api.Now(ctx)
			_, _ = j.change(ctx, job.JobID, func(_ store.Tx, r *jobRow) (bool, error) { // the next tick tries again
				if until := now.Add(leaseTime - renewEvery).Unix(); r.Worker != job.Worker || r.LeaseUntil >= until {
					return false, nil
				}
				r.LeaseUntil = now.Add(leaseTime).Unix()
				return true, nil
			})
		}
	})
	return func() { cancel(); running.Wait() }
}

// sentence writes an error of a file as a message.
func sentence(text string) string { return string(text[0]-'a'+'A') + text[1:] + "." }

// finish ends a job that is carried out here.
func (j *Jobs) finish(ctx context.Context, job *jobRow, status, message string) error {
	_, err := j.change(context.WithoutCancel(ctx), job.JobID, func(_ store.Tx, r *jobRow) (bool, error) {
		if r.Worker != job.Worker {
			return false, nil
		}
		r.end(j.api.Now(ctx).Unix(), status, message)
		return true, nil
	})
	if err == nil {
		j.removeFile(job.File)
	}
	return err
}

// release lets another worker, or a later one, go on with a job.
func (j *Jobs) release(ctx context.Context, job *jobRow, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, pollEvery)
	defer cancel()
	_, err := j.change(ctx, job.JobID, func(_ store.Tx, r *jobRow) (bool, error) {
		if r.Worker != job.Worker {
			return false, nil
		}
		r.Status, r.Worker, r.LeaseUntil = Waiting, "", 0
		return true, nil
	})
	return cmp.Or(err, cause)
}

// carry imports the rest of the file of a job.
func (j *Jobs) carry(ctx context.Context, job *jobRow) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	f, err := os.Open(j.path(job.File))
	if err != nil {
		return err
	}
	defer f.Close()
	user, err := j.user(ctx, job)
	if err != nil {
		return err
	}
	ctx = shopapi.WithLanguage(shopapi.WithUser(ctx, user), job.Language)
	im := &importing{options: &ImportOptions{
		CSV: job.CSV, Gzip: job.Gzip, Match: job.Match, Missing: job.Missing, DryRun: job.DryRun,
		EmptyClears: job.EmptyClears, Spreadsheet: job.Spreadsheet,
	}}
	im.Import, err = bulk.NewImport(ctx, j.api, bulk.ImportOptions{
		Entity: job.Entity, Match: job.Match, Missing: job.Missing, DryRun: job.DryRun,
		User:   func(ctx context.Context) (*shopapi.User, error) { return j.user(ctx, job) },
		Record: func(ctx context.Context, r bulk.ImportResult) error { return j.record(ctx, job, im, r) },
	})
	if err != nil {
		return err
	}
	err = im.run(ctx, f, job.Rows)
	var wrong *FileError
	if err != nil && !errors.As(err, &wrong) || im.rows == nil || job.Rows+im.report.Rows > 0 {
		return err
	}
	// No row was carried out: store the unknown columns, which a failure at the first row lists too.
	return cmp.Or(j.record(ctx, job, im, bulk.ImportResult{}), err)
}

// user returns the user of a job, with the key that the job has now: what rows make with a key, such
// as webhooks, ends with it.
func (j *Jobs) user(ctx context.Context, job *jobRow) (*shopapi.User, error) {
	user, err := j.api.UserByID(ctx, job.UserID)
	if err != nil || user == nil {
		return user, err
	}
	var now jobRow
	err = j.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		now, err = jobRows.Get(tx, job.JobID)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errStopped
	case err != nil:
		return nil, err
	}
	with := *user
	with.KeyID = now.KeyID
	return &with, nil
}

// record stores what became of rows, in their transaction.
func (j *Jobs) record(ctx context.Context, job *jobRow, im *importing, result bulk.ImportResult) error {
	now := j.api.Now(ctx).Unix()
	goesOn, err := j.change(ctx, job.JobID, func(tx store.Tx, r *jobRow) (bool, error) {
		if r.Status != Running || r.Worker != job.Worker {
			return false, nil
		}
		r.Rows += int64(result.Rows)
		r.Created += int64(result.Created)
		r.Updated += int64(result.Updated)
		r.Unchanged += int64(result.Unchanged)
		r.Failed += int64(result.Failed)
		r.LeaseUntil = now + int64(leaseTime.Seconds())
		if err := r.noteUnknown(im.rows.unknown()); err != nil {
			return false, err
		}
		for _, p := range im.problems(result) {
			if r.Problems >= maxProblems {
				break
			}
			r.Problems++
			if err := problemRows.Insert(tx, &problemRow{JobID: r.JobID, Line: p.Line, Field: p.Field, Message: p.Message}); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err == nil && !goesOn {
		err = errStopped
	}
	return err
}
