package files

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/store"
)

// register adds the addresses of jobs to the API.
func (j *Jobs) register() error {
	parameters := map[string]string{
		"import":      "The entity whose objects are created and changed, such as products.",
		"match":       "The field whose value names the object of a row: the id (the default), product_code of products and combinations, email of users, or name of settings and langvars. A row without an id creates an object.",
		"missing":     "What happens to a row whose value no object has: fail (the default), skip or create.",
		"dry_run":     "Y: the rows are checked, and nothing is changed.",
		"empty":       "clear: an empty cell clears its field, if that is a text, a list or may be null. Otherwise it counts as not sent.",
		"spreadsheet": "Y: the apostrophes that an export with spreadsheet=Y has put before texts are taken off.",
	}
	return errors.Join(
		j.api.RegisterEndpoint(shopapi.Endpoint{Address: "jobs", Methods: map[string]shopapi.Method{http.MethodPost: {
			Serve: j.create, RawBody: true, BodyTypes: []string{"text/csv", "application/x-ndjson"}, Unlimited: true, MaxBody: j.api.Limits().Import + 1,
			Summary:    "Import a file, which is the body: text/csv or application/x-ndjson, with gzip as Content-Encoding or without. The status of success is 202.",
			Parameters: parameters, Answer: reflect.TypeFor[started](), Success: http.StatusAccepted,
		}}}),
		j.api.RegisterEndpoint(shopapi.Endpoint{Address: "jobs/{id}", Methods: map[string]shopapi.Method{
			http.MethodGet:    {Serve: j.get, Summary: "How far an import is", Answer: reflect.TypeFor[Job]()},
			http.MethodDelete: {Serve: j.cancel, Summary: "Cancel an import. What it did stays.", Success: http.StatusNoContent},
		}}),
		j.api.RegisterEndpoint(shopapi.Endpoint{Address: "jobs/{id}/errors", Methods: map[string]shopapi.Method{http.MethodGet: {
			Serve: j.problems, Summary: "The problems of rows that an import left out, to 10,000", Answer: reflect.TypeFor[problemList](),
		}}}),
	)
}

// A started is the answer to POST.
type started struct {
	JobID string `json:"job_id"`
}

// A problemList is the answer to GET of errors.
type problemList struct {
	Errors []RowProblem `json:"errors"`
}

// parse reads the parameters and headers of POST.
func (j *Jobs) parse(r *shopapi.EndpointRequest) (*jobRow, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "text/csv" && media != "application/x-ndjson" {
		return nil, shopapi.Errorf(http.StatusUnsupportedMediaType, "The Content-Type must be text/csv or application/x-ndjson.")
	}
	if err := body.CheckCharset(params); err != nil {
		return nil, shopapi.Errorf(http.StatusUnsupportedMediaType, "%s", err)
	}
	coding := strings.ToLower(strings.Join(r.Header["Content-Encoding"], ", "))
	if coding != "" && coding != "gzip" && coding != "identity" {
		return nil, shopapi.Errorf(http.StatusUnsupportedMediaType, "The Content-Encoding must be gzip, or none.")
	}
	var asked struct {
		Entity      string       `json:"import"`
		Match       string       `json:"match"`
		Missing     string       `json:"missing"`
		DryRun      shopapi.Flag `json:"dry_run"`
		Empty       string       `json:"empty"`
		Spreadsheet shopapi.Flag `json:"spreadsheet"`
	}
	var problems shopapi.Problems
	problems.Merge(r.BindFilter(&asked))
	problems.Required("import", asked.Entity, "the entity whose objects are imported, such as products")
	if asked.Empty != "" {
		problems.OneOf("empty", asked.Empty, "clear")
	}
	return &jobRow{
		Status: Waiting, UserID: r.UserID(), KeyID: r.User.KeyID, Entity: asked.Entity, Match: asked.Match, Missing: asked.Missing,
		CSV: media == "text/csv", Gzip: coding == "gzip",
		DryRun: bool(asked.DryRun), EmptyClears: asked.Empty == "clear", Spreadsheet: bool(asked.Spreadsheet),
	}, problems.Err()
}

