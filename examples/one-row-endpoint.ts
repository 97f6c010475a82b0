/** A server that scores one record per request, without a promise and without memory per request. */
import { createServer } from 'node:http';
import { loadModel, pca } from '@scree/core';

const people = [
  { height: 170, weight: 65, age: 30 },
  { height: 182, weight: 80, age: 41 },
  { height: 165, weight: 59, age: 25 },
  { height: 176, weight: 77, age: 56 },
];
const model = loadModel(JSON.stringify(await pca(people, { k: 2, scale: 'unit' })));
const scores = new Float64Array(model.k);

const server = createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  model.transformSync(JSON.parse(Buffer.concat(chunks).toString()), scores);
  response.end(JSON.stringify({ PC1: scores[0], PC2: scores[1] }));
});
await new Promise<void>((resolve) => server.listen(0, resolve));

const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
const body = JSON.stringify({ name: 'Ada', ...people[1] });
console.log(await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).json());
server.close();
