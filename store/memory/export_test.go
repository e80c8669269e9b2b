package memory

// Waiting returns the number of Updates that wait for their turn.
func (s *Store) Waiting() int { return s.writer.Waiting() }
