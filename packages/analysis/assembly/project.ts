/**
 * Products of one vector with k components: out[c] = Σ x[j]·components[c][j]. The components are float32, the vector and the sums float64.
 * Both are padded with zeros: d to a multiple of four, k to a multiple of four.
 */
export function project(components: usize, x: usize, k: i32, d: i32, out: usize): void {
  const line = (<usize>d) << 2;
  for (let c = 0; c < k; c += 4) {
    let a = components + <usize>c * line;
    let b = a + line;
    let e = b + line;
    let f = e + line;
    let at = x;
    let s0 = f64x2.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    for (const end = a + line; a < end; a += 16, b += 16, e += 16, f += 16, at += 32) {
      const low = v128.load(at);
      const high = v128.load(at, 16);
      s0 = f64x2.add(s0, f64x2.mul(low, f64x2.promote_low_f32x4(v128.load64_zero(a))));
      s1 = f64x2.add(s1, f64x2.mul(low, f64x2.promote_low_f32x4(v128.load64_zero(b))));
      s2 = f64x2.add(s2, f64x2.mul(low, f64x2.promote_low_f32x4(v128.load64_zero(e))));
      s3 = f64x2.add(s3, f64x2.mul(low, f64x2.promote_low_f32x4(v128.load64_zero(f))));
      s0 = f64x2.add(s0, f64x2.mul(high, f64x2.promote_low_f32x4(v128.load64_zero(a, 8))));
      s1 = f64x2.add(s1, f64x2.mul(high, f64x2.promote_low_f32x4(v128.load64_zero(b, 8))));
      s2 = f64x2.add(s2, f64x2.mul(high, f64x2.promote_low_f32x4(v128.load64_zero(e, 8))));
      s3 = f64x2.add(s3, f64x2.mul(high, f64x2.promote_low_f32x4(v128.load64_zero(f, 8))));
    }
    const to = out + ((<usize>c) << 3);
    store<f64>(to, f64x2.extract_lane(s0, 0) + f64x2.extract_lane(s0, 1));
    store<f64>(to, f64x2.extract_lane(s1, 0) + f64x2.extract_lane(s1, 1), 8);
    store<f64>(to, f64x2.extract_lane(s2, 0) + f64x2.extract_lane(s2, 1), 16);
    store<f64>(to, f64x2.extract_lane(s3, 0) + f64x2.extract_lane(s3, 1), 24);
  }
}
