// y = act(alpha a·b + beta c) for a batch of matrices, (m, k) by (k, n), each read by its own strides.
//
// Where k is cut, the results of its slices lie one behind the other, alpha a·b alone, for join.wgsl.
//
// A workgroup of 16 by 16 makes a tile of 64 by 64, each invocation 4 by 4 of it, 16 steps of k at a time: 256 invocations
// and 8 KB of workgroup memory, of the 256 and 16 KB that every device has.

@group(0) @binding(2) var<storage, read> a: array<f32>;
@group(0) @binding(3) var<storage, read> b: array<f32>;
@group(0) @binding(4) var<storage, read> c: array<f32>;

var<workgroup> left: array<vec4<f32>, 256>;  // (k, m/4)
var<workgroup> right: array<vec4<f32>, 256>; // (k, n/4)

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let m = param(0u); let n = param(1u); let k = param(2u);
    let columns = (n + 63u) / 64u;
    let rows = (m + 63u) / 64u;
    let tile = group_of(group, groups);
    let each = tile / (rows * columns); // matrix of the result: of the batch, and of the slices of k
    let batch = each % param(3u); let slice = each / param(3u);
    if (slice >= param(19u)) { return; }
    let end = min(k, (slice + 1u) * param(18u));
    let row = ((tile / columns) % rows) * 64u;
    let column = (tile % columns) * 64u;

    let a_row = param(4u); let a_k = param(5u); let b_k = param(6u); let b_column = param(7u);
    let a_base = batch * param(8u); let b_base = batch * param(9u);
    let quad = at % 16u; let lane = at / 16u;
    // Names and no indices: devices keep an indexed array in memory and not in registers.
    var s0 = vec4<f32>(); var s1 = vec4<f32>(); var s2 = vec4<f32>(); var s3 = vec4<f32>();

    for (var begin = slice * param(18u); begin < end; begin += 16u) {
        let ka = begin + quad; // neighbours read neighbouring k of a row of a
        var v = vec4<f32>();
        if (ka < end) {
            for (var i = 0u; i < 4u; i++) {
                let r = row + lane * 4u + i;
                if (r < m) { v[i] = a[a_base + r * a_row + ka * a_k]; }
            }
        }
        left[quad * 16u + lane] = v;
        let kb = begin + lane; // and neighbouring columns of a row of b
        var w = vec4<f32>();
        if (kb < end) {
            for (var j = 0u; j < 4u; j++) {
                let q = column + quad * 4u + j;
                if (q < n) { w[j] = b[b_base + kb * b_k + q * b_column]; }
            }
        }
        right[lane * 16u + quad] = w;
        workgroupBarrier();
        for (var s = 0u; s < 16u; s++) {
            let x = left[s * 16u + lane];
            let z = right[s * 16u + quad];
            s0 = fma(vec4<f32>(x.x), z, s0);
            s1 = fma(vec4<f32>(x.y), z, s1);
            s2 = fma(vec4<f32>(x.z), z, s2);
            s3 = fma(vec4<f32>(x.w), z, s3);
        }
        workgroupBarrier();
    }

    let r = row + lane * 4u;
    let q = column + quad * 4u;
    put(each, r, q, s0);
    put(each, r + 1u, q, s1);
    put(each, r + 2u, q, s2);
    put(each, r + 3u, q, s3);
}

// put writes four neighbouring numbers of row r of a matrix, from column q on.
fn put(each: u32, r: u32, q: u32, sums: vec4<f32>) {
    let m = param(0u); let n = param(1u);
    if (r >= m) { return; }
    for (var j = 0u; j < 4u; j++) {
        if (q + j < n) {
            var v = real(13u) * sums[j];
            if (param(12u) != 0u) { v += real(14u) * c[r * param(10u) + (q + j) * param(11u)]; }
            y[(each * m + r) * n + q + j] = unary(param(15u), v, real(16u), real(17u));
        }
    }
}
