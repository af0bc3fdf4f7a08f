// A tile of 128 by 128 sums for a workgroup of 16 by 16 invocations, 8 by 8 for each: rows ty*4 to ty*4+3 and 64 more, columns tx*4 to tx*4+3
// and 64 more. The file of the operands says what is multiplied: lines of the left operand are rows of the result, lines of the right one its
// columns, and both are read 16 steps of depth at a time. Half of the invocations read the left operand, half the right one, each a block
// of 4 lines by 4 steps. Lines beyond the last one read the last one, and their sums are not written: loops have no bounds.
//
// The two tiles take all of the 16 KB that every device has.

var<workgroup> left: array<vec4<f32>, 512>;  // (depth, line/4)
var<workgroup> right: array<vec4<f32>, 512>; // (depth, line/4)

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let across = (right_lines() + 127u) / 128u;
    let down = (left_lines() + 127u) / 128u;
    let tile = group_of(group, groups);
    let each = tile / (down * across);
    if (each >= matrices()) { return; }
    let row = ((tile / across) % down) * 128u;
    let column = (tile % across) * 128u;
    let range = depths(each);

    let reads_left = at < 128u;
    let quad = at % 4u; let four = (at % 128u) / 4u;
    // Neighbours that store at the same time store in different banks: the place of four lines is turned by their step of depth.
    let to = quad * 128u + (four ^ (quad * 2u));
    var lines: Lines;
    if (reads_left) { lines = left_at(each, row + four * 4u); } else { lines = right_at(each, column + four * 4u); }

    let tx = at % 16u; let ty = at / 16u;
    // Names and no indices: devices keep an indexed array in memory and not in registers.
    var s00 = vec4<f32>(); var s10 = vec4<f32>(); var s20 = vec4<f32>(); var s30 = vec4<f32>();
    var s40 = vec4<f32>(); var s50 = vec4<f32>(); var s60 = vec4<f32>(); var s70 = vec4<f32>();
    var s01 = vec4<f32>(); var s11 = vec4<f32>(); var s21 = vec4<f32>(); var s31 = vec4<f32>();
    var s41 = vec4<f32>(); var s51 = vec4<f32>(); var s61 = vec4<f32>(); var s71 = vec4<f32>();
    for (var begin = range.x; begin < range.y; begin += 16u) {
        if (reads_left) {
            let v = left_block(lines, begin + quad * 4u, range.y);
            left[to] = v[0]; left[to + 32u] = v[1]; left[to + 64u] = v[2]; left[to + 96u] = v[3];
        } else {
            let v = right_block(lines, begin + quad * 4u, range.y);
            right[to] = v[0]; right[to + 32u] = v[1]; right[to + 64u] = v[2]; right[to + 96u] = v[3];
        }
        workgroupBarrier();
        for (var s = 0u; s < 16u; s++) {
            let turn = (s / 4u) * 2u;
            let here = s * 32u + (ty ^ turn);
            let there = s * 32u + (tx ^ turn);
            let p = left[here]; let q = left[here + 16u];
            let x = right[there]; let z = right[there + 16u];
            s00 = fma(vec4<f32>(p.x), x, s00); s01 = fma(vec4<f32>(p.x), z, s01);
            s10 = fma(vec4<f32>(p.y), x, s10); s11 = fma(vec4<f32>(p.y), z, s11);
            s20 = fma(vec4<f32>(p.z), x, s20); s21 = fma(vec4<f32>(p.z), z, s21);
            s30 = fma(vec4<f32>(p.w), x, s30); s31 = fma(vec4<f32>(p.w), z, s31);
            s40 = fma(vec4<f32>(q.x), x, s40); s41 = fma(vec4<f32>(q.x), z, s41);
            s50 = fma(vec4<f32>(q.y), x, s50); s51 = fma(vec4<f32>(q.y), z, s51);
            s60 = fma(vec4<f32>(q.z), x, s60); s61 = fma(vec4<f32>(q.z), z, s61);
            s70 = fma(vec4<f32>(q.w), x, s70); s71 = fma(vec4<f32>(q.w), z, s71);
        }
        workgroupBarrier();
    }

    for (var i = 0u; i < 16u; i++) { // one call of put, because drivers compile a copy of its code for each
        var v = s00;
        switch i {
            case 1u: { v = s10; } case 2u: { v = s20; } case 3u: { v = s30; }
            case 4u: { v = s40; } case 5u: { v = s50; } case 6u: { v = s60; } case 7u: { v = s70; }
            case 8u: { v = s01; } case 9u: { v = s11; } case 10u: { v = s21; } case 11u: { v = s31; }
            case 12u: { v = s41; } case 13u: { v = s51; } case 14u: { v = s61; } case 15u: { v = s71; }
            default: {}
        }
        put(each, row + ty * 4u + (i & 4u) * 16u + (i & 3u), column + tx * 4u + (i / 8u) * 64u, v);
    }
}
