package store

// turn is a mutex. A writer may sleep, in the JavaScript of $where, and in a bubble of testing/synctest time passes only
// while all others are blocked on channels or the like: a sync.Mutex would stop the clock, and the writer would never wake.
type turn chan struct{}

func (t turn) Lock() { t <- struct{}{} }

func (t turn) Unlock() { <-t }
