package main

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestALineTakesItsTime(t *testing.T) {
	var l line
	now := time.Unix(1000, 0)
	const second = linkRate // bytes
	for i, step := range []struct {
		at   time.Duration
		n    int
		want time.Duration
	}{
		{0, second, time.Second + time.Millisecond},
		{0, second, 2*time.Second + time.Millisecond}, // waits for the line
		{5 * time.Second, second / 1000, 5*time.Second + 2*time.Millisecond},
	} {
		if got := l.carry(now.Add(step.at), step.n, time.Millisecond).Sub(now); got != step.want {
			t.Errorf("step %d arrives after %v, want %v", i, got, step.want)
		}
	}
}

// What goes through a link arrives whole, not before the round trip is over, and no faster than the rate.
func TestALinkDelays(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		nc, err := echo.Accept()
		if err == nil {
			io.Copy(nc, nc)
			nc.Close()
		}
	}()
	const roundTrip = 20 * time.Millisecond
	address, err := openLink(echo.Addr().String(), roundTrip)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, size := range []int{1, 3 << 20} {
		text := strings.Repeat("x", size)
		began := time.Now()
		go io.WriteString(nc, text)
		got := make([]byte, size)
		if _, err := io.ReadFull(nc, got); err != nil || string(got) != text {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if took, least := time.Since(began), roundTrip+time.Duration(float64(size)/linkRate*1e9); took < least {
			t.Errorf("%d bytes took %v, want %v at least", size, took, least)
		}
	}
}

// Every task works with both drivers, and reads what it says. A link without a delay is enough to see that.
func TestDelayTasksWork(t *testing.T) {
	for _, task := range delayTasks() {
		if testing.Short() && (strings.Contains(task.name, "GridFS") || strings.Contains(task.name, "1 KB")) {
			continue // these fill the link for a second
		}
		address, err := openServer("far 0s " + task.server)
		if err != nil {
			t.Fatal(err)
		}
		p := &peers{server: &server{address: address}, parameters: task.parameters}
		if task.server != "secure" {
			if err := p.connect(nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		defer p.disconnect()
		var failed error
		for _, s := range task.makeSides(p, &failed) {
			if s.run(1); failed != nil {
				t.Fatalf("%s: %v", task.name, failed)
			}
		}
	}
}

// An exhaust cursor asks once and gets every batch.
func TestExhaustCursorsAskOnce(t *testing.T) {
	address, err := openServer("collection")
	if err != nil {
		t.Fatal(err)
	}
	p, dialer := &peers{server: &server{address: address}}, new(countingDialer)
	if err := p.connect(nil, dialer); err != nil {
		t.Fatal(err)
	}
	defer p.disconnect()
	for _, exhaust := range []bool{false, true} {
		calls := dialer.countPerTask(1, func(int) {
			if err := onionReading(p, "users", delayBatch, exhaust); err != nil {
				t.Fatal(err)
			}
		})
		if exhaust && calls.writes > 2 || !exhaust && calls.writes != collectionDocuments/delayBatch {
			t.Errorf("exhaust %v: %g messages", exhaust, calls.writes)
		}
	}
	if got := dialer.mostBytes(); got < 2*2*40*collectionDocuments {
		t.Errorf("%g bytes were counted", got)
	}
}

func TestGoalsOfADelay(t *testing.T) {
	for want, d := range map[string]delay{
		"1.5x":                                {Official: 30, Onion: 20, Ratio: 1.5, Null: 2},
		"90 % of the link":                    {Official: 30, Onion: 29, Ratio: 1, Link: 0.95},
		"1.5x or 90 % of the link, missed":    {Official: 30, Onion: 29, Ratio: 1, Null: 1.01},
		"void: Onion's turns differ too much": {Official: 30, Onion: 29, Ratio: 1, Null: 1.3},
	} {
		if got := d.goal(); got != want {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
	exhaust := delay{Official: 30, Onion: 29, Exhaust: 10, Ratio: 1}
	if got := exhaust.goal(); got != "1.5x" {
		t.Errorf("an exhaust cursor three times as fast: %q", got)
	}
}

func TestDelaysArePrinted(t *testing.T) {
	d := delay{Task: "read", Bytes: linkRate}
	r := newRounds(3)
	r.times = [][][2]float64{{{6e9, 6e9}}, {{3e9, 3e9}}, {{2e9, 2e9}}}
	d.compute(r)
	var b strings.Builder
	err := runReport{Delays: []delay{d}}.printRest(&b)
	for _, want := range []string{"6000.0", "3000.0", "2000.0", "2.00x", "50 %", "125.0"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%v, %q is not in\n%s", err, want, &b)
		}
	}
}
