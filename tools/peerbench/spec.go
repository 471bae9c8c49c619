package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/specdrivers/onion/gen/model"
)

// The work of a task at full scale: how often it handles a document, a small or a large one, and how many files the
// parallel tasks have.
const (
	specOperations = 10_000
	specLarge      = 10
	ldjsonFiles    = 100
	gridFiles      = 50
)

// The composites of the specification.
const (
	bsonBench     = "BSONBench"
	singleBench   = "SingleBench"
	multiBench    = "MultiBench"
	parallelBench = "ParallelBench"
	readBench     = "ReadBench"
	writeBench    = "WriteBench"
	driverBench   = "DriverBench"
)

// specTask is a benchmark of the specification with the code that runs it. The score uses the benchmark's size,
// whatever the size of the files on this machine.
type specTask struct {
	model.Benchmark
	canned bool                             // the canned server is enough; else mongotest, except for BSON
	setup  func(*specRun, specDriver) error // once, for both drivers
	before func(*specRun, specDriver) error // each iteration
	do     func(*specRun, specDriver) error
}

// specDriver is a driver as the tasks use it. A name stands for each document.
type specDriver interface {
	name() string
	load(name string, raw []byte) error

	encode(name string) error
	decode(name string) error

	runCommand() error
	findByID(id int32) error
	findAll() (int, error)
	insertOne(name string) error
	insertMany(name string, n int) error
	bulkInsert(name string, n int) error
	clientBulkInsert(name string, n int) error
	bulkMixed(n int) error
	clientBulkMixed(n, collections int) error
	numberTweets(n int) error // fills the collection with tweets of _id 1 to n

	reset(collections ...string) error // drops them and makes new ones
	resetBucket() error                // drops the bucket and uploads a file of one byte
	upload(name string, data []byte) error
	download(name string, write func([]byte) error) error

	importLines(lines [][]byte) error // documents as extended JSON, in any order
	exportLines(n, perFile int, write func(file int, lines []byte) error) error
}

// specRun holds what the tasks share. Every count of the specification is divided by scale, and so are the sizes, so
// the scores stay megabytes a second.
type specRun struct {
	scale int
	data  specData
	dir   string     // for what is downloaded and exported
	peer  *libmongoc // nil if it is not there
}

func (r *specRun) operationCount() int { return max(1, specOperations/r.scale) }
func (r *specRun) largeCount() int     { return max(1, specLarge/r.scale) }

// specScore is the outcome of one task: megabytes a second of each driver, by the median of its iterations.
type specScore struct {
	Task       string             `json:"task"`
	Server     string             `json:"server,omitempty"`
	Scores     map[string]float64 `json:"megabytesPerSecond"` // by driver
	Iterations int                `json:"iterations"`
	Ratio      float64            `json:"ratio"` // of this driver's to the official one's

	Composites []string `json:"composites,omitempty"`
}

// The effort of the specification's tasks. The specification asks for at least a minute for each.
const (
	specIterations = 3
	specTime       = time.Second // of one driver
	specLimit      = 4 * time.Second
)

// measureSpec measures every task, both drivers in turn.
func measureSpec(s settings, progress func(specScore)) (scores []specScore, err error) {
	r := &specRun{scale: max(1, s.scale)}
	if r.data, err = loadSpecData(s.specs, r.scale); err != nil {
		return nil, err
	}
	if r.dir, err = os.MkdirTemp("", "peerbench"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(r.dir)
	if r.peer, err = newLibmongoc(r.dir, r.data); err != nil {
		return nil, err
	}
	for _, where := range []string{"", "canned", "mongotest"} {
		theirs, ours, uri, err := specDrivers(where, r)
		if err != nil {
			return nil, err
		}
		for _, t := range specTasks() {
			isBSON := t.Group == "bson"
			if isBSON != (where == "") || where == "canned" && !t.canned || !s.pattern.MatchString(t.Name) {
				continue
			}
			score, err := r.measure(t, where, theirs, ours)
			if err == nil {
				err = r.addPeer(&score, t, uri)
			}
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", t.Name, where, err)
			}
			scores = append(scores, score)
			progress(score)
		}
	}
	return scores, nil
}

