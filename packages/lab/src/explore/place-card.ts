/** A rectangle on the screen, in CSS pixels. */
export interface ScreenBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Size = Pick<ScreenBox, 'width' | 'height'>;
type Position = Pick<ScreenBox, 'x' | 'y'>;

/** Pixels between the pointer and the card, so that the pointer does not hide it. */
const GAP = 16;
/** Pixels between the card and the edge of the screen. */
const EDGE = 8;

/**
 * The position of a card: beside the pointer if there is room, otherwise above or below it, always inside the screen. The card
 * does not cover `point`, which it describes, unless no other position fits. A card that is larger than the screen begins at the
 * edge of the screen.
 */
export function placeCard(card: Size, pointer: Position, screen: Size, point?: ScreenBox): Position {
  const within = (value: number, length: number, room: number): number =>
    Math.max(EDGE, Math.min(room - EDGE - length, value));
  const inside = ({ x, y }: Position): Position => ({
    x: within(x, card.width, screen.width),
    y: within(y, card.height, screen.height),
  });
  const level = within(pointer.y - card.height / 2, card.height, screen.height);
  const centred = within(pointer.x - card.width / 2, card.width, screen.width);
  const candidates: Position[] = [
    { x: pointer.x + GAP, y: level },
    { x: pointer.x - GAP - card.width, y: level },
    { x: centred, y: pointer.y - GAP - card.height },
    { x: centred, y: pointer.y + GAP },
  ];
  const fitting = candidates.filter((at) => inside(at).x === at.x && inside(at).y === at.y);
  return fitting.find((at) => !point || areApart({ ...at, ...card }, point)) ?? fitting[0] ?? inside(candidates[0]);
}

function areApart(a: ScreenBox, b: ScreenBox): boolean {
  return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
}
