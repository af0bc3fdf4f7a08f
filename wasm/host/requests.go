package host

import (
	"context"
	"fmt"
	"reflect"

	"github.com/bagscope/bagscope/wasm/wire"
)

// A handler answers the requests of one type.
type handler struct {
	request reflect.Type
	queued  bool // whether it waits for the queued requests before it
	answer  func(h *Host, ctx context.Context, id uint32, body any) (any, error)
}

// handlers holds the handlers by the type of their requests. Messages without one are answers, or
// belong to a running request.
var handlers = byRequest(append(whatIfs(),
	brief((*Host).welcome),
	brief((*Host).openModel),
	long((*Host).readBags),
	long((*Host).survey),
	brief((*Host).viewTable),
	brief((*Host).readArray),
	long((*Host).readBagFile),
	waiting((*Host).openModelFile),
	brief((*Host).openCallable),
	queued(long((*Host).writeAnswer)),
	long((*Host).writeTiles),
	brief((*Host).writeCSV),
	brief((*Host).openBag),
	brief((*Host).selectInstances),
	brief((*Host).joinBags),
	brief((*Host).stateInputs),
	waiting((*Host).labelBag),
	waiting((*Host).findConcepts),
	brief((*Host).values),
	queued(waiting((*Host).plan)),
	queued(waiting((*Host).inspect)),
	long((*Host).predict),
	queued(long((*Host).explain)),
	queued(long((*Host).judge)),
	queued(long((*Host).scoreCoalitions)),
	queued(long((*Host).curves)),
	queued(long((*Host).loss)),
	queued(waiting((*Host).runTask)),
	brief((*Host).draw),
	brief((*Host).writeGeoJSON),
	brief((*Host).writeDICOM),
	long((*Host).writeHeatmap),
	waiting((*Host).writeStrongest),
	brief((*Host).openSlide),
	brief((*Host).readRegion),
	waiting((*Host).readOverview),
	waiting((*Host).findTissue),
	waiting((*Host).placeGrid),
	brief((*Host).openEncoder),
	brief((*Host).openEnsemble),
	waiting((*Host).layPatches),
	waiting((*Host).recogniseFile),
	long((*Host).encodePatches),
	waiting((*Host).continuePatches),
	waiting((*Host).openPatches),
	waiting((*Host).writeFeatures),
	brief((*Host).writePNG),
	brief((*Host).release),
)...)

// long returns the handler of requests that send messages while they run, or share their work.
func long[R any](answer func(h *Host, ctx context.Context, id uint32, r R) (any, error)) handler {
	return handler{request: reflect.TypeFor[R](), answer: func(
		h *Host, ctx context.Context, id uint32, body any,
	) (any, error) {
		return answer(h, ctx, id, body.(R))
	}}
}

// waiting returns the handler of requests that end early if they are cancelled.
func waiting[R any](answer func(h *Host, ctx context.Context, r R) (any, error)) handler {
	return long(func(h *Host, ctx context.Context, _ uint32, r R) (any, error) {
		return answer(h, ctx, r)
	})
}

// brief returns the handler of requests that end soon.
func brief[R any](answer func(h *Host, r R) (any, error)) handler {
	return long(func(h *Host, _ context.Context, _ uint32, r R) (any, error) {
		return answer(h, r)
	})
}

// queued returns the handler of long requests, which run one after another because they share one
// thread and much memory.
func queued(to handler) handler {
	to.queued = true
	return to
}

// byRequest returns handlers by the type of their requests.
func byRequest(list ...handler) map[reflect.Type]handler {
	out := make(map[reflect.Type]handler, len(list))
	for _, one := range list {
		out[one.request] = one
	}
	return out
}

// serve answers a request.
func (h *Host) serve(ctx context.Context, m wire.Message) (any, error) {
	to, ok := handlers[reflect.TypeOf(m.Body)]
	if !ok {
		return nil, fmt.Errorf("%T is not a request", m.Body)
	}
	return to.answer(h, ctx, m.ID, m.Body)
}
