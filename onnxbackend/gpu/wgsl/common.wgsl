// What the kernels of operators share: their result and the functions of one number.

@group(0) @binding(1) var<storage, read_write> y: array<f32>;

// exp(x) - 1, by its series where the difference would lose its digits.
fn expm1(x: f32) -> f32 {
    if (abs(x) < 0.02) { return x * (1.0 + x * (0.5 + x * (0.16666667 + x * 0.041666667))); }
    return exp(clamp(x, -87.0, 88.0)) - 1.0;
}

// WGSL's tanh may be inf/inf for large x.
fn tanh_of(x: f32) -> f32 {
    let s = x * x;
    if (s < 0.01) { return x * (1.0 - s * (0.33333333 - s * (0.13333333 - s * 0.053968254))); }
    return 1.0 - 2.0 / (exp(2.0 * clamp(x, -20.0, 20.0)) + 1.0);
}

fn sigmoid(x: f32) -> f32 { return 1.0 / (1.0 + exp(-clamp(x, -87.0, 87.0))); }

// Abramowitz and Stegun 7.1.26, off by at most 1.5e-7, and the series near zero.
fn erf(x: f32) -> f32 {
    let a = abs(x);
    if (a < 0.1) {
        let s = x * x;
        return 1.1283792 * x * (1.0 - s * (0.33333333 - s * (0.1 - s * 0.023809524)));
    }
    let t = 1.0 / (1.0 + 0.3275911 * a);
    let p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return sign(x) * (1.0 - p * exp(-min(a * a, 87.0)));
}

fn softplus(x: f32) -> f32 { return max(x, 0.0) + log(1.0 + exp(-min(abs(x), 87.0))); }

fn total(v: vec4<f32>) -> f32 { return dot(v, vec4<f32>(1.0)); }
fn top_of(v: vec4<f32>) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }

// Zero for powers that are too small for a float, whose logarithm shaders may make what they like of.
fn powers(d: vec4<f32>) -> vec4<f32> { return select(exp(max(d, vec4<f32>(-87.0))), vec4<f32>(), d < vec4<f32>(-87.0)); }

// The numbers of the functions are those of unary.go.
fn unary(kind: u32, x: f32, a: f32, b: f32) -> f32 {
    switch kind {
        case 1u: { return max(x, 0.0); }
        case 2u: { return tanh_of(x); }
        case 3u: { return sigmoid(x); }
        case 4u: { return select(a * x, x, x >= 0.0); }
        case 5u: { return exp(x); }
        case 6u: { return sqrt(x); }
        case 7u: { return abs(x); }
        case 8u: { return -x; }
        case 9u: { return floor(x); }
        case 10u: { return ceil(x); }
        case 11u: { return min(max(x, a), b); }
        case 12u: { return select(x, b * a * expm1(x / a), x < 0.0); }
        case 13u: { return select(b * x, b * a * expm1(x), x <= 0.0); }
        case 14u: { return 0.5 * x * (1.0 + erf(x * 0.70710678)); }
        case 15u: { return 0.5 * x * (1.0 + tanh_of(0.79788456 * (x + 0.044715 * x * x * x))); }
        case 16u: { return softplus(x); }
        case 17u: { return x / (1.0 + abs(x)); }
        case 18u: { return erf(x); }
        case 19u: { return clamp(a * x + b, 0.0, 1.0); }
        case 20u: { return x * clamp(x / 6.0 + 0.5, 0.0, 1.0); }
        case 21u: { return x * sigmoid(a * x); }
        case 22u: { return select(0.0, x, x > a); }
        case 23u: { return x * tanh_of(softplus(x)); }
        case 24u: { return x * x; }
        case 25u: { return 1.0 / x; }
        default: { return x; }
    }
}