// measure runs a task with both drivers in turn until each has had its time.
func (r *specRun) measure(t specTask, server string, theirs, ours specDriver) (specScore, error) {
	drivers := []specDriver{theirs, ours}
	took := make([][]float64, len(drivers))
	spent := make([]time.Duration, len(drivers))
	if t.setup != nil {
		if err := t.setup(r, ours); err != nil {
			return specScore{}, fmt.Errorf("setting up: %w", err)
		}
	}
	enough := func() bool {
		least := min(spent[0], spent[1])
		return least >= specTime && len(took[0]) >= specIterations || least >= specLimit
	}
	for round := 0; !enough(); round++ {
		for i, d := range drivers {
			if t.before != nil {
				if err := t.before(r, d); err != nil {
					return specScore{}, fmt.Errorf("before the task, %s: %w", d.name(), err)
				}
			}
			began := time.Now()
			if err := t.do(r, d); err != nil {
				return specScore{}, fmt.Errorf("%s: %w", d.name(), err)
			}
			if elapsed := time.Since(began); round > 0 || elapsed > specTime { // a short first iteration only warms up
				took[i] = append(took[i], elapsed.Seconds())
				spent[i] += elapsed
			}
		}
	}
	score := specScore{Task: t.Name, Server: server, Iterations: len(took[0]), Scores: map[string]float64{}, Composites: t.Composites}
	for i, d := range drivers {
		score.Scores[d.name()] = r.megabytesOf(t) / nearestRank(took[i], 50)
	}
	score.Ratio = score.Scores[ours.name()] / score.Scores[theirs.name()]
	return score, nil
}

// megabytesOf returns the size of one iteration of a task.
func (r *specRun) megabytesOf(t specTask) float64 { return float64(t.Bytes) / 1e6 / float64(r.scale) }

// addPeer adds the score of libmongoc, if it does the task. It follows the other drivers, and finds what they set up.
func (r *specRun) addPeer(score *specScore, t specTask, uri string) error {
	how, ok := peerTaskOf(t.Name)
	if !ok || r.peer == nil {
		return nil
	}
	took, err := r.peer.timeTask(r, how, uri)
	if err == nil {
		score.Scores[peerName] = r.megabytesOf(t) / nearestRank(took, 50)
	}
	return err
}

// peerName is the column of libmongoc.
const peerName = "libmongoc"

// nearestRank returns the percentile as the specification computes it.
func nearestRank(values []float64, percent int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, len(sorted)*percent/100-1)]
}

// composites returns the averages of the specification, for each server and driver.
func composites(scores []specScore) (out []specScore) {
	for _, server := range []string{"", "canned", "mongotest"} {
		found := map[string]map[string]float64{}
		for _, composite := range []string{bsonBench, singleBench, multiBench, parallelBench, readBench, writeBench} {
			sums, counts, n := map[string]float64{}, map[string]float64{}, 0.0
			for _, s := range scores {
				if s.Server == server && slices.Contains(s.Composites, composite) {
					n++
					for driver, score := range s.Scores {
						sums[driver] += score
						counts[driver]++
					}
				}
			}
			if n == 0 {
				continue
			}
			for driver := range sums {
				if sums[driver] /= n; counts[driver] < n {
					delete(sums, driver) // it does not do all of the tasks
				}
			}
			found[composite] = sums
			out = append(out, newComposite(composite, server, sums))
		}
		if found[readBench] != nil && found[writeBench] != nil {
			both := map[string]float64{}
			for driver, score := range found[readBench] {
				if write, ok := found[writeBench][driver]; ok {
					both[driver] = (score + write) / 2
				}
			}
			out = append(out, newComposite(driverBench, server, both))
		}
	}
	return out
}

func newComposite(name, server string, scores map[string]float64) specScore {
	return specScore{Task: name, Server: server, Scores: scores, Ratio: scores["onion"] / scores["official"]}
}

// printSpec prints the scores and the composites.
func printSpec(w io.Writer, scores []specScore) error {
	if len(scores) == 0 {
		return nil
	}
	fmt.Fprintln(w, "Tasks of the benchmarking specification, in megabytes a second by the median")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "task\tserver\tofficial\tonion\ttimes\titerations\tlibmongoc\t")
	for _, s := range append(scores, composites(scores)...) {
		server, peer := s.Server, "-"
		if server == "" {
			server = "-"
		}
		if score, ok := s.Scores[peerName]; ok {
			peer = fmt.Sprintf("%.1f", score)
		}
		fmt.Fprintf(table, "%s\t%s\t%.1f\t%.1f\t%.2fx\t%d\t%s\t\n", s.Task, server, s.Scores["official"], s.Scores["onion"], s.Ratio,
			s.Iterations, peer)
	}
	return table.Flush()
}
