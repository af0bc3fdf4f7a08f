// What the invocations of a row know together, in along.wgsl and rows.wgsl.

var<workgroup> shared_sums: array<f32, 256>;

const adding = 0u;
const largest = 1u;
const multiplying = 2u;

// The sum, the maximum or the product of a number of each of a row's invocations, for all of them.
fn together(at: u32, v: f32, how: u32) -> f32 {
    let width = param(9u);
    let lane = at % width;
    workgroupBarrier();
    shared_sums[at] = v;
    for (var half = width / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            let p = shared_sums[at]; let q = shared_sums[at + half];
            switch how {
                case 1u: { shared_sums[at] = max(p, q); }
                case 2u: { shared_sums[at] = p * q; }
                default: { shared_sums[at] = p + q; }
            }
        }
    }
    workgroupBarrier();
    return shared_sums[at - lane];
}
