// Command peerbench compares this driver with the official MongoDB driver for Go. Both run in one process and take turns. It
// measures time, processor time, allocations, and the calls of Write and Read that one operation makes on its connection.
//
//	go run . -report DIR                    everything, as JSON, SVG and HTML with the history of all runs in DIR
//	go run . -match 'struct|walk'           some tasks, as text
//	go run . -part above                    processor time above a bare socket that exchanges the same bytes, and by package
//	go run . -part latency                  latency of requests that arrive by a clock, and where it bends
//	go run . -part delay                    streams, bulks and a first operation over a slow link
//	go run . -part memory                   memory of clients, connections and a service with 10,000 goroutines
//	go run . -part spec                     the tasks and scores of the benchmarking specification, and libmongoc's
//	go run . -part growth                   how costs grow with goroutines, servers, documents, pools and batches
//	go run . -part scenarios                the first operation, 1,000 connections at once, an idle client
//	go run . -part streams                  change streams, GridFS files of 1 GB, bulks of 100,000 models, and their memory
//	go run . -part goodput                  what gets done under overload, and with how many connections
//	go run . -part where                    where the processor time goes
//	go run . -base v1.2.0 -match findOne    compare two revisions of this driver
//	go run . -readme ../../README.md -json DIR/report.json    put the figures of a report into the README
//	go run . -budgets                       check allocations and calls only, which do not depend on the machine's load
//
// Each round runs the sides in the order A B B A, with the same number of iterations, and takes the ratio within the round.
// The report gives the median ratio with its 95 % confidence interval. Rounds are short, so whatever else the machine
// does slows all sides of a round, and a task gets more rounds until its interval is narrow. A round in which the two turns
// of one side differ by more than a quarter was disturbed and does not count.
//
// Processor time comes from getrusage, so other processes add little to it. Tasks that only compute are compared by it.
// The turns of a round are too short for a garbage collection, so the memory that a side allocates costs it nothing but the
// allocation: this favors the side that allocates more. A batch of 1,000 documents may take megabytes, after which the other
// side's turn begins with cold caches. So batches have turns ten times as long, and streams of 0.3 s at least, in which the
// collections that they cause take place. The column "others" says what other processes took of the machine.
//
// For each goal that is missed, the report says by how much and what limits it. It also says how long the part takes that
// no code could avoid: a bare socket ping-pong, allocations of the same number and size, copying the document, or a loop by hand.
//
// A comparison of revisions (-base) counts instructions, for on a machine that others use too, no clock told a difference of a tenth
// from chance. It builds the program counted with the driver of each revision, and lets callgrind, a tool of valgrind, execute it
// against a server outside: the base, this revision, and the base once more, which is the null test, three times. A long run less a
// short one is what a task takes. It says how much work the driver does, in user space, on one processor: Go's scheduler, poller,
// locks and timers, the collector and the kernel do not count, and neither cache misses nor waiting for a lock show. A difference
// counts where it exceeds three times the spread of the base's runs; a task whose base spreads by more than 2 % is void. For tasks
// that take more, it says in which files.
//
// Each family of tasks has null tests before and after it: a side compared with itself must read 1.0 within 5 %, in time
// and in processor time. Their intervals decide. If one lies within 5 %, the null test passes. If one lies outside, a side
// is favored, and the family is measured again. If it is neither, the machine is too restless to say, and the null test is
// repeated. After three attempts the report is marked void, with the families that it concerns, and the exit status is 1.
package main
