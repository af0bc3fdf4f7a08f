// BatchNormalization: y = x scale + shift of the channel, (outer, channels, inner), an invocation for each element.

@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read> shift: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let i = group_of(group, groups) * 256u + at;
    if (i >= param(0u)) { return; }
    let channel = (i / param(2u)) % param(1u);
    y[i] = fma(x[i], scale[channel], shift[channel]);
}
