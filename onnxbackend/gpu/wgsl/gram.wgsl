// The weighted Gram matrix of bit-packed rows, in integers of 64 bits: a sum of integers has no error, whatever their order.
//
// A weight is four limbs of 16 bits. An invocation adds those of up to 65,536 rows to four words without overflow, for each of four pairs of
// columns. Then limbs are carried over to a number of two words, which is added to what earlier rows have left.
// A workgroup makes a tile of 32 by 32 columns: of each row it reads one word for either side, and two words of weight.

@group(0) @binding(1) var<storage, read_write> sums: array<vec2<u32>>; // (tile, row, column), low word first
@group(0) @binding(2) var<storage, read> z: array<u32>;                // (row, word)
@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>;    // (row), low word first
@group(0) @binding(4) var<storage, read> tiles: array<u32>;            // word of the rows, and of the columns above 16 bits

const portion = 128u; // rows that a workgroup has before it

var<workgroup> side: array<vec2<u32>, portion>;
var<workgroup> weight: array<vec4<u32>, portion>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let rows = param(0u); let stride = param(1u); let count = param(2u); let first = param(3u);
    let tile = group_of(group, groups);
    if (tile >= count) { return; }
    let words = vec2<u32>(tiles[first + tile] & 0xffffu, tiles[first + tile] >> 16u);
    let i = at / 32u; let l = at % 32u;
    var limbs: array<vec4<u32>, 4>; // of pairs (i, l), (i + 8, l), (i + 16, l), (i + 24, l)
    for (var begin = 0u; begin < rows; begin += portion) {
        let end = min(portion, rows - begin);
        if (at < end) {
            let row = begin + at;
            side[at] = vec2<u32>(z[row * stride + words.x], z[row * stride + words.y]);
            let w = weights[row];
            weight[at] = vec4<u32>(w.x & 0xffffu, w.x >> 16u, w.y & 0xffffu, w.y >> 16u);
        }
        workgroupBarrier();
        for (var s = 0u; s < end; s++) {
            let has = side[s];
            let pairs = (has.x >> i) & (0u - ((has.y >> l) & 1u));
            let w = weight[s];
            limbs[0] += w & vec4<u32>(0u - (pairs & 1u));
            limbs[1] += w & vec4<u32>(0u - ((pairs >> 8u) & 1u));
            limbs[2] += w & vec4<u32>(0u - ((pairs >> 16u) & 1u));
            limbs[3] += w & vec4<u32>(0u - ((pairs >> 24u) & 1u));
        }
        workgroupBarrier();
    }
    for (var p = 0u; p < 4u; p++) {
        let to = tile * 1024u + (i + p * 8u) * 32u + l;
        let limb = limbs[p];
        let middle = limb.x + (limb.y << 16u);
        var high = (limb.y >> 16u) + limb.z + (limb.w << 16u) + select(0u, 1u, middle < limb.x);
        var low = middle;
        if (param(4u) != 0u) {
            let before = sums[to];
            low += before.x;
            high += before.y + select(0u, 1u, low < middle);
        }
        sums[to] = vec2<u32>(low, high);
    }
}
