/** Perception of colours: simulated colour blindness, differences and contrast. Colours are #rrggbb. */

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** Dichromats in linear RGB, severity 1: Machado, Oliveira and Fernandes (2009), table 1. */
const MACHADO: Record<string, Matrix> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** The model of Brettel, Viénot and Mollon (1997) for sRGB: two half planes, and the normal of the plane between them. */
const BRETTEL: Record<string, { readonly sides: readonly [Matrix, Matrix]; readonly normal: Triple }> = {
  protanopia: {
    sides: [
      [
        [0.1498, 1.19548, -0.34528],
        [0.10764, 0.84864, 0.04372],
        [0.00384, -0.0054, 1.00156],
      ],
      [
        [0.1457, 1.16172, -0.30742],
        [0.10816, 0.85291, 0.03892],
        [0.00386, -0.00524, 1.00139],
      ],
    ],
    normal: [0.00048, 0.00393, -0.00441],
  },
  deuteranopia: {
    sides: [
      [
        [0.36477, 0.86381, -0.22858],
        [0.26294, 0.64245, 0.09462],
        [-0.02006, 0.02728, 0.99278],
      ],
      [
        [0.37298, 0.88166, -0.25464],
        [0.25954, 0.63506, 0.1054],
        [-0.0198, 0.02784, 0.99196],
      ],
    ],
    normal: [-0.00281, -0.00611, 0.00892],
  },
  tritanopia: {
    sides: [
      [
        [1.01277, 0.13548, -0.14826],
        [-0.01243, 0.86812, 0.14431],
        [0.07589, 0.805, 0.11911],
      ],
      [
        [0.93678, 0.18979, -0.12657],
        [0.06154, 0.81526, 0.1232],
        [-0.37562, 1.12767, 0.24796],
      ],
    ],
    normal: [0.03901, -0.02788, -0.01113],
  },
};

/** Kinds of colour vision, as functions of linear RGB. Each kind of colour blindness has both models, because they differ. */
export const VISIONS: Record<string, (colour: Triple) => Triple> = {
  normal: (colour) => colour,
  ...Object.fromEntries(
    Object.entries(MACHADO).map(([name, matrix]) => [`${name} (Machado)`, (colour: Triple) => times(matrix, colour)]),
  ),
  ...Object.fromEntries(
    Object.entries(BRETTEL).map(([name, { sides, normal }]) => [
      `${name} (Brettel)`,
      (colour: Triple) => times(sides[dot(normal, colour) >= 0 ? 0 : 1], colour),
    ]),
  ),
};

export function linearRgb(hex: string): Triple {
  return triple((c) => {
    const value = Number.parseInt(hex.slice(1 + 2 * c, 3 + 2 * c), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

/** From linear sRGB to CIE XYZ, white D65. */
const TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];

export function cieLab(linear: Triple): Triple {
  const [x, y, z] = TO_XYZ.map((row) => {
    const t = dot(row, linear) / (row[0] + row[1] + row[2]);
    return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000 of two CIE L*a*b* colours, as in Sharma, Wu and Dalal (2005), equations 2 to 22. */
export function deltaE([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const seventh = (c: number): number => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const g = 0.5 * (1 - seventh((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const polar = (a: number, b: number): [chroma: number, hue: number] => {
    const hue = (Math.atan2(b, a * (1 + g)) * 180) / Math.PI;
    return [Math.hypot(a * (1 + g), b), hue < 0 ? hue + 360 : hue];
  };
  const [[c1, h1], [c2, h2]] = [polar(a1, b1), polar(a2, b2)];
  const grey = c1 * c2 === 0;
  const apart = Math.abs(h1 - h2) > 180;
  const turn = grey ? 0 : apart ? h2 - h1 + (h2 > h1 ? -360 : 360) : h2 - h1;
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const h = grey ? h1 + h2 : !apart ? (h1 + h2) / 2 : (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2;
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const lightness = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const chroma = (c2 - c1) / (1 + 0.045 * c);
  const hue = (2 * Math.sqrt(c1 * c2) * sin(turn / 2)) / (1 + 0.015 * c * t);
  const rotation = -2 * seventh(c) * sin(60 * Math.exp(-(((h - 275) / 25) ** 2)));
  return Math.sqrt(lightness ** 2 + chroma ** 2 + hue ** 2 + rotation * chroma * hue);
}

/** The contrast ratio of WCAG 2. */
export function contrast(first: string, second: string): number {
  const [a, b] = [first, second].map((hex) => dot(TO_XYZ[1], linearRgb(hex)) + 0.05);
  return Math.max(a, b) / Math.min(a, b);
}

/** Returns the smallest ΔE between two of these colours for a kind of colour vision. */
export function closest(colours: readonly string[], vision: (colour: Triple) => Triple): number {
  const seen = colours.map((hex) => cieLab(vision(linearRgb(hex))));
  return Math.min(...seen.flatMap((a, i) => seen.slice(0, i).map((b) => deltaE(a, b))));
}

function times(matrix: Matrix, colour: Triple): Triple {
  return triple((c) => Math.min(1, Math.max(0, dot(matrix[c], colour))));
}

function dot([a, b, c]: Triple, [x, y, z]: Triple): number {
  return a * x + b * y + c * z;
}

function triple(at: (index: number) => number): Triple {
  return [at(0), at(1), at(2)];
}

function cos(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180);
}

function sin(degrees: number): number {
  return Math.sin((degrees * Math.PI) / 180);
}
