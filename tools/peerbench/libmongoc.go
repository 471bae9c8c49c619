package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed libmongoc/peer.c
var peerSource []byte

// peerTime is how long libmongoc does a task.
const peerTime = "0.5"

// peerTask says how libmongoc does a task: the name in peer.c, the document or file, and how often in one iteration.
type peerTask struct {
	name, file string
	count      func(*specRun) int
}

// libmongoc is the driver for C, for scale: it ran these tasks when the specification's authors wrote them. It does
// not do tasks that need its newer versions (a client's bulkWrite), nor the parallel tasks, whose threads we would have to write.
type libmongoc struct {
	program string
	files   map[string]string // by name
}

// newLibmongoc builds peer.c. It returns nil where there is no compiler or no libmongoc.
func newLibmongoc(dir string, data specData) (*libmongoc, error) {
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "libmongoc-1.0").Output()
	if err != nil {
		say("libmongoc is not measured: pkg-config does not find libmongoc-1.0")
		return nil, nil
	}
	source := filepath.Join(dir, "peer.c")
	l := &libmongoc{filepath.Join(dir, "peer"), map[string]string{}}
	if err := os.WriteFile(source, peerSource, 0o666); err != nil {
		return nil, err
	}
	args := append([]string{"-O2", "-o", l.program, source}, strings.Fields(string(flags))...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building peer.c: %w\n%s", err, out)
	}
	write := func(name string, content []byte) error {
		l.files[name] = filepath.Join(dir, "peer-"+name)
		return os.WriteFile(l.files[name], content, 0o666)
	}
	for _, d := range data.documents {
		if err := write(d.name, d.raw); err != nil {
			return nil, err
		}
	}
	return l, write("grid", data.grid)
}

// timeTask runs a task and returns how long each iteration took.
func (l *libmongoc) timeTask(r *specRun, t peerTask, uri string) (took []float64, err error) {
	args := []string{uri, t.name, strconv.Itoa(t.count(r)), peerTime}
	if t.file != "" {
		args = append(args, l.files[t.file])
	}
	command := exec.Command(l.program, args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("libmongoc, %s: %w", t.name, err)
	}
	for _, line := range strings.Fields(string(out)) {
		s, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil, err
		}
		took = append(took, s)
	}
	return took, nil
}

func doOnce(*specRun) int { return 1 }

// peerTaskOf returns how libmongoc does a task of the specification, if it does.
func peerTaskOf(name string) (t peerTask, ok bool) {
	many, large := (*specRun).operationCount, (*specRun).largeCount
	t, ok = map[string]peerTask{
		"Flat BSON Encoding":                              {"encode", "flat", many},
		"Flat BSON Decoding":                              {"decode", "flat", many},
		"Deep BSON Encoding":                              {"encode", "deep", many},
		"Deep BSON Decoding":                              {"decode", "deep", many},
		"Full BSON Encoding":                              {"encode", "full", many},
		"Full BSON Decoding":                              {"decode", "full", many},
		"Run command":                                     {"runCommand", "", many},
		"Find one by ID":                                  {"findByID", "", many},
		"Small doc insertOne":                             {"insertOne", "small", many},
		"Large doc insertOne":                             {"insertOne", "large", large},
		"Find many and empty the cursor":                  {"findAll", "", many},
		"Small doc bulk insert":                           {"insertMany", "small", many},
		"Large doc bulk insert":                           {"insertMany", "large", large},
		"Small doc Collection BulkWrite insert":           {"bulkInsert", "small", many},
		"Large doc Collection BulkWrite insert":           {"bulkInsert", "large", large},
		"Small doc Collection BulkWrite Mixed Operations": {"bulkMixed", "small", many},
		"GridFS upload":                                   {"upload", "grid", doOnce},
		"GridFS download":                                 {"download", "", doOnce},
	}[name]
	return t, ok
}
