package store

// Update runs f as the only writer and commits its writes. If f fails, Update discards them all.
func (s *Store) Update(f func(*Txn) error) (Timestamp, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx := s.begin()
	if err := f(tx); err != nil {
		return 0, err
	}
	return s.commit(tx), nil
}

// commit publishes the transaction's state. The caller holds s.mu.
func (s *Store) commit(tx *Txn) Timestamp {
	if len(tx.entries) == 0 {
		return tx.snap.time
	}
	for _, e := range tx.entries {
		s.written += e.size()
		if e.Op == Delete {
			s.freed += int64(len(e.Before))
		}
		if e.Op != Noop {
			tx.snap.writes = tx.base.writes + 1
		}
	}
	s.freed += tx.dropped
	snap := tx.snap
	snap.provided = s.provided
	s.publish(&snap)
	if !tx.Unlogged {
		s.oplog.append(tx.entries)
	}
	for _, done := range tx.committed {
		done()
	}
	return snap.time
}

// Noop writes an oplog entry without effect, to advance the time.
func (s *Store) Noop(message string) Timestamp {
	ts, _ := s.Update(func(tx *Txn) error {
		tx.note(message)
		return nil
	})
	return ts
}
