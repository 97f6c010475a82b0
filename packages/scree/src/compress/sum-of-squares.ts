/** A sum of squares in units of the largest number, so that it neither overflows nor underflows. */
export class SumOfSquares {
  #unit = 0;
  #sum = 0;

  add(values: Float64Array): void {
    let largest = 0;
    for (let i = 0; i < values.length; i++) {
      const size = Math.abs(values[i]);
      if (size > largest) largest = size;
    }
    if (largest === 0) return;
    if (largest > this.#unit) {
      this.#sum *= (this.#unit / largest) ** 2;
      this.#unit = largest;
    }
    const unit = this.#unit;
    let sum = 0;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] / unit;
      sum += value * value;
    }
    this.#sum += sum;
  }

  /** √Σx². */
  get root(): number {
    return this.#unit * Math.sqrt(this.#sum);
  }
}
