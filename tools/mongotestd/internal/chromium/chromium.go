// Package chromium drives a headless Chromium for tests of pages, over a pipe and without a library.
//
// It knows the few calls of the DevTools protocol that these tests need. A machine without Chromium skips them.
package chromium

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// Browser is a running Chromium.
type Browser struct {
	in  *os.File
	mu  sync.Mutex
	id  int
	ask map[int]chan answer

	done chan struct{} // closed when the browser has closed its pipe
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// Path returns the path of the program, or an empty text if there is none.
func Path() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Start starts a browser that runs until the test ends. It skips the test if there is no Chromium.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := Path()
	if path == "" {
		t.Skip("SKIPPED, NOTHING OF THE PAGE IS TESTED IN A BROWSER: there is no chromium (apt-get install chromium)")
	}
	toBrowser, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--no-first-run", "--disable-extensions", "--disable-background-networking",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // file descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	b := &Browser{in: in, ask: map[int]chan answer{}, done: make(chan struct{})}
	go b.read(bufio.NewReaderSize(out, 1<<20))
	t.Cleanup(func() {
		b.call("", "Browser.close", nil)
		in.Close()
		<-b.done
		cmd.Process.Kill()
		cmd.Wait()
		out.Close()
	})
	return b
}

// read hands answers to those who wait for them. Each message ends with a zero byte.
func (b *Browser) read(r *bufio.Reader) {
	defer close(b.done)
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID int
			answer
		}
		if json.Unmarshal(data[:len(data)-1], &m) != nil || m.ID == 0 {
			continue // an event
		}
		b.mu.Lock()
		waiting := b.ask[m.ID]
		delete(b.ask, m.ID)
		b.mu.Unlock()
		if waiting != nil {
			waiting <- m.answer
		}
	}
}

// call makes a call, in a session of a tab unless that is empty.
func (b *Browser) call(session, method string, parameters any) (json.RawMessage, error) {
	waiting := make(chan answer, 1)
	b.mu.Lock()
	b.id++
	message := map[string]any{"id": b.id, "method": method}
	b.ask[b.id] = waiting
	if parameters != nil {
		message["params"] = parameters
	}
	if session != "" {
		message["sessionId"] = session
	}
	data, err := json.Marshal(message)
	if err == nil {
		_, err = b.in.Write(append(data, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case a := <-waiting:
		if a.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, a.Error.Message)
		}
		return a.Result, nil
	case <-b.done:
		return nil, errors.New("the browser has ended")
	}
}
