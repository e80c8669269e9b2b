package peer

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/bench/internal/data"
)

// writeStatements are the statements of a create and an update.
type writeStatements struct{ product, thread, insert, update *sql.Stmt }

func prepareWrites(ctx context.Context, db *sql.DB) (*writeStatements, error) {
	s := &writeStatements{}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&s.product, "SELECT company_id FROM products WHERE product_id = ?"},
		{&s.thread, "SELECT thread_id, type FROM discussion_threads WHERE object_type = ? AND object_id = ?"},
		{&s.insert, `INSERT INTO discussions (thread_id, name, timestamp, user_id, ip_address, status, message, rating_value,
			object_id, object_type, type, company_id, updated_at, name_fold, message_fold) VALUES (?, ?, ?, 1, ?, 'A', ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&s.update, "UPDATE discussions SET message = ?, message_fold = ?, updated_at = ? WHERE post_id = ?"},
	} {
		var err error
		if *p.stmt, err = db.PrepareContext(ctx, p.text); err != nil {
			return nil, err
		}
	}
	return s, nil
}

type writtenJSON struct {
	PostID int64 `json:"post_id,string"`
}

// createReview checks that the product exists, as the library does, and adds the review
// to its thread.
func (h *handWritten) createReview(s *writeStatements) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var v reviewJSON
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&v); err != nil || v.ObjectType != "P" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		err := h.writer.write(r.Context(), func(tx *sql.Tx) error {
			ctx := r.Context()
			if err := tx.StmtContext(ctx, s.product).QueryRowContext(ctx, v.ObjectID).Scan(&v.CompanyID); err != nil {
				return err
			}
			if err := tx.StmtContext(ctx, s.thread).QueryRowContext(ctx, v.ObjectType, v.ObjectID).Scan(&v.ThreadID, &v.Type); err != nil {
				return err
			}
			result, err := tx.StmtContext(ctx, s.insert).ExecContext(ctx, v.ThreadID, v.Name, time.Now().Unix(), "127.0.0.1", v.Message,
				v.Rating, v.ObjectID, v.ObjectType, v.Type, data.Company, time.Now().Unix(), strings.ToLower(v.Name), strings.ToLower(v.Message))
			if err != nil {
				return err
			}
			v.PostID, err = result.LastInsertId()
			return err
		})
		reply(w, http.StatusCreated, writtenJSON{v.PostID}, err)
	}
}

func (h *handWritten) updateReview(s *writeStatements) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var v struct {
			Message string `json:"message"`
		}
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil || json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&v) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		err = h.writer.write(r.Context(), func(tx *sql.Tx) error {
			result, err := tx.StmtContext(r.Context(), s.update).ExecContext(r.Context(), v.Message, strings.ToLower(v.Message), time.Now().Unix(), id)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil || n == 0 {
				return errors.Join(err, sql.ErrNoRows)
			}
			return nil
		})
		reply(w, http.StatusOK, writtenJSON{id}, err)
	}
}

// A single commits each change by itself.
type single struct{ db *sql.DB }

func (s single) write(ctx context.Context, change func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := change(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (single) close() error { return nil }

// A grouped commits waiting changes together. Each change is one writing statement,
// which the engine rolls back by itself on failure, so that none needs a savepoint.
type grouped struct {
	db    *sql.DB
	jobs  chan job
	ended chan struct{}
}

type job struct {
	change func(*sql.Tx) error
	done   chan error
}

// maxGroup is the maximum number of changes in one commit.
const maxGroup = 256

func newGrouped(db *sql.DB) *grouped {
	g := &grouped{db, make(chan job, maxGroup), make(chan struct{})}
	go g.run()
	return g
}

func (g *grouped) write(ctx context.Context, change func(*sql.Tx) error) error {
	j := job{change, make(chan error, 1)}
	select {
	case g.jobs <- j:
		return <-j.done
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *grouped) run() {
	defer close(g.ended)
	group := make([]job, 0, maxGroup)
	for first := range g.jobs {
		group = append(group[:0], first)
		g.commit(group)
	}
}

// commit runs the first change, then the changes that arrived meanwhile.
func (g *grouped) commit(group []job) {
	tx, err := g.db.Begin()
	if err != nil {
		group[0].done <- err
		return
	}
	failed := make([]error, 0, maxGroup)
	for i := 0; i < len(group); i++ {
		failed = append(failed, group[i].change(tx))
		if len(group) < maxGroup {
			select {
			case j, ok := <-g.jobs:
				if ok {
					group = append(group, j)
				}
			default:
			}
		}
	}
	err = tx.Commit()
	for i, j := range group {
		j.done <- errors.Join(failed[i], err)
	}
}

func (g *grouped) close() error {
	close(g.jobs)
	<-g.ended
	return nil
}
