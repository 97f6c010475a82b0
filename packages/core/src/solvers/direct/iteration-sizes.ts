/** Numbers that a solver's cost and its iteration share. The iterations are loaded when they are needed, the costs always. */

/** Vectors beyond the wanted ones: they speed convergence, show the eigenvalue after the last, and keep corrections small. */
export const OVERSAMPLING = 10;
/** Random vectors by which the error of the float32 scatter is measured. */
export const PROBES = 16;
/** Tolerances from this on need no correction of what float32 gives. */
export const UNCORRECTED_TOLERANCE = 1e-7;
