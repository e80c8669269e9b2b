package files

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// The states of a job.
const (
	Waiting   = "waiting"
	Running   = "running"
	Completed = "completed"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// A jobRow is a job as it is stored. The counts are committed with the rows that they count,
// so that they are the position in the file too.
type jobRow struct {
	JobID  int64  `json:"job_id" store:"key"`
	Status string `json:"status" store:"index"`

	UserID   int64  `json:"user_id"`
	KeyID    string `json:"key_id"` // that the job was started with
	Entity   string `json:"entity"`
	Match    string `json:"match_field"`
	Missing  string `json:"missing"`
	Language string `json:"lang_code"`

	CSV         bool `json:"is_csv"`
	Gzip        bool `json:"is_gzip"`
	DryRun      bool `json:"dry_run"`
	EmptyClears bool `json:"empty_clears"`
	Spreadsheet bool `json:"spreadsheet"`

	File  string `json:"file"`  // in the directory of jobs
	Bytes int64  `json:"bytes"` // of the file

	Message   string `json:"message"`
	Rows      int64  `json:"row_count"`
	Created   int64  `json:"created"`
	Updated   int64  `json:"updated"`
	Unchanged int64  `json:"unchanged"`
	Failed    int64  `json:"failed"`
	Problems  int64  `json:"problems"` // that are stored
	Unknown   string `json:"unknown_columns"`
	CreatedAt int64  `json:"created_at"`
	StartedAt int64  `json:"started_at"`
	EndedAt   int64  `json:"ended_at"`

	Worker     string `json:"worker"` // that carries it out, a random text for each claim
	LeaseUntil int64  `json:"lease_until"`
}

// A problemRow is a problem of a row of a job's file.
type problemRow struct {
	ID      int64  `json:"problem_id" store:"key"`
	JobID   int64  `json:"job_id" store:"index"`
	Line    int64  `json:"line"`
	Field   string `json:"field"`
	Message string `json:"message" store:"fold"`
}

var (
	jobRows     = store.MustTable[jobRow]("import_jobs")
	problemRows = store.MustTable[problemRow]("import_job_errors")
)

// JobSchemas returns the tables of jobs. A copy of a shop has none of its jobs, whose files
// stay where they are.
func JobSchemas() []*store.Schema {
	return []*store.Schema{jobRows.Schema(), problemRows.Schema()}
}

func (r *jobRow) hasEnded() bool { return r.Status != Waiting && r.Status != Running }

// A Job is an import that was started by POST /jobs, as GET answers.
type Job struct {
	JobID          string   `json:"job_id"`
	Entity         string   `json:"entity"`
	Status         string   `json:"status"`  // waiting, running, completed, failed or cancelled
	Message        string   `json:"message"` // why it failed
	Rows           int64    `json:"rows"`    // that are done
	Created        int64    `json:"created"`
	Updated        int64    `json:"updated"`
	Unchanged      int64    `json:"unchanged"`
	Failed         int64    `json:"failed"`          // rows that were left out: see errors
	Rate           int64    `json:"rate"`            // rows in a second
	UnknownColumns []string `json:"unknown_columns"` // that no field has
	CreatedAt      int64    `json:"created_at"`      // seconds since 1970, as the others; 0 before
	StartedAt      int64    `json:"started_at"`
	EndedAt        int64    `json:"ended_at"`
}

// job is the job at a time in seconds since 1970.
func (r *jobRow) job(now int64) Job {
	j := Job{
		JobID: shopapi.FormatID(r.JobID), Entity: r.Entity, Status: r.Status, Message: r.Message,
		Rows: r.Rows, Created: r.Created, Updated: r.Updated, Unchanged: r.Unchanged, Failed: r.Failed,
		UnknownColumns: r.unknown(), CreatedAt: r.CreatedAt, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
	}
	if r.StartedAt > 0 {
		end := now
		if r.EndedAt > 0 {
			end = r.EndedAt
		}
		j.Rate = r.Rows / max(1, end-r.StartedAt)
	}
	return j
}

// unknown returns the columns of the file that no field has.
func (r *jobRow) unknown() []string {
	names := []string{}
	if r.Unknown != "" {
		_ = json.Unmarshal([]byte(r.Unknown), &names) // was written by this package
	}
	return names
}

// noteUnknown adds columns to the ones that no field has. A process that goes on with a job has not
// seen the columns of the rows before.
func (r *jobRow) noteUnknown(names []string) error {
	all := r.unknown()
	for _, name := range names {
		if len(all) < maxUnknown && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	text, err := json.Marshal(all)
	r.Unknown = string(text)
	return err
}

// unfinished returns the jobs that have not ended, the oldest first.
func unfinished(tx store.Tx) ([]jobRow, error) {
	return jobRows.Select(tx, store.Query{
		Where: []store.Cond{store.In("status", store.String(Waiting), store.String(Running))},
		Order: []store.Order{store.Asc("job_id")},
	})
}

// change changes a job that has not ended, and reports whether it did so.
func (j *Jobs) change(ctx context.Context, id int64, do func(tx store.Tx, r *jobRow) (bool, error)) (changed bool, err error) {
	err = j.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		changed = false
		r, err := jobRows.Get(tx, id)
		if errors.Is(err, store.ErrNotFound) || err == nil && r.hasEnded() {
			return nil
		}
		if err != nil {
			return err
		}
		if changed, err = do(tx, &r); err != nil || !changed {
			return err
		}
		return jobRows.Update(tx, &r)
	})
	return changed, err
}

// KeyEnded gives the jobs that were started with a key that ends to the key that replaces it,
// and fails them where there is none: see users.OnKeyEnd.
func (j *Jobs) KeyEnded(ctx context.Context, tx store.Tx, keyID, by string) error {
	list, err := unfinished(tx)
	if err != nil {
		return err
	}
	for i := range list {
		r := &list[i]
		if r.KeyID != keyID || keyID == "" {
			continue
		}
		if r.KeyID = by; by == "" {
			r.end(j.api.Now(ctx).Unix(), Failed, "The API key that started the job was revoked.")
		}
		if err := jobRows.Update(tx, r); err != nil {
			return err
		}
	}
	return nil
}

// erasedMessage replaces a message that quotes the e-mail address of an erased person.
const erasedMessage = "is wrong; the message named a person whose data was erased"

// erase blanks the messages about rows that quote a person's e-mail address.
func (j *Jobs) erase(ctx context.Context, p shopapi.Person) error {
	if p.Email == "" {
		return nil
	}
	return j.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		const batch = 500
		return problemRows.Batches(tx, batch, []store.Cond{store.Contains("message", p.Email)}, func(rows []problemRow) error {
			for i := range rows {
				rows[i].Message = erasedMessage
				if err := problemRows.Update(tx, &rows[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (r *jobRow) end(now int64, status, message string) {
	r.Status, r.Message, r.EndedAt, r.Worker = status, message, now, ""
}
