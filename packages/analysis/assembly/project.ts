/**
 * Products of one vector with k components, all whole numbers: out[c] = 2^20·Σ HX + 2^10·Σ (HY + LX) + Σ LY, where H, L and X, Y are the high
 * and low parts of a component and of the vector. A component is a row of d high parts, then d low parts; so is the vector. d is a multiple
 * of eight, and k of two. The caller guarantees that no sum exceeds 32 bits.
 */
export function project(components: usize, x: usize, k: i32, d: i32, out: usize): void {
  const line = (<usize>d) << 1;
  for (let c = 0; c < k; c += 2) {
    let a = components + <usize>c * 2 * line;
    let b = a + 2 * line;
    let at = x;
    let high0 = i32x4.splat(0);
    let middle0 = high0;
    let low0 = high0;
    let high1 = high0;
    let middle1 = high0;
    let low1 = high0;
    for (const end = a + line; a < end; a += 16, b += 16, at += 16) {
      const xs = v128.load(at);
      const ys = v128.load(at + line);
      let h = v128.load(a);
      let l = v128.load(a + line);
      high0 = i32x4.add(high0, i32x4.dot_i16x8_s(h, xs));
      middle0 = i32x4.add(middle0, i32x4.add(i32x4.dot_i16x8_s(h, ys), i32x4.dot_i16x8_s(l, xs)));
      low0 = i32x4.add(low0, i32x4.dot_i16x8_s(l, ys));
      h = v128.load(b);
      l = v128.load(b + line);
      high1 = i32x4.add(high1, i32x4.dot_i16x8_s(h, xs));
      middle1 = i32x4.add(middle1, i32x4.add(i32x4.dot_i16x8_s(h, ys), i32x4.dot_i16x8_s(l, xs)));
      low1 = i32x4.add(low1, i32x4.dot_i16x8_s(l, ys));
    }
    const to = out + ((<usize>c) << 3);
    store<f64>(to, joined(high0, middle0, low0));
    store<f64>(to, joined(high1, middle1, low1), 8);
  }
}

function sum(v: v128): f64 {
  return (
    <f64>i32x4.extract_lane(v, 0) +
    <f64>i32x4.extract_lane(v, 1) +
    <f64>i32x4.extract_lane(v, 2) +
    <f64>i32x4.extract_lane(v, 3)
  );
}

function joined(high: v128, middle: v128, low: v128): f64 {
  return 1048576.0 * sum(high) + 1024.0 * sum(middle) + sum(low);
}
