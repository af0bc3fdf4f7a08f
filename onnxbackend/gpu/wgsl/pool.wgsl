// MaxPool and AveragePool over planes, an invocation for each element of the result. Windows that begin beyond the picture and its
// padding do not exist; those that reach beyond count what lies in the padded picture, or with param 2 unset in the picture.

@group(0) @binding(2) var<storage, read> x: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let planes = param(0u); let average = param(1u) != 0u; let padding = param(2u) != 0u;
    let height = i32(param(4u)); let width = i32(param(5u)); let out_height = param(6u); let out_width = param(7u);
    let kernel_height = param(8u); let kernel_width = param(9u);
    let positions = out_height * out_width;
    let i = group_of(group, groups) * 256u + at;
    if (i >= planes * positions) { return; }
    let place = i % positions;
    let plane = (i / positions) * param(4u) * param(5u);
    let top = i32((place / out_width) * param(10u)) - i32(param(14u));
    let start = i32((place % out_width) * param(11u)) - i32(param(15u));
    let bottom = height + i32(param(16u));
    let end = width + i32(param(17u));
    var best = 0.0; var sum = 0.0; var found = 0u; var inside = 0u;
    for (var p = 0u; p < kernel_height; p++) {
        let r = top + i32(p * param(12u));
        for (var q = 0u; q < kernel_width; q++) {
            let s = start + i32(q * param(13u));
            if (r < bottom && s < end) { inside++; }
            if (r >= 0 && s >= 0 && r < height && s < width) {
                let v = x[plane + u32(r) * param(5u) + u32(s)];
                if (found == 0u || v > best) { best = v; }
                sum += v;
                found++;
            }
        }
    }
    var v = best;
    if (average) { v = sum / f32(max(select(found, inside, padding), 1u)); }
    y[i] = v;
}
