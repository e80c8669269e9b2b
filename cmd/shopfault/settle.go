package main

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/shopapi/shopapi/store/sqlite"
)

// endLeases ends the leases of a killed process on jobs and webhooks, so that the next one need
// not wait for a minute.
func (c *campaign) endLeases(ctx context.Context) error {
	st, err := sqlite.Open(ctx, c.db, nil)
	if err != nil {
		return err
	}
	for _, sql := range []string{`UPDATE "import_jobs" SET "lease_until" = 0`, `UPDATE "webhook_lease" SET "until" = 0`} {
		_, errOfOne := st.DB().ExecContext(ctx, sql)
		err = errors.Join(err, errOfOne)
	}
	return errors.Join(err, st.Close())
}

// patience is how long the shop may take for its work in the background, once nothing is
// killed.
const patience = 2 * time.Minute

// settle kills the example once more, and waits until its jobs have ended and all messages of
// webhooks have come.
func (c *campaign) settle(ctx context.Context) error {
	c.kill()
	if err := c.endLeases(ctx); err != nil {
		return err
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	owed := promise{}
	for _, w := range c.workers {
		maps.Copy(owed, w.promised)
	}
	for until := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		found, err := c.imports.look(ctx, c.root)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return finding(found)
		}
		missing := c.receiver.missing(owed)
		if len(missing) == 0 && c.imports.job == 0 && !c.imports.unknown {
			break
		}
		if time.Now().After(until) {
			if c.imports.job != 0 {
				missing = append(missing, "the last job does not end")
			}
			return finding(missing)
		}
	}
	shop, err := c.read(ctx)
	if err != nil {
		return err
	}
	if c.imports.done > 0 {
		shop.addImported(shop.catalogue, c.imports.done)
	}
	if len(shop.broken) > 0 {
		return finding(shop.broken)
	}
	return nil
}
