import { type Encoding, Model } from '@scree/core';

/** The model with an encoding, which applies to the user's own table. */
export function withEncoding(model: Model, encoding: Encoding | undefined): Model {
  return encoding ? new Model({ ...model, coding: encoding }) : model;
}

/** The model without its encoding, for rows that are encoded already. */
export function withoutEncoding(model: Model): Model {
  const { coding: encoding, ...plain } = model;
  return encoding ? new Model(plain) : model;
}
