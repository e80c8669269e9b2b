package shop

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi/extensions/access"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/languages"
)

// registerExtensions adds the addresses beside entities that the options switch on.
func (s *Shop) registerExtensions(ctx context.Context, o *Options) error {
	if o.Webhooks.On {
		var err error
		if s.Webhooks, err = webhooks.Register(ctx, s.API, s.Store, s.Changes, o.Webhooks); err != nil {
			return err
		}
		if s.Users != nil {
			s.Users.OnKeyEnd(s.Webhooks.KeyEnded)
		}
	}
	if o.Access.On {
		if o.Access.Document != nil {
			if err := o.Access.Document(s.API); err != nil {
				return err
			}
		}
		if err := access.Register(s.API, s.languageCodes); err != nil {
			return err
		}
	}
	if o.Keys.On {
		if s.Users == nil {
			return errors.New("Options.Keys needs the entity users")
		}
		if err := s.Users.RegisterKeys(); err != nil {
			return err
		}
	}
	if o.Jobs.Dir != "" {
		jobs, err := files.OpenJobs(ctx, s.API, s.Store, o.Jobs)
		if err != nil {
			return err
		}
		if s.Jobs = jobs; s.Users != nil {
			s.Users.OnKeyEnd(jobs.KeyEnded)
		}
	}
	if o.StoreUpload != nil {
		if err := images.RegisterUploads(ctx, s.API, s.Store); err != nil {
			return err
		}
	}
	if o.Reports.On {
		if s.Orders == nil {
			return errors.New("Options.Reports needs the entity orders")
		}
		if err := s.Orders.RegisterReports(); err != nil {
			return err
		}
	}
	return nil
}

// languageCodes returns the codes of the shop's languages.
func (s *Shop) languageCodes(ctx context.Context) ([]string, error) {
	codes := []string{}
	if s.Languages == nil {
		return codes, nil
	}
	list, _, err := s.Languages.Find(ctx, languages.Filter{})
	for i := range list {
		codes = append(codes, list[i].LangCode)
	}
	return codes, err
}
