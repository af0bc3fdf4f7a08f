//go:build gpu && !js

package gpu

/*
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

extern void wgpuBufferMapAsync(void *, uint32_t, size_t, size_t, void (*)(int32_t, void *), void *);
extern void wgpuQueueOnSubmittedWorkDone(void *, void (*)(int32_t, void *), void *);
extern void wgpuDevicePushErrorScope(void *, int32_t);
extern void wgpuDevicePopErrorScope(void *, void (*)(int32_t, const char *, void *), void *);

static void count(int32_t status, void *to) { ++*(uint64_t *)to; }

static void store(int32_t status, void *to) { *(int32_t *)to = status; }

// refuse stores WGPUBufferMapAsyncStatus_ValidationError. It runs only if there is an error.
static void refuse(int32_t type, const char *message, void *to) { *(int32_t *)to = 1; }

static void countWhenDone(void *queue, uint64_t *to) {
	wgpuQueueOnSubmittedWorkDone(queue, count, to);
}

static void mapLater(void *buffer, void *device, uint32_t mode, size_t size, int32_t *to) {
	wgpuDevicePushErrorScope(device, 0);
	wgpuBufferMapAsync(buffer, mode, 0, size, store, to);
	wgpuDevicePopErrorScope(device, refuse, to);
}
*/
import "C"

import (
	"unsafe"

	"github.com/cogentcore/webgpu/wgpu"
)

// The calls of wgpu below return their results later, during a Poll. The binding passes the address
// of a Go variable for the result, and keeps the variable alive only during its own call: if the
// garbage collector frees it before the result, the program crashes. Here results go to memory of
// C that is never freed.

// A status is the result of a mapping, in memory of C.
type status struct{ c *C.int32_t }

// Values of a status; others are errors.
const (
	mapPending = -1
	mapSuccess = 0
)

// newStatus returns a status of no mapping.
func newStatus() status { return status{(*C.int32_t)(C.calloc(1, C.sizeof_int32_t))} }

// get returns the result, or mapPending.
func (s status) get() int { return int(*s.c) }

// newCounter returns a counter in memory of C.
func newCounter() *mark { return (*mark)(C.calloc(1, C.sizeof_uint64_t)) }

// parts are the fields of the binding's Buffer and Queue.
type parts struct{ device, own unsafe.Pointer }

// countWhenDone adds one to a counter when all commands submitted so far have run.
func countWhenDone(queue *wgpu.Queue, to *mark) {
	C.countWhenDone((*parts)(unsafe.Pointer(queue)).own, (*C.uint64_t)(to))
}

// mapLater maps the first bytes of a buffer when the commands that use it have run, and sets s.
func mapLater(b *wgpu.Buffer, mode wgpu.MapMode, size int, s status) {
	*s.c = mapPending
	p := (*parts)(unsafe.Pointer(b))
	C.mapLater(p.own, p.device, C.uint32_t(mode), C.size_t(size), s.c)
}
