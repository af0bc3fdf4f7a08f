// Softmax and normalisations along one axis of (outer, n, inner), up to 2,048 elements of it: kinds 7 to 9 of along.wgsl, with its parameters.
// An invocation has up to eight elements of a row in registers, so that a row is read once.

@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;

// The place of four elements of a row. Those beyond its end are the last one.
fn places(base: u32, j: vec4<u32>) -> vec4<u32> { return base + min(j, vec4<u32>(param(2u) - 1u)) * param(3u); }

fn four_of_x(p: vec4<u32>) -> vec4<f32> { return vec4<f32>(x[p.x], x[p.y], x[p.z], x[p.w]); }

fn write(p: u32, row: u32, j: u32, v: f32) {
    if (j >= param(2u)) { return; }
    var t = v;
    if (param(0u) != 7u) { // the scale of element j of a row is that of its channel
        let channel = (row % param(5u)) * param(6u) + j / param(7u);
        t *= scale[channel];
        if (param(8u) != 0u) { t += bias[channel]; }
    }
    y[p] = t;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let kind = param(0u); let outer = param(1u); let n = param(2u); let inner = param(3u);
    let width = param(9u);
    let place = group_of(group, groups) * (256u / width) + at / width;
    let row = min(place, outer * inner - 1u); // those without a row of their own come along, because all have to meet
    let base = (row / inner) * n * inner + row % inner;
    let j = at % width + vec4<u32>(0u, 1u, 2u, 3u) * width;
    let k = j + 4u * width;
    let p = places(base, j); let q = places(base, k);
    let has = vec4<f32>(j < vec4<u32>(n)); let had = vec4<f32>(k < vec4<u32>(n));
    var v = four_of_x(p); var w = four_of_x(q);
    var factor = 1.0;
    if (kind == 7u) {
        let top = together(at, max(top_of(v), top_of(w)), largest); // the last element counts again, which changes no maximum
        v = powers(v - top) * has;
        w = powers(w - top) * had;
        factor = 1.0 / together(at, total(v) + total(w), adding);
    } else {
        if (kind == 8u) { // sums are taken of differences from the first element, which spares digits
            let first = x[base];
            v -= first;
            w -= first;
            let mean = together(at, dot(v, has) + dot(w, had), adding) / f32(n);
            v -= mean;
            w -= mean;
        }
        factor = inverseSqrt(together(at, dot(v * v, has) + dot(w * w, had), adding) / f32(n) + real(4u));
    }
    if (place != row) { return; }
    write(p.x, row, j.x, v.x * factor); write(p.y, row, j.y, v.y * factor);
    write(p.z, row, j.z, v.z * factor); write(p.w, row, j.w, v.w * factor);
    write(q.x, row, k.x, w.x * factor); write(q.y, row, k.y, w.y * factor);
    write(q.z, row, k.z, w.z * factor); write(q.w, row, k.w, w.w * factor);
}
