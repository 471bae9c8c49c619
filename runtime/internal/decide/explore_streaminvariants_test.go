package decide

import (
	"testing"

	. "github.com/specdrivers/onion/generated/core/changestream"
)

// streamInvariant is a sentence that holds for every step, and where the specifications say it.
type streamInvariant struct {
	name, spec string
	holds      func(*streamEdge) bool
}

func (e *streamEdge) hasFailed() bool { return e.event.What == Failed }
func (e *streamEdge) resumes() bool   { return e.verdict.Do == Aggregate && e.event.What != Watched }

// continues reports whether the stream resumes now or after a pause.
func (e *streamEdge) continues() bool { return e.resumes() || e.verdict.Do == Pause }

// inGetMore reports whether a getMore has failed with time left.
func (e *streamEdge) inGetMore() bool {
	return e.hasFailed() && e.before.do == GetMore && e.event.Time == TimeLeft
}

var streamInvariants = []streamInvariant{
	{"batches, documents and the end say nothing about where to start", "change streams, Resume Process", func(e *streamEdge) bool {
		quiet := e.event.What == Answered || e.event.What == Taken || e.event.What == Closed
		return !quiet || e.verdict.Start == AsGiven
	}},
	{"an error of an aggregate is not resumed from", "change streams, Resumable Error", func(e *streamEdge) bool {
		return !e.hasFailed() || e.before.do != Aggregate || e.verdict.Do == Fail
	}},
	{"an error of the driver's own is not resumed from", "change streams, Resumable Error", func(e *streamEdge) bool {
		return !e.hasFailed() || e.event.Failure != OwnError || e.verdict.Do == Fail
	}},
	{"a getMore without an answer is resumed from", "change streams, Resumable Error", func(e *streamEdge) bool {
		return !e.inGetMore() || e.event.Failure != NoAnswer || e.continues()
	}},
	{"CursorNotFound is resumed from, whatever the server labels", "change streams, Resumable Error", func(e *streamEdge) bool {
		return !e.inGetMore() || e.event.Failure != CursorMissing || e.continues()
	}},
	{"from 4.4 on the label alone decides about a server's error", "change streams, Resumable Error", func(e *streamEdge) bool {
		return !e.inGetMore() || e.event.Failure != ServerError || e.event.Labelling != LabelsDecide ||
			e.continues() == (e.event.Label == Labelled)
	}},
	{"before 4.4 the code alone decides about a server's error", "change streams, Resumable Error", func(e *streamEdge) bool {
		return !e.inGetMore() || e.event.Failure != ServerError || e.event.Labelling != CodesDecide ||
			e.continues() == (e.event.Code == ListedCode)
	}},
	{"nothing is resumed after the time is over", "CSOT, Change Streams", func(e *streamEdge) bool {
		return e.event.Time != TimeOver || !e.continues()
	}},
	{"a stream whose time is over can be used again", "CSOT, Change Streams", func(e *streamEdge) bool {
		late := e.event.What == Waited || e.event.Failure == NoAnswer || e.event.Expiry == ServerExpired || e.verdict.Resumable == IsResumable
		ended := e.event.Time == TimeOver && late || e.event.Expiry == DriverExpired ||
			e.event.Expiry == ServerExpired && e.event.Clock == UnderTimeout
		usable := e.hasFailed() && e.before.state.Stage != AtFirstAggregate || e.event.What == Waited
		return !usable || !ended || e.verdict.Do != Fail || e.after.state.Stage == Lapsed
	}},
	{"any other error that is not resumed from ends the stream", "change streams, Resumable Error", func(e *streamEdge) bool {
		return e.after.state.Stage != Lapsed || e.before.state.Stage == Lapsed || e.event.Time == TimeOver ||
			e.event.Expiry == DriverExpired || e.event.Expiry == ServerExpired && e.event.Clock == UnderTimeout
	}},
	{"a timeout that a server reports ends a stream without timeoutMS", "change streams, Resumable Error", func(e *streamEdge) bool {
		return e.after.state.Stage != Lapsed || e.event.Expiry != ServerExpired || e.event.Clock == UnderTimeout || e.event.Time == TimeOver
	}},
	{"the end of time saves no stream from an error that has nothing to do with it", "change streams, Resumable Error", func(e *streamEdge) bool {
		timely := e.event.Failure == NoAnswer || e.event.Expiry != NotExpired || e.verdict.Resumable == IsResumable
		return !e.hasFailed() || timely || e.after.state.Stage == Over
	}},
	{"a stream that failed to open does not exist", "change streams, Resumable Error", func(e *streamEdge) bool {
		return !e.hasFailed() || e.before.state.Stage != AtFirstAggregate || e.after.state.Stage == Over
	}},
	{"the call after a timeout resumes before anything else", "CSOT, Change Streams", func(e *streamEdge) bool {
		return e.before.state.Stage != Lapsed || e.event.What != Called || e.resumes()
	}},
	{"nothing is sent once the stream is over", "change streams, Resume Process", func(e *streamEdge) bool {
		return e.before.state.Stage != Over || e.verdict.Do == Return || e.event.What == Closed
	}},
	{"a stream that was closed is over", "change streams, Resume Process", func(e *streamEdge) bool {
		return e.event.What != Closed || e.after.state.Stage == Over && e.verdict.Old == CloseCursor && e.verdict.Do == Finish
	}},
	{"the first aggregate is what the program gave", "change streams, startAtOperationTime", func(e *streamEdge) bool {
		return e.event.What != Watched || e.verdict.Do == Aggregate && e.verdict.Start == AsGiven
	}},
	{"startAfter goes out again exactly until a document was returned", "change streams, Resume Process", func(e *streamEdge) bool {
		wanted := e.before.world.given == StartAfterGiven && !e.before.world.returned
		return !e.resumes() || (e.verdict.Start == StartAfterToken) == wanted
	}},
	{"any other token goes out as resumeAfter", "change streams, Resume Process", func(e *streamEdge) bool {
		w := e.before.world
		return !e.resumes() || w.token == nowhere || w.given == StartAfterGiven && !w.returned || e.verdict.Start == ResumeAfterToken
	}},
	{"without a token the time goes out", "change streams, Resume Process", func(e *streamEdge) bool {
		wanted := e.before.world.token == nowhere && e.before.world.time != nowhere
		return !e.resumes() || (e.verdict.Start == AtSavedTime) == wanted
	}},
	{"without either the original command goes out", "change streams, Resume Process", func(e *streamEdge) bool {
		wanted := e.before.world.token == nowhere && e.before.world.time == nowhere
		return !e.resumes() || (e.verdict.Start == AsGiven) == wanted
	}},
	{"the last document of a batch leaves the batch's token", "change streams, Updating the Cached Resume Token",
		func(e *streamEdge) bool {
			last := e.event.Batch == NothingLeft && e.event.PostBatch == HasPostBatchToken
			return e.event.What != Taken || (e.verdict.Cache == CachePostBatch) == last
		}},
	{"any other document leaves its own", "change streams, Updating the Cached Resume Token", func(e *streamEdge) bool {
		last := e.event.Batch == NothingLeft && e.event.PostBatch == HasPostBatchToken
		return (e.verdict.Cache == CacheDocument) == (e.event.What == Taken && !last)
	}},
	{"an empty batch leaves its token", "change streams, Updating the Cached Resume Token", func(e *streamEdge) bool {
		empty := e.event.Batch == NothingLeft && e.event.PostBatch == HasPostBatchToken
		return e.event.What != Answered || (e.verdict.Cache == CachePostBatch) == empty
	}},
	{"what the program gave is cached once, and before anything is sent", "change streams, Updating the Cached Resume Token",
		func(e *streamEdge) bool {
			return (e.verdict.Cache == CacheGiven) == (e.event.What == Watched && e.event.Given != NothingGiven)
		}},
	{"the time of a reply is saved only where nothing else says where the stream began", "change streams, startAtOperationTime",
		func(e *streamEdge) bool {
			w := e.before.world
			alone := e.event.What == Answered && e.before.do == Aggregate && e.event.Batch == NothingLeft &&
				e.event.PostBatch == NoPostBatchToken && e.event.OperationTime == HasOperationTime
			return (e.verdict.Cache == CacheTime) == (alone && w.token == nowhere && w.time == nowhere)
		}},
	{"the position says what is known", "change streams, Resume Process", func(e *streamEdge) bool {
		w := e.after.world
		switch e.after.state.Position {
		case FromNow:
			return w.token == nowhere && w.time == nowhere
		case FromTime:
			return w.token == nowhere && w.time != nowhere
		case FromStartAfter:
			return w.token != nowhere && w.given == StartAfterGiven && !w.returned
		}
		return w.token != nowhere && (w.given != StartAfterGiven || w.returned)
	}},
	{"the program sees the token from which the stream would resume", "change streams, Exposing All Resume Tokens",
		func(e *streamEdge) bool {
			w := e.after.world
			return w.inside || w.shown == w.token
		}},
	{"the program sees no token inside of an event", "change streams, Exposing All Resume Tokens", func(e *streamEdge) bool {
		return !e.after.world.inside || e.verdict.Show == ShowEarlier
	}},
	{"a stream replaces its cursor whenever it resumes, and keeps the session", "change streams, Resume Process",
		func(e *streamEdge) bool { return e.resumes() == (e.verdict.Old == ReplaceCursor) }},
	{"a stream that has failed for good ends its cursor", "change streams, Resume Process", func(e *streamEdge) bool {
		return !e.hasFailed() || e.after.state.Stage != Over || e.verdict.Old == EndCursor
	}},
	{"a cursor is left alone while it may be read", "change streams, Resume Process", func(e *streamEdge) bool {
		return e.after.state.Stage == Over || e.resumes() || e.verdict.Old == LeaveCursor
	}},
	{"a cursor is read only while there is one", "change streams, Resume Process", func(e *streamEdge) bool {
		return e.verdict.Do != GetMore && e.verdict.Do != Take || e.after.world.cursor != noCursor
	}},
	{"a cursor that the server has closed gets no getMore", "change streams, Resume Process", func(e *streamEdge) bool {
		return e.verdict.Do != GetMore || e.after.world.cursor == liveCursor
	}},
	{"TryNext asks for one batch", "change streams, Not Blocking on Iteration", func(e *streamEdge) bool {
		return e.after.world.mode != TryingOnce || e.after.world.asked < 2
	}},
	{"TryNext without an event has asked for a batch", "change streams, Not Blocking on Iteration", func(e *streamEdge) bool {
		w := e.after.world
		return e.verdict.Do != Return || e.after.state.Stage != Reading || e.event.What == Answered && e.before.state.Stage == AtFirstAggregate ||
			w.mode != TryingOnce || w.fresh || w.asked == 1 || e.event.What == Taken
	}},
	{"Next returns only with an event, an error or the end", "change streams, Not Blocking on Iteration", func(e *streamEdge) bool {
		open := e.before.state.Stage == AtFirstAggregate || e.before.state.Stage == Over
		return e.verdict.Do != Return || open || e.after.world.mode == TryingOnce || e.after.world.fresh
	}},
	{"an event is returned as soon as it is whole", "change streams, Not Blocking on Iteration", func(e *streamEdge) bool {
		return e.event.What != Taken || (e.verdict.Do == Return && e.after.world.fresh) == (e.event.Fragments == Whole)
	}},
	{"a batch is used up before another is asked for", "change streams, Resume Process", func(e *streamEdge) bool {
		return e.verdict.Do != GetMore || e.after.world.left == NothingLeft
	}},
	{"a stream ends without an error only when the server or the program ends it", "change streams, Resume Process",
		func(e *streamEdge) bool {
			return e.verdict.Do != Finish || e.event.What == Closed || e.event.Cursor == CursorEnded && e.after.state.Stage == Over
		}},
	{"resumptions wait only where they follow each other too fast", "departures, paced-resumptions", func(e *streamEdge) bool {
		return !e.hasFailed() || !e.continues() || (e.verdict.Do == Pause) == (e.event.Pace == Spinning)
	}},
	{"a pause ends with a resumption, or with the time", "departures, paced-resumptions", func(e *streamEdge) bool {
		return e.event.What != Waited || e.resumes() == (e.event.Time == TimeLeft)
	}},
	{"each thing to do belongs to one stage", "change streams, Resume Process", func(e *streamEdge) bool {
		switch s := e.after.state.Stage; e.verdict.Do {
		case Aggregate:
			return s == AtFirstAggregate && e.event.What == Watched || (s == AtResume || s == AtLateResume) && e.event.What != Watched
		case GetMore:
			return s == AtGetMore
		case Take:
			return s == Reading
		case Pause:
			return s == AtPause
		case Fail:
			return s == Lapsed || s == Over
		case Finish:
			return s == Over
		default:
			return s == Reading || s == Over && e.before.state.Stage == Over
		}
	}},
}

func TestStreamInvariantsAreSentences(t *testing.T) {
	names := map[string]bool{}
	for _, inv := range streamInvariants {
		if names[inv.name] || inv.spec == "" {
			t.Errorf("%q stands twice or cites nothing", inv.name)
		}
		names[inv.name] = true
	}
}
