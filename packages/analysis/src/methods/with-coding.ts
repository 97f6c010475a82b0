import { type Coding, Model } from '@scree/core';

/** The model as it is stored and described: it takes the user's own table. */
export function withCoding(model: Model, coding: Coding | undefined): Model {
  return coding ? new Model({ ...model, coding }) : model;
}

/** The model of the coded columns, for rows that are coded already. */
export function withoutCoding(model: Model): Model {
  const { coding, ...plain } = model;
  return coding ? new Model(plain) : model;
}
