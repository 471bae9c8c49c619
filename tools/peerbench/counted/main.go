// Counted does one thing with the driver again and again, for a tool that counts the instructions of a process:
//
//	counted URI TASK GOROUTINES COUNT
//
// It calls nothing but the driver's oldest public functions, so it fits any revision of the driver. It prints how many
// allocations, and how many bytes, each time took.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"

	"github.com/specdrivers/onion/runtime/mongo"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "counted:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 4 {
		return fmt.Errorf("%d arguments; want URI TASK GOROUTINES COUNT", len(arguments))
	}
	begin, ok := tasks[arguments[1]]
	if !ok {
		return fmt.Errorf("there is no task %q", arguments[1])
	}
	goroutines, err := strconv.Atoi(arguments[2])
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(arguments[3])
	if err != nil {
		return err
	}
	ctx := context.Background()
	client, err := mongo.Connect(ctx, arguments[0])
	if err != nil {
		return err
	}
	return share(goroutines, count, func() (func() error, error) { return begin(ctx, client) })
}

// warmUps is how often each goroutine does the task before anything counts.
const warmUps = 3

// share lets goroutines do a task, each so many times. They start together, when all are warm.
func share(goroutines, count int, begin func() (func() error, error)) error {
	var ready, done sync.WaitGroup
	failed := make(chan error, goroutines)
	start := make(chan struct{})
	for range goroutines {
		ready.Add(1)
		done.Go(func() {
			once, err := begin()
			for i := 0; i < warmUps && err == nil; i++ {
				err = once()
			}
			ready.Done()
			<-start
			for i := 0; i < count && err == nil; i++ {
				err = once()
			}
			failed <- err
		})
	}
	ready.Wait()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	close(start)
	done.Wait()
	runtime.ReadMemStats(&after)
	for range goroutines {
		if err := <-failed; err != nil {
			return err
		}
	}
	n := float64(goroutines * count)
	fmt.Println(float64(after.Mallocs-before.Mallocs)/n, float64(after.TotalAlloc-before.TotalAlloc)/n)
	return nil
}
