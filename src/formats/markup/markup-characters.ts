// The characters by which HTML tells tags, names and values apart.

export const slash = 0x2f
export const equals = 0x3d
export const greaterThan = 0x3e

export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)
}

/** Whether a name is over here. */
export function endsSection(code: number): boolean {
  return code === greaterThan || code === slash || isSpace(code)
}

/** Of ASCII: no tag begins with another. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
