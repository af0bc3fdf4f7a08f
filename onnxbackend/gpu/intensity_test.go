//go:build gpu && !js

package gpu

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
)

// sourceOf returns the code of a kernel.
func sourceOf(t *testing.T, name string) string {
	t.Helper()
	code := ""
	for _, file := range append([]string{"head"}, shaders[name].files...) {
		code += string(must.Get(sources.ReadFile("wgsl/" + file + ".wgsl"))(t))
	}
	return code
}

var (
	sharedArray = regexp.MustCompile(`var<workgroup> \w+: array<(\w+)(?:<[fu]32>)?, (\w+)>`)
	named       = regexp.MustCompile(`const (\w+) = (\d+)u?;`)
	groupSize   = regexp.MustCompile(`@workgroup_size\((\d+)\)`)
	innerLoop   = regexp.MustCompile(`(?s)for \(var s = [^;]+; s < [^;]+; s\+\+\) \{(.*?)\n +\}`)
	sharedLoad  = regexp.MustCompile(`(left|right)\[`)
)

// TestShaderLimits adds up the memory of a workgroup that each kernel declares: every device has
// 16 KB of it, and 256 invocations in a group.
func TestShaderLimits(t *testing.T) {
	for name := range shaders {
		code, bytes := sourceOf(t, name), 0
		for _, m := range sharedArray.FindAllStringSubmatch(code, -1) {
			size := map[string]int{"f32": 4, "u32": 4, "vec2": 8, "vec4": 16}[m[1]]
			if size == 0 {
				t.Errorf("%s: the test does not know the size of %s", name, m[1])
			}
			length := m[2]
			for _, c := range named.FindAllStringSubmatch(code, -1) {
				if c[1] == length {
					length = c[2]
				}
			}
			bytes += size * must.Get(strconv.Atoi(length))(t)
		}
		understood := len(sharedArray.FindAllString(code, -1))
		if n := strings.Count(code, "var<workgroup>"); n != understood {
			t.Errorf("%s: the test understands %d of %d variables of a workgroup", name,
				understood, n)
		}
		size := groupSize.FindStringSubmatch(code)
		if bytes > 16<<10 || size == nil || must.Get(strconv.Atoi(size[1]))(t) > 256 {
			t.Errorf("%s: %d bytes and %v invocations in a workgroup", name, bytes, size)
		}
	}
}

// TestSharedReads counts the multiplications for each byte that the loops over a tile read from the
// memory of a workgroup. Processors read some 128 bytes there in the time of 128 multiplications,
// so that less than one holds them up.
func TestSharedReads(t *testing.T) {
	for name, want := range map[string]float64{
		"product64": 0.5, "product128": 1, "vectors64": 0.5, "vectors128": 1, "patches64": 0.5,
		"patches128": 1, "pointwise64": 0.5, "pointwise128": 1, "attention": 0.5,
	} {
		loops := innerLoop.FindAllStringSubmatch(sourceOf(t, name), -1)
		if len(loops) == 0 {
			t.Errorf("%s has no loop over a tile", name)
		}
		for _, loop := range loops {
			multiplied := 4 * strings.Count(loop[1], "fma(vec4<f32>(")
			read := 16 * len(sharedLoad.FindAllString(loop[1], -1))
			if got := float64(multiplied) / float64(read); got != want {
				t.Errorf("%s: %g multiplications for each byte, want %g", name, got, want)
			}
		}
	}
}

// intensity returns the multiplications of a product for each byte that its workgroups read and
// write, if nothing that they read was in a cache.
func (p *product) intensity(side int) float64 {
	read := p.tiles(side) * 2 * side * p.k
	return float64(p.batch*p.m*p.n*p.k) / float64(4*(read+p.batch*p.m*p.n))
}

// TestIntensity lists which kernel computes layers of encoders, for 64 pictures, and its estimate
// of multiplications for each byte of the device's memory. An H100 multiplies 10 times in the time
// of a byte: a layer below needs the cache.
func TestIntensity(t *testing.T) {
	dense := func(m, n, k int) product {
		return product{batch: 1, m: m, n: n, k: k, aRow: k, aCol: 1, bRow: n, bCol: 1}
	}
	layer := func(sources, maps, side, kernel, stride int) *convolution {
		two := func(n int) []int { return []int{n, n} }
		return &convolution{64, sources, maps, 1, compute.Geometry{In: two(side * stride),
			Out: two(side), Kernel: two(kernel), Strides: two(stride), Dilations: two(1),
			Pads: make([]int, 4)}}
	}
	for _, c := range []struct {
		name   string
		p      product
		v      *convolution
		kernel string
		want   float64
	}{
		{"ViT-S, queries, keys and values", dense(64*197, 1152, 384), nil, "vectors128", 13.7},
		{"ViT-S, behind the attention", dense(64*197, 384, 384), nil, "vectors128", 13.7},
		{"ViT-S, wide layer", dense(64*197, 384, 1536), nil, "vectors128", 15.3},
		{"gated attention, 10,000 instances", dense(10_000, 128, 512), nil, "vectors128", 14.1},
		{"scores of an instance", dense(10_000, 1, 128), nil, "product64", 0.1},
		{"two classes", dense(1, 2, 512), nil, "product64", 0},
		{"ResNet-18, 56 x 56", product{}, layer(64, 64, 56, 3, 1), "patches64", 7.6},
		{"ResNet-18, 28 x 28", product{}, layer(128, 128, 28, 3, 1), "patches128", 15.2},
		{"ResNet-18, 7 x 7", product{}, layer(512, 512, 7, 3, 1), "patches128", 15.5},
		{"ResNet-50, 1 x 1", product{}, layer(64, 256, 56, 1, 1), "pointwise128", 8},
		{"ConvNeXt, patches", product{}, layer(3, 96, 56, 4, 4), "patches128", 6},
	} {
		p := c.p
		got, _ := p.kernel()
		if c.v != nil {
			got, _ = c.v.kernel()
			p = product{m: c.v.maps, n: c.v.pictures * c.v.Out[0] * c.v.Out[1],
				k: c.v.depth(), batch: c.v.parts}
		}
		ratio := p.intensity(sideOf(got))
		if got != c.kernel || !(math.Abs(ratio-c.want) <= 0.06) {
			t.Errorf("%s: %s, %.1f multiplications for each byte; want %s, %.1f", c.name, got,
				ratio, c.kernel, c.want)
		}
	}
}
