// act(the sum of slices + beta c), an invocation for each number of (matrix, m, n): what product.wgsl and sums.wgsl have left in several
// parts of a sum.

@group(0) @binding(2) var<storage, read> parts: array<f32>; // (slice, number)
@group(0) @binding(3) var<storage, read> c: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let numbers = param(0u);
    let i = group_of(group, groups) * 256u + at;
    if (i >= numbers) { return; }
    var v = 0.0;
    for (var s = 0u; s < param(1u); s++) { v += parts[s * numbers + i]; }
    if (param(4u) != 0u) {
        let n = param(3u);
        v += real(5u) * c[((i / n) % param(2u)) * param(6u) + (i % n) * param(7u)];
    }
    y[i] = unary(param(8u), v, real(9u), real(10u));
}
