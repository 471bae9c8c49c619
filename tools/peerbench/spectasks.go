package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// specTasks returns the benchmarks of the specification, in its order, each with the code that runs it.
func specTasks() []specTask {
	code := specBSONTasks()
	for _, more := range []map[string]specTask{singleTasks(), multiTasks(), parallelTasks()} {
		maps.Copy(code, more)
	}
	var tasks []specTask
	for _, b := range benchmarks() {
		task := code[b.Name]
		task.Benchmark = b
		tasks = append(tasks, task)
	}
	return tasks
}

func specBSONTasks() map[string]specTask {
	tasks := map[string]specTask{}
	for title, name := range map[string]string{"Flat": "flat", "Deep": "deep", "Full": "full"} {
		tasks[title+" BSON Encoding"] = specTask{
			do: timesScale((*specRun).operationCount, func(d specDriver, _ int) error { return d.encode(name) })}
		tasks[title+" BSON Decoding"] = specTask{
			do: timesScale((*specRun).operationCount, func(d specDriver, _ int) error { return d.decode(name) })}
	}
	return tasks
}

// timesScale repeats something as often as the scale says.
func timesScale(times func(*specRun) int, do func(d specDriver, i int) error) func(*specRun, specDriver) error {
	return func(r *specRun, d specDriver) error {
		for i := range times(r) {
			if err := do(d, i); err != nil {
				return err
			}
		}
		return nil
	}
}

func emptyCorpus(_ *specRun, d specDriver) error { return d.reset("corpus") }

func insertTweets(r *specRun, d specDriver) error { return d.numberTweets(r.operationCount()) }

func emptyBucket(_ *specRun, d specDriver) error { return d.resetBucket() }

func singleTasks() map[string]specTask {
	return map[string]specTask{
		"Run command": {canned: true,
			do: timesScale((*specRun).operationCount, func(d specDriver, _ int) error { return d.runCommand() })},
		"Find one by ID": {canned: true, setup: insertTweets,
			do: timesScale((*specRun).operationCount, func(d specDriver, i int) error { return d.findByID(int32(i + 1)) })},
		"Small doc insertOne": {canned: true, before: emptyCorpus,
			do: timesScale((*specRun).operationCount, func(d specDriver, _ int) error { return d.insertOne("small") })},
		"Large doc insertOne": {canned: true, before: emptyCorpus,
			do: timesScale((*specRun).largeCount, func(d specDriver, _ int) error { return d.insertOne("large") })},
	}
}

func multiTasks() map[string]specTask {
	insert := func(do func(*specRun, specDriver) error) specTask {
		return specTask{canned: true, before: emptyCorpus, do: do}
	}
	return map[string]specTask{
		"Find many and empty the cursor": {setup: insertTweets,
			do: func(r *specRun, d specDriver) error {
				n, err := d.findAll()
				if err == nil && n != r.operationCount() {
					err = fmt.Errorf("%d documents, want %d", n, r.operationCount())
				}
				return err
			}},
		"Small doc bulk insert": insert(func(r *specRun, d specDriver) error {
			return d.insertMany("small", r.operationCount())
		}),
		"Large doc bulk insert": insert(func(r *specRun, d specDriver) error {
			return d.insertMany("large", r.largeCount())
		}),
		"Small doc Collection BulkWrite insert": insert(func(r *specRun, d specDriver) error {
			return d.bulkInsert("small", r.operationCount())
		}),
		"Large doc Collection BulkWrite insert": insert(func(r *specRun, d specDriver) error {
			return d.bulkInsert("large", r.largeCount())
		}),
		"Small doc Client BulkWrite insert": insert(func(r *specRun, d specDriver) error {
			return d.clientBulkInsert("small", r.operationCount())
		}),
		"Large doc Client BulkWrite insert": insert(func(r *specRun, d specDriver) error {
			return d.clientBulkInsert("large", r.largeCount())
		}),
		"Small doc Client BulkWrite Mixed Operations": {canned: true,
			before: func(_ *specRun, d specDriver) error { return d.reset(numberedCollections(mixedCollections)...) },
			do:     func(r *specRun, d specDriver) error { return d.clientBulkMixed(r.operationCount(), mixedCollections) }},
		"Small doc Collection BulkWrite Mixed Operations": insert(func(r *specRun, d specDriver) error {
			return d.bulkMixed(r.operationCount())
		}),
		"GridFS upload": {before: emptyBucket,
			do: func(r *specRun, d specDriver) error { return d.upload("gridfstest", r.data.grid) }},
		"GridFS download": {
			setup: func(r *specRun, d specDriver) error {
				if err := d.resetBucket(); err != nil {
					return err
				}
				return d.upload("gridfstest", r.data.grid)
			},
			do: func(_ *specRun, d specDriver) error {
				return d.download("gridfstest", func([]byte) error { return nil })
			}},
	}
}

// mixedCollections is how many collections a client's mixed operations use.
const mixedCollections = 10

func numberedCollections(n int) (names []string) {
	for i := range n {
		names = append(names, "corpus_"+strconv.Itoa(i+1))
	}
	return names
}

func parallelTasks() map[string]specTask {
	return map[string]specTask{
		"LDJSON multi-file import": {before: emptyCorpus,
			do: func(r *specRun, d specDriver) error {
				return runParallel(r.data.ldjson, func(file string) error {
					lines, err := readLines(file)
					if err != nil {
						return err
					}
					return d.importLines(lines)
				})
			}},
		"LDJSON multi-file export": {
			setup: func(r *specRun, d specDriver) error {
				if err := d.reset("corpus"); err != nil {
					return err
				}
				return runParallel(r.data.ldjson, func(file string) error {
					lines, err := readLines(file)
					if err != nil {
						return err
					}
					return d.importLines(lines)
				})
			},
			do: func(r *specRun, d specDriver) error {
				return d.exportLines(len(r.data.ldjson), r.data.perFile, func(file int, lines []byte) error {
					return os.WriteFile(filepath.Join(r.dir, "export"+strconv.Itoa(file)), lines, 0o666)
				})
			}},
		"GridFS multi-file upload": {before: emptyBucket, do: uploadFiles},
		"GridFS multi-file download": {
			setup: func(r *specRun, d specDriver) error {
				if err := d.resetBucket(); err != nil {
					return err
				}
				return uploadFiles(r, d)
			},
			do: func(r *specRun, d specDriver) error {
				return runParallel(r.data.gridFiles, func(file string) error {
					out, err := os.Create(filepath.Join(r.dir, filepath.Base(file)))
					if err != nil {
						return err
					}
					defer out.Close()
					return d.download(filepath.Base(file), func(b []byte) error { _, err := out.Write(b); return err })
				})
			}},
	}
}

func uploadFiles(r *specRun, d specDriver) error {
	return runParallel(r.data.gridFiles, func(file string) error {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return d.upload(filepath.Base(file), data)
	})
}

// specWorkers is how many files are processed at the same time.
const specWorkers = 8

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// runParallel does something with each item and returns the first error.
func runParallel[T any](items []T, do func(T) error) error {
	var once sync.Once
	var failed error
	next := make(chan T)
	var wg sync.WaitGroup
	for range specWorkers {
		wg.Go(func() {
			for item := range next {
				if err := do(item); err != nil {
					once.Do(func() { failed = err })
				}
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	wg.Wait()
	return failed
}
