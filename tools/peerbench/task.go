package main

// task is something that both drivers do. The first side is the official driver's, and the others are compared with it.
type task struct {
	name   string
	family string  // tasks of one family share their null tests
	goal   float64 // the speed to reach, as a multiple of the official driver's; 0 if there is none
	least  int     // iterations of one measurement at least; 0 means 1

	cpuGoal float64 // the same of iterations per second of processor time

	computes bool // in one goroutine, without waiting: processor time replaces wall time
	null     bool // a null test
	collects bool // takes longer turns, because an iteration takes so much memory that collections belong to it

	sides []side
}

// side is one way to do a task.
type side struct {
	name  string
	run   func(n int)              // does the task n times
	calls func(n int) callsPerTask // does the task n times on connections that count; nil where there is no connection
}

// repeat makes a side from a function that does the task once.
func repeat(name string, once func() error) side {
	return side{name: name, run: func(n int) {
		for range n {
			if err := once(); err != nil {
				panic(name + ": " + err.Error())
			}
		}
	}}
}
