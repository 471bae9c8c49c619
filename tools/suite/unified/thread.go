package unified

import "time"

// Thread is a thread entity: it takes one step after the other.
type Thread struct {
	run   *Run
	steps chan func()
	done  chan struct{}
	ended bool
}

// threadPatience is how long a thread may take to end. Unified Test Format, "waitForThread".
const threadPatience = 10 * time.Second

// Thread makes a thread entity.
func (r *Run) Thread() *Thread {
	t := &Thread{run: r, steps: make(chan func(), 100), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		defer r.survive()
		for step := range t.steps {
			step()
		}
	}()
	r.mu.Lock()
	r.threads = append(r.threads, t)
	r.mu.Unlock()
	return t
}

// RunOnThread starts a step and does not wait for it.
func (t *Thread) RunOnThread(step func()) { t.steps <- step }

// WaitForThread waits until the last step has ended.
func (t *Thread) WaitForThread() {
	t.run.t.Helper()
	t.stop()
	select {
	case <-t.done:
	case <-time.After(threadPatience):
		t.run.failf("the thread has not ended after %v", threadPatience)
	}
}

func (t *Thread) stop() {
	if !t.ended {
		t.ended = true
		close(t.steps)
	}
}
