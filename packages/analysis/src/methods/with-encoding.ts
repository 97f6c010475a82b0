import { type Encoding, Model } from '@scree/core';

/** The model with an encoding, which applies to the user's own table. */
export function withEncoding(model: Model, coding: Encoding | undefined): Model {
  return coding ? new Model({ ...model, coding }) : model;
}

/** The model without its encoding, for rows that are encoded already. */
export function withoutEncoding(model: Model): Model {
  const { coding, ...plain } = model;
  return coding ? new Model(plain) : model;
}
