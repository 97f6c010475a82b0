/** The flags as they could be typed again. */
export function spelled(flags: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === true) return name === 'quiet' ? [] : [`--${name}`];
    if (name === 'image') {
      const { width, height } = value as { width: number; height: number };
      return ['--image', `${width}x${height}`];
    }
    if (name === 'supplementary-rows') {
      const ranges = value as readonly (readonly [number, number])[];
      const shown = ranges.map(([first, last]) => (first === last ? `${first + 1}` : `${first + 1}-${last + 1}`));
      return [`--${name}`, shown.join(',')];
    }
    if (name === 'blocks') {
      const blocks = Object.entries(value as Readonly<Record<string, readonly string[]>>);
      return ['--blocks', blocks.map(([block, columns]) => `${block}=${flagList(columns)}`).join(';')];
    }
    if (name === 'transform' && typeof value === 'object') {
      return ['--transform', flagList(Object.entries(value as object).map(([column, how]) => `${column}=${how}`))];
    }
    return [`--${name}`, Array.isArray(value) ? flagList(value) : String(value)];
  });
}

/** Names as the list of a flag is read: a comma inside a name is doubled. */
export function flagList(names: readonly string[]): string {
  return names.map((one) => one.replaceAll(',', ',,')).join(',');
}
