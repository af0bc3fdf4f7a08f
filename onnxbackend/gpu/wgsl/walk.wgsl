// The first few members of coalitions in an order of the instances, such as the largest of each column: an invocation for each coalition and
// column, which walks down the order until it has met enough members. Both lists are (rank, column), so that neighbours read neighbours.
// Where it has not met enough by a rank, the rest is a number that tells so.

@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> z: array<u32>;     // (coalition, word)
@group(0) @binding(3) var<storage, read> order: array<u32>; // (rank, column) instances
@group(0) @binding(4) var<storage, read> values: array<f32>; // (rank, column)

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let n = param(0u); let most = param(1u); let stride = param(2u); // of a row of z
    let columns = param(3u); let first = param(4u); let all = param(5u); // columns of this part, and of all parts
    let take = param(6u); let inner = param(7u);
    let i = group_of(group, groups) * 256u + at;
    if (i >= n * columns) { return; }
    let coalition = i / columns;
    let here = i % columns;
    let column = first + here;
    var to = coalition * all * take + (column / inner) * take * inner + column % inner;
    var left = take;
    for (var rank = 0u; rank < most && left > 0u; rank++) {
        let instance = order[rank * columns + here];
        if (((z[coalition * stride + instance / 32u] >> (instance % 32u)) & 1u) != 0u) {
            y[to] = values[rank * columns + here];
            to += inner;
            left -= 1u;
        }
    }
    for (; left > 0u; left--) {
        y[to] = real(8u);
        to += inner;
    }
}
