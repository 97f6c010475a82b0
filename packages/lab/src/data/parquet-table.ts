import type { TableReader } from '@scree/core/files';
export const openParquet: TableReader = async () => {
  throw new Error('not yet');
};
