type Size = readonly [height: number, width: number];

/** Paints numbers in grey: the minimum of `range` is black, its maximum white. */
export function paintGrey(
  context: CanvasRenderingContext2D,
  values: Float64Array,
  size: Size,
  range: Float64Array,
): void {
  const low = range.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = range.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const factor = high > low ? 255 / (high - low) : 0;
  fill(context, values, size, (value) => {
    const shade = (value - low) * factor;
    return [shade, shade, shade];
  });
}

const GROUND = { light: [255, 255, 255], dark: [26, 30, 36] } as const;
const POSITIVE = { light: [38, 84, 176], dark: [130, 171, 247] } as const;
const NEGATIVE = { light: [196, 92, 8], dark: [242, 161, 88] } as const;

/** Paints negative numbers in orange and positive ones in blue; zero has the colour of the background. */
export function paintDiverging(
  context: CanvasRenderingContext2D,
  values: Float64Array,
  size: Size,
  dark: boolean,
): void {
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) || 1;
  const theme = dark ? 'dark' : 'light';
  const ground = GROUND[theme];
  fill(context, values, size, (value) => {
    const end = (value < 0 ? NEGATIVE : POSITIVE)[theme];
    const share = Math.abs(value) / most;
    return ground.map((from, c) => from + (end[c] - from) * share);
  });
}

function fill(
  context: CanvasRenderingContext2D,
  values: Float64Array,
  [height, width]: Size,
  colour: (value: number) => readonly number[],
): void {
  const image = context.createImageData(width, height);
  values.forEach((value, at) => {
    const [red, green, blue] = colour(value);
    image.data.set([red, green, blue, 255], 4 * at);
  });
  context.putImageData(image, 0, 0);
}
