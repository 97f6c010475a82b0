export function absoluteLinks(text: string, folder: string, repository: string | undefined): string;
export function repositoryPage(manifest?: { repository?: string | { url: string } }): string | undefined;
export function withLinks<Manifest extends object>(
  manifest: Manifest & { repository?: string | { url: string } },
  folder: string,
): Manifest & { homepage?: string; bugs?: { url: string } };
