// Tables in a terminal: columns as wide as their content, cells wrapped when the screen is narrower.

import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

const gap = '  '
const columnWidthMin = 8

export function formatTable(head: string[], rows: string[][], width: number): string {
  const lines = [head.map((title) => title.toUpperCase()), ...rows.map((row) => row.map(printable))]
  const widths = fitted(
    head.map((_, column) => Math.max(...lines.map((line) => stringWidth(line[column] ?? '')))),
    width - gap.length * (head.length - 1),
  )
  return lines.flatMap((line) => laidOut(line, widths)).join('\n')
}

/** Takes width from the widest columns until all fit. */
function fitted(widths: number[], room: number): number[] {
  const result = [...widths]
  let excess = result.reduce((sum, width) => sum + width, 0) - room
  while (excess > 0) {
    const widest = result.indexOf(Math.max(...result))
    if (result[widest]! <= columnWidthMin) break
    result[widest]!--
    excess--
  }
  return result
}

function laidOut(cells: string[], widths: number[]): string[] {
  const wrapped = cells.map((cell, column) => wrapAnsi(cell, widths[column]!, { hard: true }).split('\n'))
  const height = Math.max(...wrapped.map((cell) => cell.length))
  return Array.from({ length: height }, (_, row) =>
    wrapped
      .map((cell, column) => padded(cell[row] ?? '', widths[column]!))
      .join(gap)
      .trimEnd(),
  )
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}

/** Control characters in someone's input must not drive the terminal. */
function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
