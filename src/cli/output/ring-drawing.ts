// The ring as a picture of characters: every position where it lies on the circle, as the letter of its peer.
//
// Twelve o'clock is key 0; keys grow clockwise. Characters are about twice as high as wide, so circles are laid out so.

interface DrawnPosition {
  /** From 0 to 1, clockwise. */
  readonly turn: number
  readonly letter: string
}

const radiusRows = 8
const widthPerHeight = 2.1
const dotsPerCircle = 720

export function drawRing(positions: readonly DrawnPosition[], caption: readonly string[]): string {
  const radiusColumns = Math.round(radiusRows * widthPerHeight)
  const rows = Array.from({ length: 2 * radiusRows + 1 }, () =>
    new Array<string>(2 * radiusColumns + 1).fill(' '),
  )
  const put = (turn: number, character: string): void => {
    const angle = turn * 2 * Math.PI
    const row = radiusRows - Math.round(Math.cos(angle) * radiusRows)
    const column = radiusColumns + Math.round(Math.sin(angle) * radiusColumns)
    rows[row]![column] = character
  }
  for (let dot = 0; dot < dotsPerCircle; dot++) put(dot / dotsPerCircle, '·')
  for (const { turn, letter } of positions) put(turn, letter)
  writeCaption(rows, caption)
  return rows.map((row) => row.join('').trimEnd()).join('\n')
}

function writeCaption(rows: string[][], caption: readonly string[]): void {
  const first = Math.floor((rows.length - caption.length) / 2)
  for (const [index, line] of caption.entries()) {
    const row = rows[first + index]!
    const start = Math.floor((row.length - line.length) / 2)
    for (const [at, character] of [...line].entries()) row[start + at] = character
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The letter of the peer that comes as number `index`; the many beyond the alphabet share one. */
export function letterOf(index: number): string {
  return letters[index] ?? '*'
}
