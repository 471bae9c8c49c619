package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// specTasks are the tasks of the specification, in its order.
func specTasks() []specTask {
	var tasks []specTask
	for _, doc := range []struct {
		title, name string
		size        int
	}{{"Flat", "flat", flatSize}, {"Deep", "deep", deepSize}, {"Full", "full", fullSize}} {
		tasks = append(tasks,
			specTask{name: doc.title + " BSON Encoding", size: doc.size * specOperations, composites: []string{bsonBench},
				do: timesScale((*specRun).many, func(d specDriver, _ int) error { return d.encode(doc.name) })},
			specTask{name: doc.title + " BSON Decoding", size: doc.size * specOperations, composites: []string{bsonBench},
				do: timesScale((*specRun).many, func(d specDriver, _ int) error { return d.decode(doc.name) })})
	}
	return append(append(append(tasks, singleTasks()...), multiTasks()...), parallelTasks()...)
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

func tweets(r *specRun, d specDriver) error { return d.numberTweets(r.many()) }

func emptyBucket(_ *specRun, d specDriver) error { return d.resetBucket() }

func singleTasks() []specTask {
	read, write := []string{singleBench, readBench}, []string{singleBench, writeBench}
	return []specTask{
		{name: "Run command", size: helloSize * specOperations, composites: []string{"none"}, canned: true,
			do: timesScale((*specRun).many, func(d specDriver, _ int) error { return d.runCommand() })},
		{name: "Find one by ID", size: tweetSize * specOperations, composites: read, canned: true, setup: tweets,
			do: timesScale((*specRun).many, func(d specDriver, i int) error { return d.findByID(int32(i + 1)) })},
		{name: "Small doc insertOne", size: smallSize * specOperations, composites: write, canned: true, before: emptyCorpus,
			do: timesScale((*specRun).many, func(d specDriver, _ int) error { return d.insertOne("small") })},
		{name: "Large doc insertOne", size: largeSize * specLarge, composites: write, canned: true, before: emptyCorpus,
			do: timesScale((*specRun).large, func(d specDriver, _ int) error { return d.insertOne("large") })},
	}
}

func multiTasks() []specTask {
	read, write := []string{multiBench, readBench}, []string{multiBench, writeBench}
	insert := func(name string, size int, do func(*specRun, specDriver) error) specTask {
		return specTask{name: name, size: size, composites: write, canned: true, before: emptyCorpus, do: do}
	}
	const small, large, mixed = smallSize * specOperations, largeSize * specLarge, 2 * smallSize * specOperations
	return []specTask{
		{name: "Find many and empty the cursor", size: tweetSize * specOperations, composites: read, setup: tweets,
			do: func(r *specRun, d specDriver) error {
				n, err := d.findAll()
				if err == nil && n != r.many() {
					err = fmt.Errorf("%d documents, want %d", n, r.many())
				}
				return err
			}},
		insert("Small doc bulk insert", small, func(r *specRun, d specDriver) error {
			return d.insertMany("small", r.many())
		}),
		insert("Large doc bulk insert", large, func(r *specRun, d specDriver) error {
			return d.insertMany("large", r.large())
		}),
		insert("Small doc Collection BulkWrite insert", small, func(r *specRun, d specDriver) error {
			return d.bulkInsert("small", r.many())
		}),
		insert("Large doc Collection BulkWrite insert", large, func(r *specRun, d specDriver) error {
			return d.bulkInsert("large", r.large())
		}),
		insert("Small doc Client BulkWrite insert", small, func(r *specRun, d specDriver) error {
			return d.clientBulkInsert("small", r.many())
		}),
		insert("Large doc Client BulkWrite insert", large, func(r *specRun, d specDriver) error {
			return d.clientBulkInsert("large", r.large())
		}),
		{name: "Small doc Client BulkWrite Mixed Operations", size: mixed, composites: write, canned: true,
			before: func(_ *specRun, d specDriver) error { return d.reset(numberedCollections(mixedCollections)...) },
			do:     func(r *specRun, d specDriver) error { return d.clientBulkMixed(r.many(), mixedCollections) }},
		insert("Small doc Collection BulkWrite Mixed Operations", mixed, func(r *specRun, d specDriver) error {
			return d.bulkMixed(r.many())
		}),
		{name: "GridFS upload", size: gridSize, composites: write, before: emptyBucket,
			do: func(r *specRun, d specDriver) error { return d.upload("gridfstest", r.data.grid) }},
		{name: "GridFS download", size: gridSize, composites: read,
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

func parallelTasks() []specTask {
	read, write := []string{parallelBench, readBench}, []string{parallelBench, writeBench}
	return []specTask{
		{name: "LDJSON multi-file import", size: ldjsonTotal, composites: write, before: emptyCorpus,
			do: func(r *specRun, d specDriver) error {
				return inParallel(r.data.ldjson, func(file string) error {
					lines, err := readLines(file)
					if err != nil {
						return err
					}
					return d.importLines(lines)
				})
			}},
		{name: "LDJSON multi-file export", size: ldjsonTotal, composites: read,
			setup: func(r *specRun, d specDriver) error {
				if err := d.reset("corpus"); err != nil {
					return err
				}
				return inParallel(r.data.ldjson, func(file string) error {
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
		{name: "GridFS multi-file upload", size: gridTotal, composites: write, before: emptyBucket, do: uploadFiles},
		{name: "GridFS multi-file download", size: gridTotal, composites: read,
			setup: func(r *specRun, d specDriver) error {
				if err := d.resetBucket(); err != nil {
					return err
				}
				return uploadFiles(r, d)
			},
			do: func(r *specRun, d specDriver) error {
				return inParallel(r.data.gridFiles, func(file string) error {
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
	return inParallel(r.data.gridFiles, func(file string) error {
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

// inParallel does something with each item and returns the first error.
func inParallel[T any](items []T, do func(T) error) error {
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
