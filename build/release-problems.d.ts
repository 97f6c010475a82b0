export interface ReleaseManifest {
  readonly name: string;
  readonly version: string;
  readonly author?: string;
  readonly repository?: { readonly url: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

export function releaseProblems(manifests: readonly ReleaseManifest[], changelog: string): string[];
