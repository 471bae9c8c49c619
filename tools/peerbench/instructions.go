package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// counts is what doing a task once takes.
type counts struct {
	instructions map[string]float64 // by source file
	allocations  float64
	bytes        float64
}

func (c counts) sum() (sum float64) {
	for _, n := range c.instructions {
		sum += n
	}
	return sum
}

// subtract takes away the counts of a run with fewer repetitions, and divides by the repetitions that are left.
func (c counts) subtract(few counts, times int) counts {
	once := map[string]float64{}
	for file, n := range c.instructions {
		once[file] = (n - few.instructions[file]) / float64(times)
	}
	return counts{once, c.allocations, c.bytes}
}

// randomParts are the parts of Go's runtime that run as often as threads happen to meet, wait or wake: the scheduler, the poller of
// the network, locks, timers, whole pages of memory, and a cache of type assertions whose entries are drawn by lot. They differ by
// some percent of all instructions from one run to the next. Allocations, channels and maps count.
var randomParts = regexp.MustCompile(`^(?:\./)?(runtime/(asm_|histogram|iface|list_manual|lock_|lockrank|mgc|mp|mprof|netpoll|os_linux|` +
	`proc|rand|runtime|sema|signal|stack|stubs|symtab|sys_linux|tagptr|time|trace|vdso)\w*\.|internal/runtime/(atomic|syscall)/)`)

// countOnce counts what doing a task once takes. It takes the difference of a long run and a short one, so starting the program,
// connecting and the first times do not count.
func countOnce(program, uri string, of counted) (counts, error) {
	few, err := count(program, uri, of, 0)
	if err != nil {
		return few, err
	}
	many, err := count(program, uri, of, of.times)
	return many.subtract(few, of.goroutines*of.times), err
}

// count runs a program under callgrind. One processor, no preemption and no collection leave little to chance.
func count(program, uri string, of counted, times int) (counts, error) {
	dir, err := os.MkdirTemp("", "peerbench")
	if err != nil {
		return counts{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "callgrind.out")
	c := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file="+file, program,
		uri, of.name, strconv.Itoa(of.goroutines), strconv.Itoa(times))
	c.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); errors.Is(err, exec.ErrNotFound) {
		return counts{}, fmt.Errorf("valgrind counts the instructions: install it: %w", err)
	} else if err != nil {
		return counts{}, fmt.Errorf("%v: %w\n%s", c, err, &said)
	}
	var n counts
	if times > 0 {
		if _, err := fmt.Sscan(out.String(), &n.allocations, &n.bytes); err != nil {
			return n, fmt.Errorf("%v printed %q: %w", c, &out, err)
		}
	}
	profile, err := os.Open(file)
	if err != nil {
		return n, err
	}
	defer profile.Close()
	n.instructions, err = readProfile(profile)
	return n, err
}

var (
	profileFile = regexp.MustCompile(`^(f[lie]|cf[lie])=\((\d+)\)(?: (.*))?$`)
	profileCost = regexp.MustCompile(`^[-+*\d]\S* (\d+)$`)
)

// readProfile adds up what callgrind counted, by source file. A line after "calls=" holds what the called function
// took, which is counted there.
func readProfile(r io.Reader) (map[string]float64, error) {
	names, sums := map[string]string{}, map[string]float64{}
	current, called := "", false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if m := profileFile.FindStringSubmatch(line); m != nil {
			if m[3] != "" {
				names[m[2]] = m[3]
			}
			if !strings.HasPrefix(m[1], "c") {
				current = names[m[2]]
			}
			continue
		}
		if strings.HasPrefix(line, "calls=") {
			called = true
			continue
		}
		m := profileCost.FindStringSubmatch(line)
		if m == nil || called {
			called = called && m == nil
			continue
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return nil, err
		}
		if !randomParts.MatchString(current) {
			sums[current] += n
		}
	}
	if len(sums) == 0 {
		return nil, errors.New("the profile has no instructions")
	}
	return sums, lines.Err()
}
