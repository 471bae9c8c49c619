package store

// turn is a mutex made of a channel. A writer may sleep, in the JavaScript of $where. In a testing/synctest bubble time
// passes only while all other goroutines block on channels or the like. Waiters on a sync.Mutex would stop the clock, and
// the writer would never wake.
type turn chan struct{}

func (t turn) Lock() { t <- struct{}{} }

func (t turn) Unlock() { <-t }
