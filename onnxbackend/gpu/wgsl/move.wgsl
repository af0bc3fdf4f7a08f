// Moves elements: y at one place for x at another, over at most six dimensions, an invocation for each element.

@group(0) @binding(2) var<storage, read> x: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let i = group_of(group, groups) * 256u + at;
    if (i >= param(0u)) { return; }
    var from_x = param(1u); var to = param(2u); var rest = i;
    for (var d = 0u; d < 6u; d++) { // the last dimension first
        let size = param(4u + d);
        let index = rest % size;
        rest /= size;
        from_x += index * param(10u + d);
        to += index * param(16u + d);
    }
    y[to] = x[from_x];
}
