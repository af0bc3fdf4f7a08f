// Blocks of 4 lines by 4 steps of depth for product.wgsl, read element by element with any strides. Depth beyond the end reads the last step,
// and counts as zero in the left operand.

@group(0) @binding(2) var<storage, read> a: array<f32>;
@group(0) @binding(3) var<storage, read> b: array<f32>;

fn four_of_a(p: vec4<u32>) -> vec4<f32> { return vec4<f32>(a[p.x], a[p.y], a[p.z], a[p.w]); }
fn four_of_b(p: vec4<u32>) -> vec4<f32> { return vec4<f32>(b[p.x], b[p.y], b[p.z], b[p.w]); }

// The steps of a block, of which those beyond the end are the last one.
fn steps(depth: u32, end: u32) -> vec4<u32> { return min(vec4<u32>(depth) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(end - 1u)); }

fn left_block(lines: Lines, depth: u32, end: u32) -> mat4x4<f32> {
    let d = steps(depth, end) * param(5u);
    let v = mat4x4<f32>(four_of_a(lines.first + d.x), four_of_a(lines.first + d.y), four_of_a(lines.first + d.z), four_of_a(lines.first + d.w));
    if (depth + 4u <= end) { return v; }
    let is = vec4<f32>(vec4<u32>(depth) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end));
    return mat4x4<f32>(v[0] * is.x, v[1] * is.y, v[2] * is.z, v[3] * is.w);
}

fn right_block(lines: Lines, depth: u32, end: u32) -> mat4x4<f32> {
    let d = steps(depth, end) * param(6u);
    return mat4x4<f32>(four_of_b(lines.first + d.x), four_of_b(lines.first + d.y), four_of_b(lines.first + d.z), four_of_b(lines.first + d.w));
}
