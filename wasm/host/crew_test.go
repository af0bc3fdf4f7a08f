package host

import (
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/wasm/wire"
)

// getWith asks one host with the help of another, as JavaScript has them do it. It returns the
// answer, of type T, and how many tasks were shared. A helper that fails is one that is lost.
func getWith[T any](c, helper *client, model int, r any) (T, int) {
	c.t.Helper()
	id, shared := c.send(r), 0
	for {
		switch m := c.next(id).(type) {
		case T:
			return m, shared
		case wire.Shared:
			shared++
			hand := wire.Hand{Request: int(id), Ticket: m.Ticket, Lost: true}
			if a, ok := helper.ask(wire.Assist{Model: model, Task: m.Task}).(wire.Assisted); ok {
				hand.Lost, hand.Reply = false, a.Reply
			}
			get[wire.Done](c, hand)
		case wire.Progress, wire.Unshared:
		default:
			c.t.Fatalf("%T with a helper gave %+v", r, m)
		}
	}
}

// An explanation with a helper, with one that has another model and with none are one.
func TestCrew(t *testing.T) {
	for _, plain := range []bool{false, true} {
		open := func() (c *client, model, bag int) {
			c = newClient(t, nil)
			_, bag = c.openTiny()
			model = get[wire.ModelOpened](c, wire.OpenModel{Name: "tiny", Plain: plain, Bytes: testdata(t, "tiny.onnx")}).Handle
			return c, model, bag
		}
		c, model, bag := open()
		r := wire.Explain{Model: model, Bag: bag, Methods: []string{"milli", "random_shap"}, Seed: 5, Trace: true}
		want := get[wire.Explained](c, r)

		c, _, _ = open()
		helper, theirs, _ := open()
		r.Helpers, r.Eager = 1, true
		got, shared := getWith[wire.Explained](c, helper, theirs, r)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("plain %v: a helper changes the answer to %+v, want %+v", plain, got, want)
		}
		if shared == 0 {
			t.Errorf("plain %v: nothing was shared", plain)
		}

		c, _, _ = open()
		helper, _, _ = open()
		if got, _ := getWith[wire.Explained](c, helper, 1000, r); !reflect.DeepEqual(got, want) {
			t.Errorf("plain %v: a lost helper changes the answer", plain)
		}

		c, _, _ = open()
		r.Eager = false
		if got, shared := getWith[wire.Explained](c, helper, 1000, r); !reflect.DeepEqual(got, want) || shared > 0 {
			t.Errorf("plain %v: %d small tasks were shared", plain, shared)
		}
	}
}

// What is handed in late, or for nothing, is passed over.
func TestHandForNothing(t *testing.T) {
	c := newClient(t, nil)
	get[wire.Done](c, wire.Hand{Request: 99, Ticket: 1, Reply: []byte{1}})
	c.fails(kindSetting, wire.Assist{Model: 99})
	model, _ := c.openTiny()
	c.fails(kindInternal, wire.Assist{Model: model, Task: []byte("no task")})
}
