package main

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// inSchema returns the DSN of the episode's schema on a server.
func (e *episode) inSchema(dsn string) string {
	separator := "?"
	if strings.Contains(dsn, "?") {
		separator = "&"
	}
	return dsn + separator + "search_path=" + e.schema()
}

// replicas are the DSNs of the episode's schema on the standbys.
func (e *episode) replicas() (list []string) {
	for _, dsn := range e.standbys {
		list = append(list, e.inSchema(dsn))
	}
	return list
}

// replicaViews is how many Views of the shop with caches read on replicas.
func (e *episode) replicaViews() (n int64) {
	if e.replicated != nil {
		for _, r := range e.replicated.Replicas() {
			n += r.Views
		}
	}
	return n
}

// disturbReplica pauses the replay of a standby, resumes it, delays it, or ends its
// sessions. Episodes that run at once share the standbys.
func (e *episode) disturbReplica(ctx context.Context) error {
	const (
		resume = "SELECT pg_wal_replay_resume()"
		end    = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'shopdiff'"
		delay  = "ALTER SYSTEM SET recovery_min_apply_delay = "
	)
	dsn := pick(e, e.standbys...) + "&application_name=shopdiff"
	sql := pick(e, "SELECT pg_wal_replay_pause()", resume, resume, end, end, delay+"'20ms'", delay+"'2s'", delay+"0", delay+"0")
	err := execute(ctx, dsn, sql, "SELECT pg_reload_conf()")
	for isRecoveryConflict(err) {
		err = execute(ctx, dsn, sql, "SELECT pg_reload_conf()")
	}
	return err
}

// execute executes statements in a session of their own.
func execute(ctx context.Context, dsn string, statements ...string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // a standby may have closed it
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// isRecoveryConflict reports whether a standby cancelled a statement, or ended the session,
// because it applies what other episodes changed meanwhile.
func isRecoveryConflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "40001"
}
