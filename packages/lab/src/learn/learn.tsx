/** The screens that show how PCA happens. */
export function Learn() {
  return <h1>Learn</h1>;
}
