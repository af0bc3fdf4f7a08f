// y = act(x op z) with broadcasting over at most five dimensions, or act(x), or x where a third value is not zero and z elsewhere: an
// invocation for each element.

@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> z: array<f32>;
@group(0) @binding(4) var<storage, read> which: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let i = group_of(group, groups) * 256u + at;
    if (i >= param(0u)) { return; }
    var from_x = 0u; var from_z = 0u; var from_which = 0u; var rest = i;
    for (var d = 0u; d < 5u; d++) { // the last dimension first
        let size = param(8u + d);
        let index = rest % size;
        rest /= size;
        from_x += index * param(13u + d);
        from_z += index * param(18u + d);
        from_which += index * param(23u + d);
    }
    let a = x[from_x];
    let b = z[from_z];
    var v = a;
    switch param(1u) {
        case 1u: { v = a + b; }
        case 2u: { v = a - b; }
        case 3u: { v = a * b; }
        case 4u: { v = a / b; }
        case 5u: { v = max(a, b); }
        case 6u: { v = min(a, b); }
        case 7u: { v = select(a, a * b, a < 0.0); }
        case 8u: { v = select(b, a, which[from_which] != 0.0); }
        default: {}
    }
    y[i] = unary(param(2u), v, real(3u), real(4u));
}
