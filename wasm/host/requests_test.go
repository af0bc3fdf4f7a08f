package host

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/source"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// TestEveryRequestHasAHandler: requests are the messages whose comment names their answer.
func TestEveryRequestHasAHandler(t *testing.T) {
	comments := must.Get(source.Read("../wire"))(t).Comments
	names := map[string]bool{}
	for _, body := range wire.Bodies() {
		names[reflect.TypeOf(body).Name()] = true
	}
	answer := regexp.MustCompile(`Answer:\s+(\w+)\.`)
	for _, body := range wire.Bodies() {
		request := answer.FindStringSubmatch(comments[reflect.TypeOf(body).Name()])
		_, handled := handlers[reflect.TypeOf(body)]
		switch body.(type) {
		case wire.Cancel, wire.TaskResult, wire.BagScores: // Receive handles them
			handled = true
		}
		must.Equal(t, handled, request != nil, body)
		if request != nil && !names[request[1]] {
			t.Errorf("the answer to %T is %s, which is not a message", body, request[1])
		}
	}
}

// TestEveryWhatIfHasMessages: a request and an answer belong to each row of the table, and the
// request has the options of the row.
func TestEveryWhatIfHasMessages(t *testing.T) {
	bodies := map[string]any{}
	for _, body := range wire.Bodies() {
		bodies[reflect.TypeOf(body).Name()] = body
	}
	for _, w := range ask.WhatIfs() {
		request, ok := bodies[w.Type()]
		if !ok {
			t.Errorf("no message %s requests the what-if %s", w.Type(), w.Name)
			continue
		}
		common, ok := reflect.TypeOf(request).FieldByName("Ask")
		must.Equal(t, ok, true, w.Type())
		must.Equal(t, common.Type, reflect.TypeFor[wire.Ask](), w.Type())
		options, ok := reflect.TypeOf(request).FieldByName("Options")
		q := w.New()
		if own := reflect.TypeOf(q.Options).Elem(); ok != (len(q.Fields) > 0) ||
			ok && options.Type != own {
			t.Errorf("%s has other options than %v", w.Type(), own)
		}
		must.Equal(t, reflect.TypeOf(bodies[w.Answer.Name()]), w.Answer)
	}
}
