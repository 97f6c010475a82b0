import type { Plugin } from 'rolldown';

export function noticesFor(ids: Iterable<string>): string | undefined;
export function collectModules(ids: Set<string>): Plugin;
