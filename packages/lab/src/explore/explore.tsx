/** One's own data and what PCA finds in them. */
export function Explore() {
  return <h1>Explore</h1>;
}
