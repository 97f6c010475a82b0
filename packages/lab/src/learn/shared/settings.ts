import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { rewriteAddress, route } from '../../route.js';

/** Milliseconds between the last change and its write. Browsers refuse an address that changes with every pixel of a drag. */
const REST = 300;

/** The settings of a screen, as text. Settings that differ from the defaults are kept in the address. */
export function useSettings<Names extends string>(
  defaults: Readonly<Record<Names, string>>,
): readonly [Readonly<Record<Names, string>>, (change: Partial<Record<Names, string>>) => void] {
  const chosen = useSignal(read(defaults));
  const timer = useRef(0);
  const written = useRef(route.peek().query.toString());
  const { query } = route.value;
  useEffect(() => {
    // The address was changed by a link or the browser's buttons.
    if (timer.current === 0 && query.toString() !== written.current) {
      written.current = query.toString();
      chosen.value = read(defaults);
    }
  }, [query, chosen, defaults]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: Partial<Record<Names, string>>): void => {
    chosen.value = { ...chosen.peek(), ...next };
    clearTimeout(timer.current);
    const { path } = route.peek();
    timer.current = setTimeout(() => {
      timer.current = 0;
      const differing = Object.entries<string>(chosen.peek()).filter(
        ([name, value]) => value !== defaults[name as Names],
      );
      written.current = new URLSearchParams(differing).toString();
      rewriteAddress(path, Object.fromEntries(differing));
    }, REST) as unknown as number;
  };
  return [chosen.value, change];
}

function read<Names extends string>(defaults: Readonly<Record<Names, string>>): Record<Names, string> {
  const { query } = route.peek();
  const entries = Object.entries<string>(defaults).map(([name, value]) => [name, query.get(name) ?? value]);
  return Object.fromEntries(entries) as Record<Names, string>;
}

/** A number from the address, which may be malformed. */
export function numberIn(text: string, least: number, most: number, fallback: number): number {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : fallback;
}

/** One of a few words from the address. */
export function oneOf<Word extends string>(text: string, words: readonly Word[]): Word {
  return words.find((word) => word === text) ?? words[0];
}
