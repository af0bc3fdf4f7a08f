package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// getWith sends a request to one host with another host as its helper, like JavaScript does. It
// returns the answer, of type T, and the number of shared tasks.
func getWith[T any](c, helper *client, model int, r any) (T, int) {
	c.t.Helper()
	id, shared := c.send(r), 0
	for {
		switch m := c.next(id).(type) {
		case T:
			return m, shared
		case wire.HelperTask:
			shared++
			result := wire.TaskResult{Request: int(id), Ticket: m.Ticket, Failed: true}
			if a, ok := helper.ask(wire.RunTask{Model: model, Task: m.Task}).(wire.TaskReply); ok {
				result.Failed, result.Reply = false, a.Reply
			}
			get[wire.Done](c, result)
		case wire.Progress, wire.CancelTask:
		default:
			c.t.Fatalf("%T with a helper gave %+v", r, m)
		}
	}
}

// Explanations with a helper, with a helper that has another model, and without helpers are equal.
func TestHelpers(t *testing.T) {
	for _, plain := range []bool{false, true} {
		open := func() (c *client, model, bag int) {
			c = newClient(t, nil)
			_, bag = c.openTiny()
			model = get[wire.ModelOpened](c, wire.OpenModel{Name: "tiny", Plain: plain,
				Bytes: testdata(t, "tiny.onnx")}).Handle
			return c, model, bag
		}
		c, model, bag := open()
		r := wire.Explain{Model: model, Bag: bag, Methods: new([]string{"milli", "random_shap"}),
			Seed: 5, Trace: true}
		want := get[wire.Explained](c, r)

		c, _, _ = open()
		helper, theirs, _ := open()
		r.Helpers, r.Eager = 1, true
		got, shared := getWith[wire.Explained](c, helper, theirs, r)
		must.Equal(t, reflect.DeepEqual(got, want), true, plain, got, want)
		must.Equal(t, shared != 0, true, plain)

		c, _, _ = open()
		helper, _, _ = open()
		if got, _ := getWith[wire.Explained](c, helper, 1000, r); !reflect.DeepEqual(got, want) {
			t.Errorf("plain %v: a lost helper changes the answer", plain)
		}

		c, _, _ = open()
		r.Eager = false
		if got, shared := getWith[wire.Explained](c, helper, 1000, r); !reflect.DeepEqual(got,
			want) || shared > 0 {
			t.Errorf("plain %v: %d small tasks were shared", plain, shared)
		}
	}
}

// TestTasksOfAPool sends tasks by hand: a reply is delivered, a failed helper gets no other task,
// and a task whose request ends is cancelled.
func TestTasksOfAPool(t *testing.T) {
	c := newClient(t, nil)
	const request = 77
	send := c.host.helpers(request, 2, true).Send
	type result struct {
		reply []byte
		err   error
	}
	begin := func(ctx context.Context, helper int) (wire.HelperTask, chan result) {
		done := make(chan result, 1)
		go func() {
			reply, err := send(ctx, helper, []byte("task"))
			done <- result{reply, err}
		}()
		return c.next(request).(wire.HelperTask), done
	}
	task, done := begin(t.Context(), 1)
	get[wire.Done](c, wire.TaskResult{Request: request, Ticket: task.Ticket,
		Reply: []byte("reply")})
	if r := <-done; string(r.reply) != "reply" || r.err != nil || string(task.Task) != "task" ||
		task.Helper != 1 {
		t.Errorf("task %+v, reply %q, %v", task, r.reply, r.err)
	}
	ended := errors.New("it ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	task, done = begin(ctx, 1)
	cancel(ended)
	must.Is(t, (<-done).err, ended, "the error of a request that ended is")
	if m, ok := c.next(request).(wire.CancelTask); !ok || m.Ticket != task.Ticket {
		t.Errorf("ticket %d is cancelled by %+v", task.Ticket, m)
	}
	task, done = begin(t.Context(), 0)
	get[wire.Done](c, wire.TaskResult{Request: request, Ticket: task.Ticket, Failed: true})
	must.Is(t, (<-done).err, errHelper, "the error of a helper that failed is")
	must.Is(t, must.Err(send(t.Context(), 0, nil)), errHelper,
		"the next task of a helper that failed")
}

// Late and unknown replies are ignored.
func TestUnknownTaskResult(t *testing.T) {
	c := newClient(t, nil)
	get[wire.Done](c, wire.TaskResult{Request: 99, Ticket: 1, Reply: []byte{1}})
	c.fails(kind.Setting, wire.RunTask{Model: 99})
	model, _ := c.openTiny()
	c.fails(kind.Internal, wire.RunTask{Model: model, Task: []byte("no task")})
}

// A prediction with a helper equals the prediction without, and reports the progress of its
// encoding.
func TestPredictWithHelper(t *testing.T) {
	c := newClient(t, nil)
	model, _ := c.openTiny()
	helper := newClient(t, nil)
	theirs, _ := helper.openTiny()
	const k = 800_000 // instances of 6 values: more than two blocks
	header := fmt.Sprintf("%-117s\n", fmt.Sprintf(
		"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 6), }", k))
	rows := append([]byte("\x93NUMPY\x01\x00v\x00"), header...)
	for i := range 6 * k {
		rows = binary.LittleEndian.AppendUint32(rows, math.Float32bits(float32(i%7)))
	}
	set := get[wire.BagsRead](c, wire.ReadBags{
		Files: []wire.BagFile{{Name: "rows.npy", Bytes: rows}}, Model: model})
	bag := get[wire.BagOpened](c, wire.OpenBag{Set: set.Handle}).Handle
	r := wire.Predict{Model: model, Bag: bag}
	want := get[wire.Predicted](c, r)
	r.Helpers, r.Eager = 1, true
	if got, shared := getWith[wire.Predicted](c, helper, theirs, r); !reflect.DeepEqual(got,
		want) || shared == 0 {
		t.Errorf("with %d shared tasks the prediction is %v, want %v", shared, got.Read.Values,
			want.Read.Values)
	}
	id := c.send(wire.Predict{Model: model, Bag: bag, Watch: true})
	var last wire.Progress
	reports := 0
	for {
		p, ok := c.next(id).(wire.Progress)
		if !ok {
			break
		}
		must.Equal(t, p.Instances, true, p, last)
		must.Equal(t, p.Completed >= last.Completed, true, p, last)
		last = p
		reports++
	}
	if reports < 2 || last.Completed != k || last.Total != k {
		t.Errorf("%d reports, the last %+v", reports, last)
	}
}
