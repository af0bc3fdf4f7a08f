//go:build gpu

package gpu

import (
	"embed"

	"github.com/cogentcore/webgpu/wgpu"
)

//go:embed wgsl/*.wgsl
var sources embed.FS

// A kernel is a compiled program of the device.
type kernel struct {
	pipeline *wgpu.ComputePipeline
	*layout
}

// A layout describes the bindings of a kernel: parameters, the result, and inputs. Kernels with the
// same number of inputs share a layout.
type layout struct {
	inputs int
	group  *wgpu.BindGroupLayout
	whole  *wgpu.PipelineLayout
}

// The numbers of inputs of kernels. A kernel's code is head.wgsl, common.wgsl and its own file; the
// kernels of coalitions do not need common.wgsl.
var (
	inputsOf = map[string]int{
		"product": 3, "conv": 3, "narrow": 3, "pool": 1, "elementwise": 3, "along": 3, "move": 1,
		"affine": 3, "gather": 2, "join": 2,
	}
	coalitionInputs = map[string]int{"sums": 2, "walk": 3, "gram": 3}
)

// kernel returns the compiled kernel of a name, which is compiled at its first use.
func (p *processor) kernel(name string) (*kernel, error) {
	if k := p.kernels[name]; k != nil {
		return k, nil
	}
	inputs, files := inputsOf[name], []string{"head", "common", name}
	if n, ok := coalitionInputs[name]; ok {
		inputs, files = n, []string{"head", name}
	}
	l, err := p.layout(inputs)
	if err != nil {
		return nil, err
	}
	code := ""
	for _, file := range files {
		text, err := sources.ReadFile("wgsl/" + file + ".wgsl")
		if err != nil {
			return nil, err
		}
		code += string(text)
	}
	module, err := p.device.CreateShaderModule(&wgpu.ShaderModuleDescriptor{Label: name,
		WGSLDescriptor: &wgpu.ShaderModuleWGSLDescriptor{Code: code}})
	if err != nil {
		return nil, err
	}
	defer module.Release()
	pipeline, err := p.device.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{Layout: l.whole,
		Compute: wgpu.ProgrammableStageDescriptor{Module: module, EntryPoint: "main"}})
	if err != nil {
		return nil, err
	}
	k := &kernel{pipeline, l}
	p.kernels[name] = k
	return k, nil
}

// layout returns the layout of kernels with a number of inputs: a uniform buffer of parameters, a
// storage buffer for the result, and read-only storage buffers.
func (p *processor) layout(inputs int) (*layout, error) {
	if l := p.layouts[inputs]; l != nil {
		return l, nil
	}
	entries := make([]wgpu.BindGroupLayoutEntry, 2+inputs)
	for i := range entries {
		kind := wgpu.BufferBindingTypeReadOnlyStorage
		switch i {
		case 0:
			kind = wgpu.BufferBindingTypeUniform
		case 1:
			kind = wgpu.BufferBindingTypeStorage
		}
		entries[i] = wgpu.BindGroupLayoutEntry{Binding: uint32(i),
			Visibility: wgpu.ShaderStageCompute, Buffer: wgpu.BufferBindingLayout{Type: kind}}
	}
	group, err := p.device.CreateBindGroupLayout(&wgpu.BindGroupLayoutDescriptor{Entries: entries})
	if err != nil {
		return nil, err
	}
	whole, err := p.device.CreatePipelineLayout(
		&wgpu.PipelineLayoutDescriptor{BindGroupLayouts: []*wgpu.BindGroupLayout{group}})
	if err != nil {
		return nil, err
	}
	l := &layout{inputs, group, whole}
	p.layouts[inputs] = l
	return l, nil
}
