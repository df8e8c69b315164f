// Tables in a terminal: columns as wide as their content, cells wrapped when the screen is narrower.
//
// What measures and wraps text of any script is loaded with the first cell that needs it: that takes longer than some commands do.

import { createRequire } from 'node:module'
import type * as StringWidth from 'string-width'
import type * as WrapAnsi from 'wrap-ansi'

const gap = '  '
const columnWidthMin = 8
/** As wide as it is long, and nothing in it to leave out at the end of a line. */
const plainText = /^(?:[!-~]+(?: [!-~]+)*)?$/
const load = createRequire(import.meta.url)

export function formatTable(head: string[], rows: string[][], width: number): string {
  const lines = [head.map((title) => title.toUpperCase()), ...rows.map((row) => row.map(printable))]
  const widths = fitted(
    head.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? '')))),
    width - gap.length * (head.length - 1),
  )
  return lines.flatMap((line) => laidOut(line, widths)).join('\n')
}

/** Of an ISO date. */
export function minute(date: string): string {
  return date.slice(0, 16).replace('T', ' ')
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
  const wrapped = cells.map((cell, column) => wrappedTo(cell, widths[column]!))
  const height = Math.max(...wrapped.map((cell) => cell.length))
  return Array.from({ length: height }, (_, row) =>
    wrapped
      .map((cell, column) => padded(cell[row] ?? '', widths[column]!))
      .join(gap)
      .trimEnd(),
  )
}

function wrappedTo(cell: string, width: number): string[] {
  if (cell.length <= width && plainText.test(cell)) return [cell]
  const { default: wrapAnsi } = load('wrap-ansi') as typeof WrapAnsi
  return wrapAnsi(cell, width, { hard: true }).split('\n')
}

function widthOf(text: string): number {
  if (plainText.test(text)) return text.length
  const { default: stringWidth } = load('string-width') as typeof StringWidth
  return stringWidth(text)
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Control characters in someone's input must not drive the terminal. */
function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
