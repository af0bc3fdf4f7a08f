// y = Softmax(alpha a·b)·v for a batch: (m, k) by (k, n), and (n, width) values of up to 64 columns. A workgroup makes 64 rows of it. For 64 keys
// at a time it computes scores as tile64.wgsl does, in registers, and adds the products of their powers and the values; what it has summed
// so far shrinks where a row has a new maximum (Milakov and Gimelshein, 2018). Blocks of a and b are those of product.wgsl.

var<workgroup> left: array<vec4<f32>, 512>;
var<workgroup> right: array<vec4<f32>, 512>;

fn width() -> u32 { return param(20u); }

// Four neighbouring values of a key.
fn values_at(each: u32, key: u32, column: u32) -> vec4<f32> {
    let base = (each % param(3u)) * param(21u) + min(key, param(1u) - 1u) * width();
    let p = base + min(column + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(width() - 1u));
    return vec4<f32>(c[p.x], c[p.y], c[p.z], c[p.w]);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let m = param(0u); let n = param(1u); let k = param(2u);
    let down = (m + 63u) / 64u;
    let tile = group_of(group, groups);
    let each = tile / down;
    if (each >= param(3u)) { return; }
    let row = (tile % down) * 64u;

    let reads_left = at < 128u;
    let quad = at % 8u; let four = (at % 128u) / 8u;
    let to = quad * 64u + (four ^ quad);
    let tx = at % 16u; let ty = at / 16u;
    let rows = left_at(each, row + four * 4u);
    var o0 = vec4<f32>(); var o1 = vec4<f32>(); var o2 = vec4<f32>(); var o3 = vec4<f32>();
    var top = vec4<f32>(-1e38); // largest score of four rows
    var sum = vec4<f32>();      // sum over this invocation's keys
    for (var first = 0u; first < n; first += 64u) {
        let keys = right_at(each, first + four * 4u);
        var s0 = vec4<f32>(); var s1 = vec4<f32>(); var s2 = vec4<f32>(); var s3 = vec4<f32>();
        for (var begin = 0u; begin < k; begin += 32u) {
            if (reads_left) {
                let v = left_block(rows, begin + quad * 4u, k);
                left[to] = v[0]; left[to + 16u] = v[1]; left[to + 32u] = v[2]; left[to + 48u] = v[3];
            } else {
                let v = right_block(keys, begin + quad * 4u, k);
                right[to] = v[0]; right[to + 16u] = v[1]; right[to + 32u] = v[2]; right[to + 48u] = v[3];
            }
            workgroupBarrier();
            for (var e = 0u; e < 8u && begin + e * 4u < k; e++) {
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
        let is = first + tx * 4u + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(n);
        s0 = select(vec4<f32>(-1e38), s0 * real(13u), is);
        s1 = select(vec4<f32>(-1e38), s1 * real(13u), is);
        s2 = select(vec4<f32>(-1e38), s2 * real(13u), is);
        s3 = select(vec4<f32>(-1e38), s3 * real(13u), is);

        left[at] = vec4<f32>(top_of(s0), top_of(s1), top_of(s2), top_of(s3));
        workgroupBarrier();
        var new_top = top;
        for (var i = 0u; i < 16u; i++) { new_top = max(new_top, left[ty * 16u + i]); }
        let shrink = powers(top - new_top);
        top = new_top;
        s0 = powers(s0 - top.x); s1 = powers(s1 - top.y); s2 = powers(s2 - top.z); s3 = powers(s3 - top.w);
        sum = sum * shrink + vec4<f32>(total(s0), total(s1), total(s2), total(s3));
        o0 *= shrink.x; o1 *= shrink.y; o2 *= shrink.z; o3 *= shrink.w;

        for (var half = 0u; half < 2u && first + half * 32u < n; half++) { // 32 keys
            workgroupBarrier();
            if (tx / 8u == half) {
                let key = (tx % 8u) * 64u + (ty ^ (tx % 8u));
                left[key] = vec4<f32>(s0.x, s1.x, s2.x, s3.x);
                left[key + 16u] = vec4<f32>(s0.y, s1.y, s2.y, s3.y);
                left[key + 32u] = vec4<f32>(s0.z, s1.z, s2.z, s3.z);
                left[key + 48u] = vec4<f32>(s0.w, s1.w, s2.w, s3.w);
            }
            right[at] = values_at(each, first + half * 32u + ty, tx * 4u);
            right[at + 256u] = values_at(each, first + half * 32u + 16u + ty, tx * 4u);
            workgroupBarrier();
            for (var e = 0u; e < 8u && first + half * 32u + e * 4u < n; e++) {
                for (var s = e * 4u; s < e * 4u + 4u; s++) {
                    let p = left[s * 16u + (ty ^ e)];
                    let x = right[s * 16u + tx];
                    o0 = fma(vec4<f32>(p.x), x, o0);
                    o1 = fma(vec4<f32>(p.y), x, o1);
                    o2 = fma(vec4<f32>(p.z), x, o2);
                    o3 = fma(vec4<f32>(p.w), x, o3);
                }
            }
        }
        workgroupBarrier();
    }

    left[at] = sum;
    workgroupBarrier();
    sum = vec4<f32>();
    for (var i = 0u; i < 16u; i++) { sum += left[ty * 16u + i]; }
    write(each, row + ty * 4u, tx * 4u, o0 / sum.x);
    write(each, row + ty * 4u + 1u, tx * 4u, o1 / sum.y);
    write(each, row + ty * 4u + 2u, tx * 4u, o2 / sum.z);
    write(each, row + ty * 4u + 3u, tx * 4u, o3 / sum.w);
}

// write writes four neighbouring numbers of a row of the result.
fn write(each: u32, r: u32, column: u32, v: vec4<f32>) {
    if (r >= param(0u)) { return; }
    for (var j = 0u; j < 4u; j++) {
        if (column + j < width()) { y[(each * param(0u) + r) * width() + column + j] = v[j]; }
    }
}
