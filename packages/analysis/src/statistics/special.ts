/** ln Γ(x) for x > 0: Stirling's series, after x was raised to 8 or more by Γ(x + 1) = xΓ(x). Right to about 1e-14. */
export function logGamma(x: number): number {
  let [shifted, product] = [x, 1];
  while (shifted < 8) product *= shifted++;
  const inverse = 1 / (shifted * shifted);
  const series =
    (1 / 12 -
      inverse *
        (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse * (1 / 1188 - inverse * (691 / 360360)))))) /
    shifted;
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}
