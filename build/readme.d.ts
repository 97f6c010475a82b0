export function absoluteLinks(text: string, folder: string, repository: string | undefined): string;
export function repositoryPage(manifest?: { repository?: string | { url: string } }): string | undefined;
export function withLinks<Manifest extends { repository?: string | { url: string } }>(
  manifest: Manifest,
  folder: string,
): Manifest & { homepage?: string; bugs?: { url: string } };
