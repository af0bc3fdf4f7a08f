// Gather along one axis of (outer, n, inner) at a list of places: an invocation for each element of (outer, place, inner).

@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let i = group_of(group, groups) * 256u + at;
    if (i >= param(0u)) { return; }
    let n = param(1u); let inner = param(2u); let count = param(3u);
    let line = i / inner;
    y[i] = x[((line / count) * n + places[line % count]) * inner + i % inner];
}
