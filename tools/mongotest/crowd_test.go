package mongotest

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// TestCrowdOfClients sends random commands from several clients to the members of a replica set, while primaries step down,
// members are killed and the network is cut. It is most useful under the race detector.
func TestCrowdOfClients(t *testing.T) {
	d, err := New(ReplicaSet(3), ElectionDelay(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	w := readWords(t)
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() { sendAtRandom(t, d, w, uint64(i)) })
	}
	stop := make(chan struct{})
	var disturber sync.WaitGroup
	disturber.Go(func() { disturb(t, d, stop) })
	clients.Wait()
	close(stop)
	disturber.Wait()
	checkAlive(t, d)
}

// sendAtRandom sends commands. It opens a new connection whenever the server drops the old one.
func sendAtRandom(t *testing.T, d *Deployment, w *words, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	var client net.Conn
	defer func() {
		if client != nil {
			client.Close()
		}
	}()
	for range 300 {
		if client == nil {
			var server net.Conn
			client, server = net.Pipe()
			d.cluster.Nodes[random.IntN(len(d.cluster.Nodes))].Admit(server)
		}
		m := &maker{words: w, data: make([]byte, 300)}
		for i := range m.data {
			m.data[i] = byte(random.Uint32())
		}
		command := m.command()
		client.SetDeadline(time.Now().Add(patience))
		_, err := client.Write(appendOpMsg(command))
		if err == nil {
			_, err = readReply(client)
		}
		if failed, ok := err.(net.Error); ok && failed.Timeout() {
			t.Errorf("no answer to %v\n%s", command, stacks())
			return
		}
		if err != nil {
			client.Close()
			client = nil
		}
	}
}

// disturb changes the deployment in one way after another until stop closes.
func disturb(t *testing.T, d *Deployment, stop <-chan struct{}) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		node := i / 6 % len(d.cluster.Nodes)
		switch i % 6 {
		case 0:
			d.StepDown()
		case 1:
			d.Kill(node)
			if err := d.Restart(node); err != nil {
				t.Error(err)
			}
		case 2:
			d.Partition(node, time.Millisecond)
		case 3:
			d.Lag(node, i%3)
		case 4:
			d.CloseConnections(node)
			for _, n := range d.cluster.Nodes {
				n.ResetFailPoints()
			}
		case 5:
			d.Commands()
			d.ForgetCommands()
		}
	}
}
