package postgres

// Waiting returns the number of transactions that wait for a connection.
func (s *Store) Waiting() int { return s.slots.Waiting() }
