package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// importedRows are the rows of an import: products, each of which has the number of the
// import as its price and amount. They take several transactions.
const importedRows = 1200

// Imports are jobs, one after the other, each of which creates or changes the same products.
// An acknowledged job ends with each row done once, whatever is killed meanwhile.
type imports struct {
	category int64
	number   int   // of the last job that was sent
	job      int64 // that has not ended, 0 for none
	last     int64 // the newest known id
	done     int   // the number of the newest known one
	unknown  bool  // the last one had no response
	ended    int
}

// codePrefix begins the product codes of imported products.
const codePrefix = "fault-import-"

// body is the file of the job.
func (i *imports) body() string {
	var b strings.Builder
	for row := range importedRows {
		fmt.Fprintf(&b, `{"product_code": "%s%d", "product": "imported", "price": "%s", "amount": %d, "category_ids": [%d]}`+"\n",
			codePrefix, row, priceOf(i.number), i.number, i.category)
	}
	return b.String()
}

// begin sends a job, unless one has not ended.
func (i *imports) begin(ctx context.Context, c *client) error {
	if i.job != 0 || i.unknown {
		return nil
	}
	i.number++
	r, err := c.do(ctx, request{method: "POST", path: "jobs?import=products&match=product_code&missing=create",
		body: i.body(), header: [2]string{"Content-Type", "application/x-ndjson"}})
	if err != nil || r.status == http.StatusServiceUnavailable {
		i.unknown = true
		return nil
	}
	if r.status != http.StatusAccepted {
		return r.unexpected("POST jobs")
	}
	i.job, err = createdID(r)
	i.last, i.done = i.job, i.number
	return err
}

// A job has the fields that are checked.
type job struct {
	Status                                    string
	Message                                   string
	Rows, Created, Updated, Unchanged, Failed int
}

// look reads how far the job is. It returns the problems of an ended job.
func (i *imports) look(ctx context.Context, c *client) (problems []string, err error) {
	id := i.pending()
	if id == 0 {
		return nil, nil
	}
	path := "jobs/" + strconv.FormatInt(id, 10)
	r, err := c.do(ctx, request{method: "GET", path: path})
	switch {
	case err != nil:
		return nil, err
	case r.status == http.StatusNotFound && i.unknown:
		i.unknown = false
		return nil, nil
	case r.status == http.StatusNotFound:
		return []string{"lost: " + path}, nil
	case r.status != http.StatusOK:
		return nil, r.unexpected("GET " + path)
	}
	i.job, i.last, i.done, i.unknown = id, id, i.number, false
	var j job
	if err := json.Unmarshal(r.body, &j); err != nil {
		return nil, err
	}
	if !j.ended() {
		return nil, nil
	}
	i.job = 0
	i.ended++
	return j.problems(path, i.ended == 1), nil
}

// pending returns the id of the job that has not ended, 0 for none. A job whose request had no
// response has the next id, if it exists.
func (i *imports) pending() int64 {
	if i.unknown {
		return i.last + 1
	}
	return i.job
}

// ended reports whether the job changes nothing any more.
func (j job) ended() bool { return j.Status != "waiting" && j.Status != "running" }

// running reports whether a job may change products at the moment.
func (i *imports) running(ctx context.Context, c *client) bool {
	id := i.pending()
	if id == 0 {
		return false
	}
	r, err := c.do(ctx, request{method: "GET", path: "jobs/" + strconv.FormatInt(id, 10)})
	var j job
	if err != nil || r.status != http.StatusOK || json.Unmarshal(r.body, &j) != nil {
		return false
	}
	return !j.ended()
}

// problems describes the mistakes of an ended job. The first one creates the
// products; each row of a later one changes its product once.
func (j job) problems(path string, first bool) []string {
	done := j.Updated
	if first {
		done = j.Created
	}
	if j.Status == "completed" && j.Rows == importedRows && done == importedRows && j.Created+j.Updated+j.Unchanged+j.Failed == importedRows {
		return nil
	}
	return []string{fmt.Sprintf("%s ended as %+v, want %d rows, each done once", path, j, importedRows)}
}

// addImported checks the imported products, which are there once, and whole. With a number
// all have it.
func (s *snapshot) addImported(catalogue []product, number int) {
	times := map[string]int{}
	for _, p := range catalogue {
		if !strings.HasPrefix(p.Code, codePrefix) {
			continue
		}
		times[p.Code]++
		if p.Price != priceOf(p.Amount) {
			s.broken = append(s.broken, fmt.Sprintf("half written: products/%d, imported, has the price %s and %d pieces", p.ID, p.Price, p.Amount))
		}
		if number != 0 && p.Amount != number {
			s.broken = append(s.broken, fmt.Sprintf("products/%d is of import %d, want %d", p.ID, p.Amount, number))
		}
	}
	for code, n := range times {
		if n > 1 {
			s.broken = append(s.broken, fmt.Sprintf("%d products have the code %s", n, code))
		}
	}
	if number != 0 && len(times) != importedRows {
		s.broken = append(s.broken, fmt.Sprintf("%d products were imported, want %d", len(times), importedRows))
	}
}
