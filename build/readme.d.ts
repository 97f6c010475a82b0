export function absoluteLinks(text: string, folder: string, repository: string | undefined): string;
export function repositoryPage(manifest?: { repository?: string | { url: string } }): string | undefined;
