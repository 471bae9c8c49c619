package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// coworker is a process with one revision of the driver.
type coworker struct {
	tasks []string
	say   *json.Encoder
	hear  *json.Decoder
	stop  func() error
}

// hire starts a program as a worker.
func hire(program string, s settings) (coworker, error) {
	c := exec.Command(program, "-match", s.pattern.String(), "-heap", strconv.Itoa(s.heap))
	c.Env = append(os.Environ(), workVariable+"=1")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return coworker{}, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return coworker{}, err
	}
	if err := c.Start(); err != nil {
		return coworker{}, err
	}
	stop := func() error { return errors.Join(in.Close(), c.Wait()) }
	w, err := meet(in, out, stop)
	if err != nil {
		c.Process.Kill() // a program that knows no workers does something else
		return w, fmt.Errorf("%s is no worker: %w", program, errors.Join(err, stop()))
	}
	return w, nil
}

// meet hears which tasks a worker knows.
func meet(in io.Writer, out io.Reader, stop func() error) (coworker, error) {
	w := coworker{say: json.NewEncoder(in), hear: json.NewDecoder(out), stop: stop}
	return w, w.hear.Decode(&w.tasks)
}

func (w coworker) ask(o workOrder) (done workDone, err error) {
	if err := w.say.Encode(o); err != nil {
		return done, err
	}
	if err := w.hear.Decode(&done); err != nil {
		return done, fmt.Errorf("%s: a worker ended: %w", o.Task, err)
	}
	if done.Failed != "" {
		return done, errors.New(done.Failed)
	}
	return done, nil
}

// The members of a team.
const (
	baseMember = iota
	nowMember
	nullMember // the base once more, in a process of its own: the null test
	members
)

// team is a process of each revision, and one more of the base.
type team [members]coworker

// hireTeam starts the three processes.
func hireTeam(base, now string, s settings) (t team, err error) {
	for i, program := range []string{baseMember: base, nowMember: now, nullMember: base} {
		if t[i], err = hire(program, s); err != nil {
			return t, errors.Join(err, t.dismiss())
		}
	}
	return t, nil
}

func (t team) dismiss() error {
	var errs []error
	for _, w := range t {
		if w.stop != nil {
			errs = append(errs, w.stop())
		}
	}
	return errors.Join(errs...)
}

// pass measures a task for some rounds, in each of which every member has two turns, in the order A B C C B A. The members do
// the same number of iterations.
func (t team) pass(of task, count int) (p basePass, err error) {
	turn := baseTurn
	if of.collects {
		turn *= longer
	}
	var longest float64
	for i, w := range t {
		warm, err := w.ask(workOrder{Task: of.name, Time: turn})
		if err != nil {
			return p, err
		}
		longest, p.allocations[i] = max(longest, warm.Took), warm.Allocations
	}
	n := max(1, of.least, int(float64(turn)/longest))
	r := newRounds(members)
	for round := range count {
		var taken [members]int
		var cpu [members][2]float64
		for _, i := range turns(members, round) {
			done, err := t[i].ask(workOrder{Task: of.name, Turn: n})
			if err != nil {
				return p, err
			}
			cpu[i][taken[i]] = done.Took
			taken[i]++
		}
		for i := range members {
			r.cpu[i] = append(r.cpu[i], cpu[i])
		}
	}
	return p.of(r), nil
}
