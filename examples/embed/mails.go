package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/store"
)

// A mail waits in the shop's queue until it is sent. A product has one at most.
type mail struct {
	MailID    int64  `json:"mail_id" store:"key"`
	ProductID int64  `json:"product_id" store:"index"`
	Subject   string `json:"subject"`
}

// A mailCursor is the position of the change log up to which mails are queued: one row.
type mailCursor struct {
	ID       int64  `json:"id" store:"key"`
	Position string `json:"position"`
}

var (
	mails       = store.MustTable[mail]("mails")
	mailCursors = store.MustTable[mailCursor]("mail_cursors")
)

// openMails creates the tables of the queue. Mails are about what happens from then on.
func (s *shop) openMails(ctx context.Context) error {
	if err := s.st.Migrate(ctx, mails.Schema(), mailCursors.Schema()); err != nil {
		return err
	}
	return s.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if exists, err := mailCursors.Exists(tx, 1); exists || err != nil {
			return err
		}
		position, err := s.log.Position(ctx)
		if err != nil {
			return err
		}
		return mailCursors.Insert(tx, &mailCursor{ID: 1, Position: position})
	})
}

// queueMails queues a mail for each product that is sold out, until ctx ends.
func (s *shop) queueMails(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.followProducts(ctx); err != nil && ctx.Err() == nil {
			s.logger.ErrorContext(ctx, "mails are not queued", "error", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// followProducts follows the change log from where the queue stopped.
func (s *shop) followProducts(ctx context.Context) error {
	var cursor mailCursor
	err := s.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		cursor, err = mailCursors.Get(tx, 1)
		return err
	})
	if err != nil {
		return err
	}
	filter := changes.Filter{Entities: []string{"products"}}
	for c, err := range s.log.Follow(ctx, cursor.Position, filter) {
		var gone *changes.GoneError
		if errors.As(err, &gone) { // the queue was off for longer than the log keeps changes
			s.logger.WarnContext(ctx, "some mails are missing")
			c, err = changes.Change{Seq: gone.LastSeq}, nil
		}
		if err == nil {
			err = s.queueMail(ctx, c)
		}
		if err != nil || gone != nil {
			return err
		}
	}
	return nil
}

// queueMail adds the mail about a change and stores its position in one transaction: a crash
// neither loses a mail nor queues it twice.
func (s *shop) queueMail(ctx context.Context, c changes.Change) error {
	return s.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if err := s.addMail(ctx, tx, c); err != nil {
			return err
		}
		return mailCursors.Update(tx, &mailCursor{ID: 1, Position: c.Seq})
	})
}

// addMail adds the mail about a change that left a product without stock. What the product is
// now decides, since several changes may have passed.
func (s *shop) addMail(ctx context.Context, tx store.Tx, c changes.Change) error {
	if !slices.Contains(c.Fields, "amount") {
		return nil
	}
	id, err := strconv.ParseInt(c.ID, 10, 64)
	if err != nil {
		return err
	}
	p, err := s.products.Get(ctx, id)
	if errors.Is(err, shopapi.ErrNotFound) { // deleted since then
		return nil
	}
	if err != nil || p.Amount > 0 {
		return err
	}
	waiting, err := mails.Count(tx, store.Equal("product_id", store.Int(id)))
	if err != nil || waiting > 0 {
		return err
	}
	return mails.Insert(tx, &mail{ProductID: id, Subject: fmt.Sprintf("%s is sold out", p.Name)})
}
