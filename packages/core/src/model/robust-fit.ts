/** A method of robust fits: the minimum covariance determinant, ROBPCA, or spherical components. */
export type RobustMethod = 'mcd' | 'projection' | 'spherical';

/** How a model was fitted robustly, and the rows that differ from the others. */
export interface RobustFit {
  readonly method: RobustMethod;
  /** The reason for the method, as a sentence. */
  readonly reason: string;
  /** The share of the rows, from 0.5 to 1, that the estimate is computed from. Up to 1 − share of the rows may be anything. */
  readonly share: number;
  /** The number of these rows. */
  readonly subset: number;
  readonly seed: number;
  /** The 97.5 % limit of the score distance √Σ zᵢ²/λᵢ: √χ²_k. */
  readonly scoreLimit: number;
  /** The 97.5 % limit of the orthogonal distance ‖b − VᵀVb‖; null if the components leave nothing out. */
  readonly orthogonalLimit: number | null;
  /** Indexes of the rows beyond a limit, from 0. If there are very many, those that are farthest beyond. */
  readonly flagged: readonly number[];
  /** The number of rows beyond a limit. */
  readonly flaggedCount: number;
  /** Number of rows on a hyperplane that the estimate was restricted to; absent if there is none. */
  readonly onPlane?: number | undefined;
  /** The score distance of every row. Stored models do not have it. */
  readonly scoreDistances?: Float64Array;
  /** The orthogonal distance of every row, in the scaled units of the model. Stored models do not have it. */
  readonly orthogonalDistances?: Float64Array;
}

/** The part of a robust fit that models store: all but the distances of single rows. */
export function storedRobustFit({ scoreDistances: _, orthogonalDistances: __, ...stored }: RobustFit): RobustFit {
  return stored;
}
