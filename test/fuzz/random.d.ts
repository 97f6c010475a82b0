/** Types of random.js. */
export class Random {
  constructor(seed: number);
  next(): number;
  below(count: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
}
