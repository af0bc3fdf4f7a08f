// Blocks of four places by four steps of depth for conv.wgsl, with any window.

@group(0) @binding(2) var<storage, read> x: array<f32>;

fn four_of_x(p: vec4<u32>) -> vec4<f32> { return vec4<f32>(x[p.x], x[p.y], x[p.z], x[p.w]); }

// What four places read of a tap: where it lies in their first channel, and 0 for those that read the padding.
struct Tap { place: vec4<u32>, is: vec4<f32> }

fn tap_at(l: Lines, tap: u32) -> Tap {
    let r = l.top + i32((tap / param(9u)) * param(12u));
    let s = l.start + i32((tap % param(9u)) * param(13u));
    let height = i32(param(4u)); let width = i32(param(5u));
    let inside = (r >= vec4<i32>()) & (s >= vec4<i32>()) & (r < vec4<i32>(height)) & (s < vec4<i32>(width));
    return Tap(l.first + vec4<u32>(select(vec4<i32>(), r * width + s, inside)), vec4<f32>(inside));
}

// One step of depth at four places.
fn step_at(l: Lines, depth: u32) -> vec4<f32> {
    let t = tap_at(l, depth / param(2u));
    return four_of_x(t.place + (depth % param(2u)) * param(4u) * param(5u)) * t.is;
}

fn right_block(l: Lines, depth: u32, end: u32) -> mat4x4<f32> {
    if (param(2u) % 4u == 0u) { // four channels of one tap
        let d = min(depth, end - 4u);
        let t = tap_at(l, d / param(2u));
        let plane = param(4u) * param(5u);
        let p = t.place + (d % param(2u)) * plane;
        return mat4x4<f32>(four_of_x(p) * t.is, four_of_x(p + plane) * t.is, four_of_x(p + 2u * plane) * t.is,
            four_of_x(p + 3u * plane) * t.is);
    }
    let d = min(depth + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(param(2u) * param(8u) * param(9u) - 1u));
    return mat4x4<f32>(step_at(l, d.x), step_at(l, d.y), step_at(l, d.z), step_at(l, d.w));
}
