// A tile of 64 by 64 sums, 4 by 4 for each of 16 by 16 invocations: tile128.wgsl for results with few rows or columns, of which a larger tile
// would compute more beside the matter, or few tiles, which would not occupy a device.

var<workgroup> left: array<vec4<f32>, 512>;  // (depth, line/4)
var<workgroup> right: array<vec4<f32>, 512>; // (depth, line/4)

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let across = (right_lines() + 63u) / 64u;
    let down = (left_lines() + 63u) / 64u;
    let tile = group_of(group, groups);
    let each = tile / (down * across);
    if (each >= matrices()) { return; }
    let row = ((tile / across) % down) * 64u;
    let column = (tile % across) * 64u;
    let range = depths(each);

    let reads_left = at < 128u;
    let quad = at % 8u; let four = (at % 128u) / 8u; // 32 steps of depth
    let to = quad * 64u + (four ^ quad);
    var lines: Lines;
    if (reads_left) { lines = left_at(each, row + four * 4u); } else { lines = right_at(each, column + four * 4u); }

    let tx = at % 16u; let ty = at / 16u;
    var s0 = vec4<f32>(); var s1 = vec4<f32>(); var s2 = vec4<f32>(); var s3 = vec4<f32>();
    for (var begin = range.x; begin < range.y; begin += 32u) {
        if (reads_left) {
            let v = left_block(lines, begin + quad * 4u, range.y);
            left[to] = v[0]; left[to + 16u] = v[1]; left[to + 32u] = v[2]; left[to + 48u] = v[3];
        } else {
            let v = right_block(lines, begin + quad * 4u, range.y);
            right[to] = v[0]; right[to + 16u] = v[1]; right[to + 32u] = v[2]; right[to + 48u] = v[3];
        }
        workgroupBarrier();
        for (var e = 0u; e < 8u && begin + e * 4u < range.y; e++) { // small products have a few steps of depth
            for (var s = e * 4u; s < e * 4u + 4u; s++) {
                let p = left[s * 16u + (ty ^ e)];
                let x = right[s * 16u + (tx ^ e)];
                s0 = fma(vec4<f32>(p.x), x, s0);
                s1 = fma(vec4<f32>(p.y), x, s1);
                s2 = fma(vec4<f32>(p.z), x, s2);
                s3 = fma(vec4<f32>(p.w), x, s3);
            }
        }
        workgroupBarrier();
    }

    for (var i = 0u; i < 4u; i++) {
        var v = s0;
        switch i { case 1u: { v = s1; } case 2u: { v = s2; } case 3u: { v = s3; } default: {} }
        put(each, row + ty * 4u + i, column + tx * 4u, v);
    }
}
