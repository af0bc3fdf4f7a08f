// Reductions, Softmax and normalisations along one axis of (outer, n, inner): so many invocations for each of outer times inner rows, a power of
// two up to 256, and a workgroup for as many rows as have room.

@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let kind = param(0u); let outer = param(1u); let n = param(2u); let inner = param(3u);
    let width = param(9u); let lane = at % width;
    let place = group_of(group, groups) * (256u / width) + at / width;
    let row = min(place, outer * inner - 1u); // those without a row of their own come along, because all have to meet
    let writes = place == row;
    let base = (row / inner) * n * inner + row % inner;
    let first = x[base]; // what sums are taken of is shifted by it, which spares digits
    var v = 0.0;
    switch kind {
        case 0u, 1u: { // sum and mean
            for (var j = lane; j < n; j += width) { v += x[base + j * inner]; }
            v = together(at, v, adding);
            if (kind == 1u) { v /= f32(n); }
            if (writes && lane == 0u) { y[row] = v; }
        }
        case 2u, 3u: { // maximum and minimum
            let turn = select(1.0, -1.0, kind == 3u);
            v = turn * first;
            for (var j = lane; j < n; j += width) { v = max(v, turn * x[base + j * inner]); }
            v = turn * together(at, v, largest);
            if (writes && lane == 0u) { y[row] = v; }
        }
        case 4u, 5u: { // sum of squares, and its root
            for (var j = lane; j < n; j += width) { let t = x[base + j * inner]; v += t * t; }
            v = together(at, v, adding);
            if (kind == 5u) { v = sqrt(v); }
            if (writes && lane == 0u) { y[row] = v; }
        }
        case 6u: { // sum of absolute values
            for (var j = lane; j < n; j += width) { v += abs(x[base + j * inner]); }
            v = together(at, v, adding);
            if (writes && lane == 0u) { y[row] = v; }
        }
        case 11u: { // product
            v = 1.0;
            for (var j = lane; j < n; j += width) { v *= x[base + j * inner]; }
            v = together(at, v, multiplying);
            if (writes && lane == 0u) { y[row] = v; }
        }
        case 10u: { // logarithm of the sum of powers, of which the largest is taken out
            v = first;
            for (var j = lane; j < n; j += width) { v = max(v, x[base + j * inner]); }
            let top = together(at, v, largest);
            var sum = 0.0;
            for (var j = lane; j < n; j += width) { sum += exp(max(x[base + j * inner] - top, -87.0)); }
            sum = together(at, sum, adding);
            if (writes && lane == 0u) { y[row] = top + log(sum); }
        }
        case 7u: { // softmax
            v = first;
            for (var j = lane; j < n; j += width) { v = max(v, x[base + j * inner]); }
            let top = together(at, v, largest);
            var sum = 0.0;
            for (var j = lane; j < n; j += width) {
                let e = exp(max(x[base + j * inner] - top, -87.0));
                sum += select(e, 0.0, x[base + j * inner] - top < -87.0);
            }
            sum = together(at, sum, adding);
            for (var j = lane; j < n && writes; j += width) {
                let d = x[base + j * inner] - top;
                y[base + j * inner] = select(exp(max(d, -87.0)) / sum, 0.0, d < -87.0);
            }
        }
        default: { // normalised to mean 0 and variance 1, or with kind 9 to a mean square of 1
            for (var j = lane; j < n; j += width) { v += x[base + j * inner] - first; }
            var mean = first + together(at, v, adding) / f32(n);
            if (kind == 9u) { mean = 0.0; }
            var square = 0.0;
            for (var j = lane; j < n; j += width) { let t = x[base + j * inner] - mean; square += t * t; }
            let r = inverseSqrt(together(at, square, adding) / f32(n) + real(4u));
            let parts = param(5u); let each = param(6u); let spread = param(7u);
            for (var j = lane; j < n && writes; j += width) { // the scale of element j of a row is that of its channel
                let channel = (row % parts) * each + j / spread;
                var t = (x[base + j * inner] - mean) * r * scale[channel];
                if (param(8u) != 0u) { t += bias[channel]; }
                y[base + j * inner] = t;
            }
        }
    }
}
