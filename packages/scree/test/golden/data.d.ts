export const CHANGED_AT: number;
export const CHECKPOINTS: Record<
  'dense' | 'standard-input' | 'weighted',
  { readonly file: string; readonly content: () => Buffer; readonly args: readonly string[] }
>;
