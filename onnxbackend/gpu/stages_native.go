//go:build gpu && !js

package gpu

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/cogentcore/webgpu/wgpu"
)

// Bounds of staging. Small values go by WriteBuffer, which allocates memory for each.
const (
	stagedFrom = 1 << 18 // bytes of a value that is staged
	stageBytes = 16 << 20
)

// A stage is memory that the CPU writes and the device copies from. It stays for later values,
// since its allocation takes longer than its use.
type stage struct {
	gpu    *wgpu.Buffer
	mapped status // mapPending while commands read it
}

// fill copies a value to a buffer, in pieces through stages. Commands submitted before read the
// previous content.
func (p *processor) fill(b *buffer, data []byte) error {
	p.counts.up += len(data)
	if len(data) < stagedFrom {
		return p.lose(p.write(b.gpu, data))
	}
	for at := 0; at < len(data); at += stageBytes {
		if err := p.fillPiece(b, at, data[at:min(at+stageBytes, len(data))]); err != nil {
			return err
		}
	}
	return nil
}

// fillPiece copies a piece that fits into a stage.
func (p *processor) fillPiece(b *buffer, at int, data []byte) error {
	s, err := p.idleStage()
	if err != nil {
		return err
	}
	copyParallel(s.gpu.GetMappedRange(0, uint(len(data))), data)
	if err := s.gpu.Unmap(); err != nil {
		return p.lose(err)
	}
	encoder, err := p.device.CreateCommandEncoder(nil)
	if err != nil {
		return p.lose(err)
	}
	defer encoder.Release()
	if err := encoder.CopyBufferToBuffer(s.gpu, 0, b.gpu, uint64(at),
		uint64(len(data))); err != nil {
		return p.lose(err)
	}
	commands, err := encoder.Finish(nil)
	if err != nil {
		return p.lose(err)
	}
	defer commands.Release()
	p.send(commands)
	mapLater(s.gpu, wgpu.MapModeWrite, stageBytes, s.mapped)
	return nil
}

// idleStage returns a stage that is mapped. If none is, it allocates one, and at a quarter of the
// device's memory it waits for one.
func (p *processor) idleStage() (*stage, error) {
	idle := p.findIdle()
	if idle == nil {
		p.device.Poll(false, nil)
		idle = p.findIdle()
	}
	if idle == nil && len(p.stages) < max(2, p.limits.memory/4/stageBytes) {
		b, err := p.device.CreateBuffer(&wgpu.BufferDescriptor{Size: stageBytes,
			Usage: wgpu.BufferUsageMapWrite | wgpu.BufferUsageCopySrc, MappedAtCreation: true})
		if err != nil {
			return nil, p.lose(err)
		}
		idle = &stage{b, newStatus()}
		p.stages = append(p.stages, idle)
		return idle, nil
	}
	err := p.until(context.Background(), func(empty bool) bool {
		if idle == nil {
			idle = p.findIdle()
		}
		return idle != nil || empty
	})
	if err == nil && idle == nil { // no command uses them, and none can be mapped
		err = p.lose(errors.New("memory for uploads cannot be mapped"))
	}
	return idle, err
}

// findIdle returns a stage that is mapped, or nil.
func (p *processor) findIdle() *stage {
	for _, s := range p.stages {
		if s.mapped.get() == mapSuccess {
			return s
		}
	}
	return nil
}

// copyParallel copies bytes, many of them by all threads: one does not fill the bus.
func copyParallel(to, from []byte) {
	if len(from) < stagedFrom {
		copy(to, from)
		return
	}
	parts := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for i := range parts {
		lo, hi := len(from)*i/parts, len(from)*(i+1)/parts
		all.Go(func() { copy(to[lo:hi], from[lo:hi]) })
	}
	all.Wait()
}
