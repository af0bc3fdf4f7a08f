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

// A shader is the code of a kernel: its number of inputs and its files of wgsl, which follow
// head.wgsl.
type shader struct {
	inputs int
	files  []string
}

// shaders has the kernels. Those of operators share common.wgsl. A kernel of tiles has a file for
// the tile and files for the operands that are multiplied.
var shaders = map[string]shader{
	"product64":    {3, []string{"common", "tile64", "product", "scalars"}},
	"product128":   {3, []string{"common", "tile128", "product", "scalars"}},
	"vectors64":    {3, []string{"common", "tile64", "product", "vectors"}},
	"vectors128":   {3, []string{"common", "tile128", "product", "vectors"}},
	"patches64":    {3, []string{"common", "tile64", "conv", "patches"}},
	"patches128":   {3, []string{"common", "tile128", "conv", "patches"}},
	"pointwise64":  {3, []string{"common", "tile64", "conv", "pointwise"}},
	"pointwise128": {3, []string{"common", "tile128", "conv", "pointwise"}},
	"attention":    {3, []string{"common", "product", "scalars", "attention"}},
	"narrow":       {3, []string{"common", "narrow"}},
	"pool":         {1, []string{"common", "pool"}},
	"move":         {1, []string{"common", "move"}},
	"elementwise":  {3, []string{"common", "elementwise"}},
	"along":        {3, []string{"common", "together", "along"}},
	"rows":         {3, []string{"common", "together", "rows"}},
	"affine":       {3, []string{"common", "affine"}},
	"gather":       {2, []string{"common", "gather"}},
	"join":         {2, []string{"common", "join"}},
	"sums":         {2, []string{"sums"}},
	"walk":         {3, []string{"walk"}},
	"gram":         {3, []string{"gram"}},
}

// kernel returns the compiled kernel of a name, which is compiled at its first use.
func (p *processor) kernel(name string) (*kernel, error) {
	if k := p.kernels[name]; k != nil {
		return k, nil
	}
	l, err := p.layout(shaders[name].inputs)
	if err != nil {
		return nil, err
	}
	code := ""
	for _, file := range append([]string{"head"}, shaders[name].files...) {
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
