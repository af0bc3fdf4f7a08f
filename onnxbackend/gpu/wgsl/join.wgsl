// The sum of the slices of sums.wgsl, an invocation for each number of the result.

@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> parts: array<f32>; // (slice, number)

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let n = param(0u);
    let i = group_of(group, groups) * 256u + at;
    if (i >= n) { return; }
    var v = 0.0;
    for (var s = 0u; s < param(1u); s++) { v += parts[s * n + i]; }
    y[i] = v;
}