// create answers POST.
func (j *Jobs) create(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	job, err := j.parse(r)
	if err != nil {
		return nil, err
	}
	m, err := bulk.NewImport(ctx, j.api, bulk.ImportOptions{Entity: job.Entity, Match: job.Match, Missing: job.Missing})
	if err != nil {
		return nil, err
	}
	if m.Store() != j.st {
		return nil, shopapi.Invalid("import", "must be an entity of the shop's own store, not %s", job.Entity)
	}
	if err := j.st.View(ctx, func(_ context.Context, tx store.Tx) error { return hasRoom(tx, job) }); err != nil {
		return nil, err
	}
	if !j.receiving.begin(job.UserID) {
		return nil, shopapi.Errorf(http.StatusTooManyRequests, "%d of your files are on their way, and no more are taken. Wait for one.", maxJobsOfUser)
	}
	defer j.receiving.end(job.UserID)
	if job.File, job.Bytes, err = j.spool(ctx, r.Body, job.Gzip); err != nil {
		return nil, err
	}
	// The file may have taken long: the key may be revoked by now.
	if _, err := r.Identify(ctx); err != nil {
		j.removeFile(job.File)
		return nil, err
	}
	job.Language, job.CreatedAt = shopapi.LanguageFrom(ctx), j.api.Now(ctx).Unix()
	err = j.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		if err := hasRoom(tx, job); err != nil {
			return err
		}
		job.JobID = 0
		return jobRows.Insert(tx, job)
	})
	if err != nil {
		if !errors.Is(err, store.ErrOutcomeUnknown) {
			j.removeFile(job.File)
		}
		return nil, err
	}
	j.awaken()
	id := shopapi.FormatID(job.JobID)
	return &shopapi.Response{
		Status: http.StatusAccepted, Header: http.Header{"Location": {r.Below(id)}}, Body: started{id},
	}, nil
}

// hasRoom returns a 429 where too many jobs have not ended.
func hasRoom(tx store.Tx, job *jobRow) error {
	list, err := unfinished(tx)
	if err != nil {
		return err
	}
	own, bytes := 0, job.Bytes
	for i := range list {
		bytes += list[i].Bytes
		if list[i].UserID == job.UserID {
			own++
		}
	}
	switch {
	case own >= maxJobsOfUser:
		return shopapi.Errorf(http.StatusTooManyRequests, "%d of your jobs have not ended, and no more are taken. Wait for one, or cancel it.", own)
	case len(list) >= maxJobs || bytes > maxJobBytes:
		return shopapi.Errorf(http.StatusTooManyRequests, "Too many jobs have not ended. Try again later.")
	}
	return nil
}

// find returns a job of the user, or a 404.
func (j *Jobs) find(tx store.Tx, r *shopapi.EndpointRequest) (jobRow, error) {
	id, err := shopapi.ParseID("job", r.Segments[0])
	if err != nil {
		return jobRow{}, err
	}
	job, err := jobRows.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && job.UserID != r.User.ID && (!r.User.Root || r.User.IsConfined()) {
		err = shopapi.NotFound("job", r.Segments[0])
	}
	return job, err
}

// get answers GET of a job.
func (j *Jobs) get(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	var job jobRow
	err := j.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		job, err = j.find(tx, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &shopapi.Response{Body: job.job(j.api.Now(ctx).Unix())}, nil
}

// problems answers GET of the errors of a job.
func (j *Jobs) problems(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	list := problemList{Errors: []RowProblem{}}
	err := j.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		job, err := j.find(tx, r)
		if err != nil {
			return err
		}
		rows, err := problemRows.Select(tx, store.Query{
			Where: []store.Cond{store.Equal("job_id", store.Int(job.JobID))}, Order: []store.Order{store.Asc("problem_id")},
		})
		for i := range rows {
			list.Errors = append(list.Errors, RowProblem{rows[i].Line, rows[i].Field, rows[i].Message})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &shopapi.Response{Body: list}, nil
}

// cancel answers DELETE of a job.
func (j *Jobs) cancel(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	var job jobRow
	err := j.st.Update(ctx, func(ctx context.Context, tx store.Tx) (err error) {
		if job, err = j.find(tx, r); err != nil {
			return err
		}
		if job.hasEnded() {
			return shopapi.Errorf(http.StatusBadRequest, "The job has ended: it is %s.", job.Status)
		}
		job.end(j.api.Now(ctx).Unix(), Cancelled, "")
		return jobRows.Update(tx, &job)
	})
	if err != nil {
		return nil, err
	}
	j.removeFile(job.File)
	return &shopapi.Response{Status: http.StatusNoContent}, nil
}
