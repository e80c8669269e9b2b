package postgres

import "context"

// Waiting returns the number of transactions that wait for a connection.
func (s *Store) Waiting() int { return s.slots.Waiting() }

// FoldVersions folds the rows of the versions now.
func (s *Store) FoldVersions() { s.asker.folds.fold(&s.asker) }

// AskNow asks for the versions without the questions that others share.
func (s *Store) AskNow(ctx context.Context) error {
	_, _, err := s.asker.try(ctx)
	return err
}

// MaxAlone is how many Updates run at the same time before others wait for a group.
const MaxAlone = maxAlone

// MostTogether is how many members the next group has at most.
func (s *Store) MostTogether() int {
	s.grouping.mu.Lock()
	defer s.grouping.mu.Unlock()
	return s.grouping.limit
}

// WaitingTogether is how many Updates wait for a group.
func (s *Store) WaitingTogether() int {
	s.grouping.mu.Lock()
	defer s.grouping.mu.Unlock()
	return len(s.grouping.waiting)
}
