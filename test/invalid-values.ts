/** Values that no call expects: very large, not to be written as JSON, or such that even looking at them throws. */

const SIZE = 50_000;

class Measurement {
  readonly #secret = 1;
  values = new Float64Array(SIZE);
  get broken(): never {
    throw new Error(`not yours: ${this.#secret}`);
  }
}

function cyclic(): object {
  const node: Record<string, unknown> = { tagName: 'DIV', childNodes: [] };
  node.parentNode = { ownerDocument: node, childNodes: [node] };
  return node;
}

function throwing(): object {
  const refuse = (): never => {
    throw new Error('not to be looked at');
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}

const make: Readonly<Record<string, () => unknown>> = {
  'very many numbers': () => new Float64Array(SIZE),
  'a list of very many numbers': () => Array.from({ length: SIZE }, (_, i) => i),
  'very many 64-bit integers': () => new BigInt64Array(SIZE),
  'rows of 64-bit integers': () => [new BigInt64Array(3).fill(2n ** 60n + 1n), new BigInt64Array(3)],
  'a big integer': () => 2n ** 20_000n,
  'a list of big integers': () => [1n, 2n ** 70n],
  'a long text': () => 'x'.repeat(SIZE),
  'a text of control characters': () => '\u0000'.repeat(100_000),
  'half a surrogate pair': () => '\ud800',
  'a function': () => () => SIZE,
  'a class': () => Measurement,
  'a symbol': () => Symbol('s'.repeat(1000)),
  'a cyclic object, as elements of a page are': cyclic,
  'a list that holds itself': () => {
    const list: unknown[] = [];
    list.push(list);
    return list;
  },
  'an object of a class': () => new Measurement(),
  'an object whose getter throws': () => Object.defineProperty({}, 'rows', { enumerable: true, get: () => revoked() }),
  'an object with a toJSON that throws': () => ({
    toJSON: () => {
      throw new Error('no JSON');
    },
  }),
  'a proxy that throws': throwing,
  'a revoked proxy': revoked,
  'an object of many keys': () => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key ${i}`, i])),
  'an object without a prototype': () => Object.assign(Object.create(null), { a: 1 }),
  'a map': () => new Map([[{}, {}]]),
  'an invalid date': () => new Date(Number.NaN),
  'a buffer': () => new ArrayBuffer(8),
  'a data view': () => new DataView(new ArrayBuffer(8)),
  NaN: () => Number.NaN,
  null: () => null,
  true: () => true,
};

/** Each value with what it is. They are made anew, because calls may change what they are given. */
export function invalidValues(): (readonly [name: string, value: unknown])[] {
  return Object.entries(make).map(([name, value]) => [name, value()] as const);
}
