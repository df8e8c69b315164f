// Root element: the local name of the first element of a text, past declarations and comments.

const skipped = [/\s+/y, /<\?[^>]*>/y, /<!--[\s\S]*?-->/y, /<![a-z][^[>]*(?:\[[^\]]*\]\s*)?>/iy]
const elementPattern = /<(?:[a-z_][\w.-]*:)?([a-z_][\w.-]*)/iy

/** In lower case; undefined when the text does not get so far. */
export function rootElementOf(text: string): string | undefined {
  let position = text.startsWith('\xef\xbb\xbf') ? 3 : 0
  for (;;) {
    elementPattern.lastIndex = position
    const element = elementPattern.exec(text)
    if (element !== null) return element[1]!.toLowerCase()
    const next = pastSkipped(text, position)
    if (next === position) return undefined
    position = next
  }
}

function pastSkipped(text: string, position: number): number {
  for (const pattern of skipped) {
    pattern.lastIndex = position
    if (pattern.test(text)) return pattern.lastIndex
  }
  return position
}
