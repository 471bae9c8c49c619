package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"

	officialbson "go.mongodb.org/mongo-driver/v2/bson"
	official "go.mongodb.org/mongo-driver/v2/mongo"
	officialoptions "go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// benchUser is the document that the tasks read and write.
type benchUser struct {
	ID   int32  `bson:"_id"`
	Name string `bson:"name"`
	Age  int32  `bson:"age"`
}

// newUser has no _id, so the driver makes one.
type newUser struct {
	Name string `bson:"name"`
	Age  int32  `bson:"age"`
}

const manyDocuments = 1000

// peers holds one client of each driver for the same server.
type peers struct {
	server     *server
	parameters string // of the URI
	official   *official.Client
	onion      *mongo.Client
	bare       *bareSocket // nil until it is used
	opened     []clientOf  // more clients, which somebody has to close

	countOfficial, countOnion func() *countingPeer // further clients, opened when calls are counted
}

// operation is one thing that both drivers do.
type operation struct {
	name     string
	official func(*peers) error
	onion    func(*peers) error
}

// fewAndMany are the numbers of goroutines that do an operation at a time.
var fewAndMany = []int{1, 16, 256}

// driverTasks run operations of both drivers against a server that costs almost nothing, and against mongotest.
func driverTasks() []task {
	var tasks, batches []task
	for _, server := range []string{"canned", "mongotest"} {
		connected := sync.OnceValue(func() *peers { return mustConnect(server) })
		for _, op := range operations() {
			for _, goroutines := range fewAndMany {
				tasks = append(tasks, driverTask(server, connected, op, goroutines))
			}
		}
		for _, op := range batchOperations() {
			for _, goroutines := range fewAndMany {
				t := driverTask(server, connected, op, goroutines)
				if server == "mongotest" { // its own garbage would count
					tasks = append(tasks, t)
					continue
				}
				t.family, t.collects = "batches", true
				batches = append(batches, t)
			}
		}
	}
	return append(tasks, batches...)
}

func driverTask(server string, connected func() *peers, op operation, goroutines int) task {
	newSide := func(name string, do func(*peers) error, counter func(*peers) *countingPeer) side {
		s := side{name: name, run: func(n int) {
			p := connected()
			share(n, goroutines, func() error { return do(p) })
		}}
		if goroutines == 1 {
			s.calls = func(n int) callsPerTask {
				c := counter(connected())
				return c.dialer.countPerTask(n, func(n int) { share(n, 1, func() error { return do(c.peers) }) })
			}
		}
		return s
	}
	t := task{
		name:   fmt.Sprintf("%s, %d goroutines, %s", op.name, goroutines, server),
		family: "driver", least: goroutines,
		sides: []side{
			newSide("official", op.official, func(p *peers) *countingPeer { return p.countOfficial() }),
			newSide("onion", op.onion, func(p *peers) *countingPeer { return p.countOnion() }),
		},
	}
	if server == "canned" {
		t.goal, t.cpuGoal = timeGoals[op.name], cpuGoals[op.name]
	}
	return t
}

// The goals against a server that costs nothing: the speed, and the operations per second of processor time.
var (
	timeGoals = map[string]float64{"read 1000 documents": 10}
	cpuGoals  = map[string]float64{"findOne": 3, "insertOne": 3, "updateOne": 3, "insertMany 1000": 4}
)

// countingPeer is a pair of clients; one of them counts its calls.
type countingPeer struct {
	dialer *countingDialer
	peers  *peers
}

func mustConnect(name string) *peers {
	p, err := connect(name)
	if err != nil {
		panic(err)
	}
	return p
}

func connect(name string) (*peers, error) {
	p, err := connectWith(name, "")
	if err != nil {
		return nil, err
	}
	p.countOfficial = sync.OnceValue(func() *countingPeer { return p.openCounting(true) })
	p.countOnion = sync.OnceValue(func() *countingPeer { return p.openCounting(false) })
	return p, nil
}

// connectWith starts a server and opens both clients with parameters of the URI.
func connectWith(name, parameters string) (*peers, error) {
	s, err := startServer(name)
	if err != nil {
		return nil, err
	}
	p := &peers{server: s, parameters: parameters}
	if err := p.connect(nil, nil); err != nil {
		return nil, err
	}
	docs := make([]benchUser, manyDocuments)
	for i := range docs {
		docs[i] = benchUser{int32(i), "Ada Lovelace", 36}
	}
	_, err = p.onion.Database("bench").Collection("users").InsertMany(context.Background(), docs)
	return p, err
}

// dialer is what both drivers take to open their connections.
type dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// connect opens a client of each driver; nil stands for the driver's own dialer.
func (p *peers) connect(theirs, ours dialer) (err error) {
	uri := p.server.uri(p.parameters)
	theirOptions, ourOptions := officialoptions.Client().ApplyURI(uri), &options.Client{}
	if theirs != nil {
		theirOptions.SetDialer(theirs)
	}
	if ours != nil {
		ourOptions.Dialer = ours
	}
	if p.official, err = official.Connect(theirOptions); err != nil {
		return err
	}
	p.onion, err = mongo.Connect(context.Background(), uri, ourOptions)
	return err
}

// openCounting opens more clients for the same server; one of them counts.
func (p *peers) openCounting(theirs bool) *countingPeer {
	c := &countingPeer{new(countingDialer), &peers{server: p.server, parameters: p.parameters}}
	var err error
	if theirs {
		err = c.peers.connect(c.dialer, nil)
	} else {
		err = c.peers.connect(nil, c.dialer)
	}
	if err != nil {
		panic(err)
	}
	return c
}

