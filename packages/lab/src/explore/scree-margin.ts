/** Room around the bars of the scree plot, which the handle over them has to know. */
export const MARGIN = { left: 44, right: 8, top: 26, bottom: 34 };
