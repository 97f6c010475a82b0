/** Links of a README that leads its readers out of the package: they are written for the repository, and must work on a registry's page. */
import { posix } from 'node:path';

/**
 * The text with links and pictures that begin at `folder` of the repository made absolute; without a repository only their text is
 * left, because they would lead nowhere.
 */
export function absoluteLinks(text, folder, repository) {
  return text.replace(/(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, picture, label, target) => {
    if (!repository) return picture ? '' : label;
    const path = posix.normalize(posix.join(folder, target));
    return `${picture}[${label}](${repository}/${picture ? 'raw' : 'blob'}/main/${path})`;
  });
}

/** The address of a repository as a browser takes it; undefined where a manifest names none. */
export function repositoryPage({ repository } = {}) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url
    ?.replace(/^git\+/, '')
    .replace(/^git@([^:]+):/, 'https://$1/')
    .replace(/\.git$/, '');
}

/** The manifest with `homepage` and `bugs` on the page of its repository; as it is without a repository. Given ones are kept. */
export function withLinks(manifest, folder) {
  const page = repositoryPage(manifest);
  if (!page) return manifest;
  return { homepage: `${page}/tree/main/${folder}#readme`, bugs: { url: `${page}/issues` }, ...manifest };
}