// disconnect closes both clients, if they are open, and the others.
func (p *peers) disconnect() {
	if p.official != nil {
		p.official.Disconnect(context.Background())
	}
	if p.onion != nil {
		p.onion.Close(context.Background())
	}
	for _, c := range p.opened {
		c.close()
	}
}

// close closes both clients and ends the server.
func (p *peers) close() {
	p.disconnect()
	if p.bare != nil {
		p.bare.nc.Close()
	}
	p.server.input.Close()
}

func (p *peers) officialCollection() *official.Collection {
	return p.official.Database("bench").Collection("users")
}

func (p *peers) onionCollection() *mongo.Collection {
	return p.onion.Database("bench").Collection("users")
}

func operations() []operation {
	ctx := context.Background()
	return []operation{
		{"ping", func(p *peers) error { return p.official.Ping(ctx, nil) }, func(p *peers) error { return p.onion.Ping(ctx, nil) }},
		{"findOne", func(p *peers) error {
			var u benchUser
			return p.officialCollection().FindOne(ctx, officialbson.D{{Key: "_id", Value: int32(7)}}).Decode(&u)
		}, func(p *peers) error {
			var u benchUser
			return p.onionCollection().FindOne(ctx, bson.D{{Key: "_id", Value: int32(7)}}).Decode(&u)
		}},
		{"insertOne", func(p *peers) error {
			_, err := p.official.Database("bench").Collection("inserted").InsertOne(ctx, newUser{"Grace Hopper", 45})
			return err
		}, func(p *peers) error {
			_, err := p.onion.Database("bench").Collection("inserted").InsertOne(ctx, newUser{"Grace Hopper", 45})
			return err
		}},
		{"updateOne", func(p *peers) error {
			_, err := p.officialCollection().UpdateOne(ctx, officialbson.D{{Key: "_id", Value: int32(7)}},
				officialbson.D{{Key: "$set", Value: officialbson.D{{Key: "age", Value: int32(37)}}}})
			return err
		}, func(p *peers) error {
			_, err := p.onionCollection().UpdateOne(ctx, bson.D{{Key: "_id", Value: int32(7)}},
				bson.D{{Key: "$set", Value: bson.D{{Key: "age", Value: int32(37)}}}})
			return err
		}},
	}
}

// batchOperations take 1,000 documents each.
func batchOperations() []operation {
	ctx := context.Background()
	many := make([]newUser, manyDocuments)
	manyAny := make([]any, manyDocuments)
	for i := range many {
		many[i] = newUser{"Grace Hopper", 45}
		manyAny[i] = many[i]
	}
	return []operation{
		// The canned server answers an aggregation with a thousand documents.
		{"read 1000 documents", func(p *peers) error {
			cursor, err := p.officialCollection().Aggregate(ctx, officialbson.A{}, officialoptions.Aggregate().SetBatchSize(manyDocuments))
			if err != nil {
				return err
			}
			var all []benchUser
			return cursor.All(ctx, &all)
		}, func(p *peers) error {
			cursor, err := p.onionCollection().Aggregate(ctx, bson.A{})
			if err != nil {
				return err
			}
			_, err = mongo.All[benchUser](ctx, cursor)
			return err
		}},
		{"insertMany 1000", func(p *peers) error {
			_, err := p.official.Database("bench").Collection("many").InsertMany(ctx, manyAny)
			return err
		}, func(p *peers) error {
			_, err := p.onion.Database("bench").Collection("many").InsertMany(ctx, many)
			return err
		}},
	}
}

// pingPong sends the bytes of a ping over a bare socket. No driver can be faster.
func pingPong() side {
	var keep *server
	open := sync.OnceValue(func() net.Conn {
		s, err := startServer("canned")
		if err != nil {
			panic(err)
		}
		nc, err := net.Dial("tcp", s.address)
		if err != nil {
			panic(err)
		}
		keep = s
		return nc
	})
	return side{name: "bare", run: func(n int) {
		nc := open()
		defer runtime.KeepAlive(keep)
		request := pingMessage()
		reply := make([]byte, 4<<10)
		for range n {
			if err := exchange(nc, request, reply); err != nil {
				panic(err)
			}
		}
	}}
}

func exchange(nc net.Conn, request, reply []byte) error {
	if _, err := nc.Write(request); err != nil {
		return err
	}
	return receive(nc, reply)
}

func receive(nc net.Conn, reply []byte) error {
	if _, err := io.ReadFull(nc, reply[:4]); err != nil {
		return err
	}
	_, err := io.ReadFull(nc, reply[4:binary.LittleEndian.Uint32(reply)])
	return err
}

func pingMessage() []byte {
	return encodeMessage(bson.D{{Key: "ping", Value: int32(1)}, {Key: "$db", Value: "admin"}})
}

// encodeMessage returns a command as an OP_MSG.
func encodeMessage(command bson.D) []byte {
	body, err := bson.Marshal(command)
	if err != nil {
		panic(err)
	}
	msg := binary.LittleEndian.AppendUint32(nil, uint32(headerSize+5+len(body)))
	msg = append(msg, 1, 0, 0, 0, 0, 0, 0, 0)
	msg = binary.LittleEndian.AppendUint32(msg, 2013)
	msg = append(msg, 0, 0, 0, 0, 0)
	return append(msg, body...)
}
