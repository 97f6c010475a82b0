/** Reasons not to publish packages with these manifests, as sentences: facts that only the publisher knows, and versions that differ. */
export function releaseProblems(manifests, changelog) {
  const found = [];
  const [{ version }] = manifests;
  for (const manifest of manifests) {
    const { name } = manifest;
    if (!manifest.author) found.push(`The package.json of ${name} names no author.`);
    if (!manifest.repository?.url) {
      found.push(`The package.json of ${name} names no repository: { "type": "git", "url": …, "directory": … }.`);
    }
    if (manifest.version !== version) {
      found.push(`${name} has version ${manifest.version}, but ${manifests[0].name} has ${version}.`);
    }
    for (const [dependency, range] of Object.entries(manifest.dependencies ?? {})) {
      if (manifests.some((each) => each.name === dependency) && range !== version) {
        found.push(`${name} depends on ${dependency} ${range}, not ${version}.`);
      }
    }
  }
  if (version.endsWith('-next')) {
    found.push(`${version} is the version of what is not released: npm run version:packages makes the next one.`);
  }
  if (!changelog.includes(`\n## ${version}`)) found.push(`CHANGELOG.md has no section ## ${version}.`);
  return found;
}
