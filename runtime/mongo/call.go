package mongo

import (
	"sync"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// call is an operation with its command and the memory into which its documents are encoded. A small operation
// allocates little else, so calls are reused. That is safe because nothing refers to a call once its operation has
// ended: replies have memory of their own, and events and errors hold copies.
type call[C any] struct {
	idle poison.Mark

	op  exec.Operation
	cmd C
	enc encode.Encoder
}

// calls are the idle calls of a client, for the operations that programs repeat most.
type calls struct {
	ping       callPool[command.Ping]
	findOne    callPool[command.FindOne]
	find       callPool[command.Find]
	getMore    callPool[command.GetMore]
	insertOne  callPool[command.InsertOne]
	updateOne  callPool[command.UpdateOne]
	replaceOne callPool[command.ReplaceOne]
	deleteOne  callPool[command.DeleteOne]
	commit     callPool[command.CommitTransaction]
}

// callPool holds calls with commands of one type. The zero value is empty.
type callPool[C any] struct{ free sync.Pool }

func (p *callPool[C]) get() *call[C] {
	if c, ok := p.free.Get().(*call[C]); ok {
		c.idle.ComesOut()
		return c
	}
	return new(call[C])
}

// maxCallBuffer is the largest buffer that a call keeps. The garbage collector frees the calls that stay idle.
const maxCallBuffer = 2 << 20

func (p *callPool[C]) put(c *call[C]) {
	c.enc.Reset(maxCallBuffer)
	c.idle.GoesBack()
	c.op = exec.Operation{} // two statements: a single assignment would build temporary copies
	c.cmd = *new(C)
	p.free.Put(c)
}
