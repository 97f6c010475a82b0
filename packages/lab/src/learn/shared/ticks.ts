/** About `count` round numbers between two ends. */
export function ticksOf(from: number, to: number, count: number): number[] {
  const span = to - from;
  if (!(span > 0) || !Number.isFinite(span)) return [from];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= 0.7 * rough) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** At most `count` powers of ten between two ends. */
export function powersOf(from: number, to: number, count: number): number[] {
  const [low, high] = [Math.ceil(Math.log10(from) - 1e-9), Math.floor(Math.log10(to) + 1e-9)];
  const step = Math.max(1, Math.ceil((high - low + 1) / count));
  const out: number[] = [];
  for (let power = high; power >= low; power -= step) out.push(10 ** power);
  return out.reverse();
}
