/** From `import` to the first model in a process that has done nothing yet: prints the milliseconds. */
const data = Float64Array.from({ length: 600 }, (_, i) => Math.sin(i * i));
const start = performance.now();
const { pca } = await import('@scree/core');
await pca({ rows: 150, cols: 4, data }, { k: 2 });
console.log(performance.now() - start);
process.exit();
